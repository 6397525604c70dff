// SPDX-License-Identifier: Apache-2.0
// Reads one op of the ring dialect and asks it something that only the
// dialect's own code can answer.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

int main() {
  mlir::MLIRContext context;
  context.loadDialect<mlir::ring::RingDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @f(%k: tensor<1x2x512x64xbf16>) {\n"
      "  %0 = ring.shift %k by 1 on <0 in 8x4> : tensor<1x2x512x64xbf16>\n"
      "  return\n"
      "}\n",
      &context);
  if (!module)
    return 1;
  module->walk([](mlir::ring::TransferOpInterface transfer) {
    llvm::outs() << "ranks " << transfer.getAxis().getRanks() << ", bytes "
                 << transfer.countBytesSent() << "\n";
  });
  return 0;
}
