// SPDX-License-Identifier: Apache-2.0
// Running a module on the runtime, and comparing what two runs gave.

#include "Execution.h"
#include "ring/Target/Program.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::ring {

namespace rt = ::ring::rt;

/// What the project promises of its results.
static constexpr double kLargestRelativeError = 1e-5;
static constexpr double kSmallestCorrelation = 0.9997;

FailureOr<rt::Program> loadProgram(ModuleOp module, StringRef function) {
  FailureOr<std::vector<uint8_t>> file = translateToProgram(module, function);
  if (failed(file))
    return failure();
  rt::Result<rt::Program> program =
      rt::Program::load(file->data(), file->size());
  if (!program)
    return emitError(module.getLoc(), "cannot run: ") << program.message();
  return *program;
}

FailureOr<rt::RunResult> execute(ModuleOp module, const rt::Program &program,
                                 const std::vector<rt::PortTensors> &inputs,
                                 const rt::RunOptions &options) {
  rt::Result<rt::RunResult> result = rt::run(program, inputs, options);
  if (!result)
    return emitError(module.getLoc(), "cannot run: ") << result.message();
  return std::move(*result);
}

/// The numbers of all shards of an output, one behind the other.
static std::vector<double> numbersOf(const rt::PortTensors &tensors) {
  std::vector<double> numbers;
  for (const rt::Tensor &tensor : tensors) {
    std::vector<double> shard = tensor.numbers();
    numbers.insert(numbers.end(), shard.begin(), shard.end());
  }
  return numbers;
}

std::vector<OutputCheck> check(const rt::Program &program,
                               const rt::RunResult &found,
                               const rt::RunResult &reference) {
  std::vector<OutputCheck> checks;
  for (size_t i = 0; i < program.outputs().size(); ++i) {
    const rt::Port &port = program.outputs()[i];
    const rt::ValueType &type = program.values()[port.value];
    OutputCheck result{port.name, rt::describe(type), {}, false};
    std::vector<double> ours = numbersOf(found.outputs[i]);
    std::vector<double> expected = numbersOf(reference.outputs[i]);
    if (ours.size() == expected.size()) {
      result.comparison = rt::compare(ours, expected);
      const rt::Comparison &comparison = result.comparison;
      bool close = type.element == rt::ElementType::F32
                       ? comparison.relativeError <= kLargestRelativeError
                       : comparison.pcc >= kSmallestCorrelation;
      result.passed = comparison.finite && close;
    }
    checks.push_back(std::move(result));
  }
  return checks;
}

void printChecks(ArrayRef<OutputCheck> checks) {
  for (const OutputCheck &output : checks) {
    const rt::Comparison &comparison = output.comparison;
    llvm::outs() << llvm::formatv(
        "  {0} {1}: relative error {2:e2}, max error {3:e2}, rmse {4:e2}, pcc "
        "{5:F6}: {6}\n",
        output.name, output.type, comparison.relativeError, comparison.maxError,
        comparison.rmse, comparison.pcc,
        output.passed        ? "ok"
        : !comparison.finite ? "WRONG, not finite where the reference is, or "
                               "the other way round"
                             : "WRONG");
  }
}

bool allPassed(ArrayRef<OutputCheck> checks) {
  return llvm::all_of(checks, [](const auto &check) { return check.passed; });
}

} // namespace mlir::ring
