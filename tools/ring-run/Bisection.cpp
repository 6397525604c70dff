// SPDX-License-Identifier: Apache-2.0
// Running the program after every pass.

#include "Bisection.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "ring-runtime/LaunchDescription.h"

namespace mlir::ring {

namespace rt = ::ring::rt;
using rt::tooling::launchedRank;

/// Whether the backend runs launches alone, and the program has none yet: then
/// the CPU mesh, which runs everything between launches too, runs it.
static bool runsOnCpu(const rt::Program &program, StringRef backend) {
  return (backend == "tile" || backend == "metal") &&
         llvm::none_of(program.composites(),
                       [](const rt::Composite &composite) {
                         return composite.name == rt::kLaunchName;
                       });
}

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
  bool early = succeeded(program) && runsOnCpu(*program, options.run.backend);
  if (succeeded(program)) {
    rt::RunOptions run = options.run;
    if (early)
      run.backend = "cpu";
    result = rt::run(*program, reference.inputs, run);
  }
  found.speaks = result ? result->rank == 0 : launchedRank() == 0;
  if (found.speaks) {
    llvm::outs() << "after " << name;
    if (early)
      llvm::outs() << ", without launches yet, on the cpu backend";
    llvm::outs() << ":\n";
  }
  if (!result) {
    over = true;
    std::string &first =
        result.status().shortage() ? found.shortage : found.culprit;
    if (found.culprit.empty())
      first = name;
    if (found.speaks)
      llvm::outs() << "  cannot run: " << result.message() << "\n";
    else
      emitError(module.getLoc(), "cannot run: ") << result.message();
    return;
  }
  if (!found.speaks)
    return;
  rt::OutputJudgements judged =
      rt::judge(*program, *result, reference.truth->meaning,
                reference.truth->outputs, options.tolerance, options.sample);
  llvm::outs() << judged.text;
  if (judged.passed)
    return;
  if (found.culprit.empty())
    found.culprit = name;
  // All ranks make the same runs, and only this one knows that it could stop.
  over = options.run.backend != "mpi";
}

} // namespace mlir::ring
