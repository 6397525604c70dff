// SPDX-License-Identifier: Apache-2.0
// Running the program after every pass.

#include "Bisection.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ring {

namespace rt = ::ring::rt;

void Bisection::runAfterPass(Pass *pass, Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module || over)
    return;
  StringRef name = pass->getArgument();
  FailureOr<rt::Program> program = loadProgram(module, options.function);
  FailureOr<rt::RunResult> result = failure();
  if (succeeded(program))
    result = execute(module, *program, reference.inputs, options.run);
  if (succeeded(result))
    found.speaks = result->rank == 0;
  if (found.speaks)
    llvm::outs() << "after " << name << ":\n";
  if (failed(result)) {
    over = true;
    if (found.culprit.empty())
      found.culprit = name.str();
    if (found.speaks)
      llvm::outs() << "  cannot run\n";
    return;
  }
  if (!found.speaks)
    return;
  std::vector<OutputCheck> checks = check(*program, *result, *reference.result);
  printChecks(checks);
  if (allPassed(checks))
    return;
  if (found.culprit.empty())
    found.culprit = name.str();
  // All ranks make the same runs, and only this one knows that it could stop.
  over = options.run.backend != "mpi";
}

} // namespace mlir::ring
