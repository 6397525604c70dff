// SPDX-License-Identifier: Apache-2.0
// What every emitted program has besides its functions: tensors from numbers
// and back, a comparison, and main.

#ifndef RING_LIB_TARGET_CPP_PROGRAMTEXT_H
#define RING_LIB_TARGET_CPP_PROGRAMTEXT_H

namespace mlir::ring {

/// Tensors from numbers and numbers from tensors.
extern const char kProgramTensors[];
/// Inputs, the comparison and the command line. Uses what the program defines
/// before it: kMesh, kFabric, kFunctions, NumPy files and, if `Rings` is one,
/// that class.
extern const char kProgramMain[];

} // namespace mlir::ring

#endif // RING_LIB_TARGET_CPP_PROGRAMTEXT_H
