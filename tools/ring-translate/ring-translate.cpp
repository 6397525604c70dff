// SPDX-License-Identifier: Apache-2.0
// From IR to files of other tools: program files for the runtime.

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "ring/Target/Program.h"

int main(int argc, char **argv) {
  mlir::ring::registerToProgramTranslation();
  return mlir::failed(mlir::mlirTranslateMain(
      argc, argv, "ring-translate: from IR to program files\n"));
}
