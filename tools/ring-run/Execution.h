// SPDX-License-Identifier: Apache-2.0
// Running a module on the runtime, and comparing what two runs gave.

#ifndef RING_TOOLS_RING_RUN_EXECUTION_H
#define RING_TOOLS_RING_RUN_EXECUTION_H

#include "mlir/IR/BuiltinOps.h"
#include "ring-runtime/Runtime.h"

#include <optional>

namespace mlir::ring {

/// Translates and loads what `module` is now.
FailureOr<::ring::rt::Program> loadProgram(ModuleOp module, StringRef function);

/// What the input file means, in double precision, on the given arguments.
struct Reference {
  std::vector<::ring::rt::PortTensors> inputs;
  std::optional<::ring::rt::RunResult> result;
};

/// Runs a program; an error of the runtime is reported at the module.
FailureOr<::ring::rt::RunResult>
execute(ModuleOp module, const ::ring::rt::Program &program,
        const std::vector<::ring::rt::PortTensors> &inputs,
        const ::ring::rt::RunOptions &options);

/// How far one output is from the reference.
struct OutputCheck {
  std::string name;
  std::string type;
  ::ring::rt::Comparison comparison;
  bool passed;
};

/// Compares all outputs. f32 passes up to a relative error of 1e-5, narrower
/// types from a correlation of 0.9997 on; both only if infinities and NaN are
/// where the reference has them.
std::vector<OutputCheck> check(const ::ring::rt::Program &program,
                               const ::ring::rt::RunResult &found,
                               const ::ring::rt::RunResult &reference);

/// One line for each output.
void printChecks(ArrayRef<OutputCheck> checks);
bool allPassed(ArrayRef<OutputCheck> checks);

} // namespace mlir::ring

#endif // RING_TOOLS_RING_RUN_EXECUTION_H
