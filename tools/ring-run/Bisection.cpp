// SPDX-License-Identifier: Apache-2.0
// Running the program after every pass.

#include "Bisection.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ring {

namespace rt = ::ring::rt;

void Bisection::runAfterPass(Pass *pass, Operation *op) {
  // What runs the passes of functions has no name, and what is declared only
  // has not changed.
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (over || pass->getArgument().empty() ||
      (function && function.isExternal()))
    return;
  while (op->getParentOp())
    op = op->getParentOp();
  auto module = cast<ModuleOp>(op);
  std::string name = pass->getArgument().str();
  if (function)
    name += " on @" + function.getName().str();
  FailureOr<rt::Program> program = loadProgram(module, options.function);
  rt::Result<rt::RunResult> result = rt::error("there is no program");
  if (succeeded(program)) {
    result = rt::run(*program, reference.inputs, options.run);
    if (!result)
      emitError(module.getLoc(), "cannot run: ") << result.message();
  }
  if (result)
    found.speaks = result->rank == 0;
  if (found.speaks)
    llvm::outs() << "after " << name << ":\n";
  if (!result) {
    over = true;
    if (found.culprit.empty())
      found.culprit = name;
    if (found.speaks)
      llvm::outs() << "  cannot run\n";
    return;
  }
  if (!found.speaks)
    return;
  rt::OutputJudgements judged =
      rt::judge(*program, *result, reference.truth->meaning,
                reference.truth->outputs, options.tolerance);
  llvm::outs() << judged.text;
  if (judged.passed)
    return;
  if (found.culprit.empty())
    found.culprit = name;
  // All ranks make the same runs, and only this one knows that it could stop.
  over = options.run.backend != "mpi";
}

} // namespace mlir::ring
