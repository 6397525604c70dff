// SPDX-License-Identifier: Apache-2.0
// What lies between a file of IR and a run of it: the mesh that it is given,
// the program that it is, the inputs and the truth. The tool that runs files
// and the interface for C share it.

#ifndef RING_TOOLING_EXECUTION_H
#define RING_TOOLING_EXECUTION_H

#include "mlir/IR/BuiltinOps.h"
#include "ring-runtime/Tooling.h"

#include <optional>

namespace mlir::ring {

/// Replaces the mesh that the module names by one such as "2x4"; fails, and
/// says nothing, where the text is none.
LogicalResult setMesh(ModuleOp module, StringRef text);

/// Translates and loads what `module` is now.
FailureOr<::ring::rt::Program> loadProgram(ModuleOp module, StringRef function);

/// What passes leave of a device's function may have no transfer that shows
/// where it runs, so the arguments of `module`, which is `program` now, come to
/// say themselves that they are shards.
void markShards(ModuleOp module, const ::ring::rt::Program &program);

/// Inputs, and what running a file on them should give.
struct Reference {
  std::vector<::ring::rt::PortTensors> inputs;
  /// Nothing where nothing is checked.
  std::optional<::ring::rt::tooling::Truth> truth;
};

} // namespace mlir::ring

#endif // RING_TOOLING_EXECUTION_H
