// SPDX-License-Identifier: Apache-2.0
// From IR to files of other tools: program files for the runtime, and host
// programs for devices.

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "ring/InitTTMLIR.h"
#include "ring/Support/BugReport.h"
#include "ring/Support/ToolVersion.h"
#include "ring/Target/Cpp.h"
#include "ring/Target/Metalium.h"
#include "ring/Target/Program.h"
#include "ring/Target/Python.h"

int main(int argc, char **argv) {
  mlir::ring::askForBugReports();
  mlir::ring::answerVersion("ring-translate");
  mlir::ring::registerToProgramTranslation();
  mlir::ring::registerToPythonTranslation();
  mlir::ring::registerToCppTranslations();
  mlir::ring::registerToMetaliumTranslation();
  mlir::ring::registerTTMLIRTranslations();
  return mlir::failed(mlir::mlirTranslateMain(
      argc, argv,
      "ring-translate: from IR to program files and host programs\n"));
}
