// SPDX-License-Identifier: Apache-2.0
// Cores as rectangles, which is how tt-mlir names them.

#ifndef RING_LIB_CONVERSION_LAUNCH_CORERANGES_H
#define RING_LIB_CONVERSION_LAUNCH_CORERANGES_H

#include "ring-runtime/DeviceProgram.h"

#include <vector>

namespace mlir::ring {

/// A rectangle of cores, both ends included.
struct CoreRectangle {
  ::ring::rt::DeviceCore first;
  ::ring::rt::DeviceCore last;
};

/// The cores, each once, as few rectangles: rows of cores side by side, and
/// equal rows below each other. Nine cores of a grid with four columns are two
/// rows of four, and one core.
std::vector<CoreRectangle>
rectanglesOf(std::vector<::ring::rt::DeviceCore> cores);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_LAUNCH_CORERANGES_H
