// SPDX-License-Identifier: Apache-2.0
// The language server for editors: diagnostics, hover and completion for all
// dialects that ring-opt reads.

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "ring/InitDialects.h"
#include "ring/Support/BugReport.h"
#include "ring/Support/ToolVersion.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  mlir::ring::askForBugReports();
  mlir::ring::answerVersion("ring-lsp-server");
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  mlir::ring::registerRingDialects(registry);
  mlir::ring::registerModelDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
