// SPDX-License-Identifier: Apache-2.0
// One launch as a C++ header: buffers, semaphores, kernels with their
// arguments, and what a reference has to know.

#ifndef RING_LIB_TARGET_METALIUM_LAUNCHTABLES_H
#define RING_LIB_TARGET_METALIUM_LAUNCHTABLES_H

#include "TextFiles.h"
#include "ring-runtime/LaunchDescription.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

#include <map>

namespace mlir::ring {

/// The files of kernels, by source and defines, shared by all launches.
using KernelFiles =
    std::map<std::pair<std::string, std::vector<std::string>>, TextFile>;

/// What the header of a launch and its neighbours have to agree on.
struct LaunchHeader {
  TextFile file;
  bool closes = false; ///< whether transfers go round the mesh's ends
};

/// Writes `Launch<number>.h`, which defines `kLaunch<number>`, and adds the
/// kernels that it runs. What cannot be written is an error of the launch.
FailureOr<LaunchHeader> writeLaunchHeader(LaunchOp launch, unsigned number,
                                          ArrayRef<int64_t> mesh,
                                          KernelFiles &kernels);

} // namespace mlir::ring

#endif // RING_LIB_TARGET_METALIUM_LAUNCHTABLES_H
