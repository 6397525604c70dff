// SPDX-License-Identifier: Apache-2.0
// A fused attention as the call of the device op, with the memory and the
// semaphores that it wants to be given.

#ifndef RING_LIB_TARGET_PYTHON_FUSEDCALL_H
#define RING_LIB_TARGET_PYTHON_FUSEDCALL_H

#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"

#include <map>
#include <string>

namespace mlir::ring {

/// What all fused attentions of a script share: made once, before the first of
/// them.
struct SharedResources {
  /// The name of each buffer, and the expression that allocates it.
  std::map<std::string, std::string> buffers;
  /// The most semaphores that one of them takes.
  int64_t semaphores = 0;
};

/// The call, with the operands' names in `operands`. What it needs is added to
/// `resources`, which the script calls `shared`.
FailureOr<std::string> fusedCall(tt::ttcore::CompositeOp op,
                                 ArrayRef<std::string> operands,
                                 SharedResources &resources);

} // namespace mlir::ring

#endif // RING_LIB_TARGET_PYTHON_FUSEDCALL_H
