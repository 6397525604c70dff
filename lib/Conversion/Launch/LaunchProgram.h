// SPDX-License-Identifier: Apache-2.0
// A launch as the runtime describes it to devices: what all ways out of the
// compiler write, each in words of its own.

#ifndef RING_LIB_CONVERSION_LAUNCH_LAUNCHPROGRAM_H
#define RING_LIB_CONVERSION_LAUNCH_LAUNCHPROGRAM_H

#include "ring-runtime/LaunchDescription.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {

namespace rt = ::ring::rt;

struct LaunchProgram {
  rt::LaunchDescription description;
  /// Of one ring, with the numbers of its buffers.
  rt::AttentionProgram attention;
  /// The same for all devices of the mesh, in their order.
  rt::DeviceProgram devices;
  /// Rows and columns of the mesh; 1x1 for a launch that is the same on every
  /// device.
  SmallVector<int64_t> mesh;
  /// The axis of the rings; nothing if each device is by itself.
  std::optional<int64_t> axis;

  bool moves() const { return !devices.globalSemaphores.empty(); }
  /// Whether somebody sends from the last device of a ring to the first, or the
  /// other way round.
  bool closesRings() const;
  /// How tt-mlir's runtime is told to connect devices: "ring" or "linear". Two
  /// devices are a line, whose one connection serves both ways.
  const char *topology() const;
};

/// As both dialects of tt-mlir write it.
const char *nameOf(rt::MathFidelity fidelity);

/// Describes a launch. `mostPageTiles` is as in rt::AttentionOptions. Where
/// semaphores are scarce, cores of devices with two neighbours do not hand keys
/// on, which takes two more of them and only saves time. What
/// kernels cannot do, and rings that are not whole axes of the mesh, are errors
/// at the launch.
FailureOr<LaunchProgram> programOf(LaunchOp launch, uint32_t mostPageTiles,
                                   bool scarceSemaphores = false);

/// Refuses rings that tt-mlir's runtime does not connect.
LogicalResult verifyRoutes(LaunchOp launch, const LaunchProgram &program);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_LAUNCH_LAUNCHPROGRAM_H
