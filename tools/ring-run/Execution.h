// SPDX-License-Identifier: Apache-2.0
// Running a module on the runtime.

#ifndef RING_TOOLS_RING_RUN_EXECUTION_H
#define RING_TOOLS_RING_RUN_EXECUTION_H

#include "mlir/IR/BuiltinOps.h"
#include "ring-runtime/Tooling.h"

#include <optional>

namespace mlir::ring {

/// Translates and loads what `module` is now.
FailureOr<::ring::rt::Program> loadProgram(ModuleOp module, StringRef function);

/// Inputs, and what running a file on them should give.
struct Reference {
  std::vector<::ring::rt::PortTensors> inputs;
  /// Nothing where nothing is checked.
  std::optional<::ring::rt::tooling::Truth> truth;
};

} // namespace mlir::ring

#endif // RING_TOOLS_RING_RUN_EXECUTION_H
