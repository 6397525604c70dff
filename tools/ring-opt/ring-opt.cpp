// SPDX-License-Identifier: Apache-2.0
// The compiler as a filter: reads IR, runs passes, prints IR.

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "ring/InitAll.h"
#include "ring/InitTTMLIR.h"
#include "ring/Support/BugReport.h"
#include "ring/Support/ToolVersion.h"

int main(int argc, char **argv) {
  mlir::ring::askForBugReports();
  mlir::ring::answerVersion("ring-opt");
  mlir::DialectRegistry registry;
  mlir::ring::registerRingDialects(registry);
  mlir::ring::registerModelDialects(registry);
  mlir::ring::registerTTMLIRDialects(registry);
  mlir::registerTransformsPasses();
  mlir::ring::registerRingPasses();
  mlir::ring::registerTTMLIRPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "ring-opt: the ring-attention compiler\n", registry));
}
