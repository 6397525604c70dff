// SPDX-License-Identifier: Apache-2.0
// From a launch to a C++ program for TT-Metalium: our kernels and their
// arguments with nothing of this compiler beside them.

#ifndef RING_TARGET_METALIUM_H
#define RING_TARGET_METALIUM_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::ring {

/// Writes a program that runs the only `ring.launch` of `module` with numbers
/// drawn by a seed, on a mesh of devices, and holds the results to a reference
/// in double precision.
LogicalResult translateToMetalium(ModuleOp module, raw_ostream &output);

/// Writes a CMakeLists.txt that finds TT-Metalium and builds the program, which
/// it takes to be in `main.cpp` beside it.
LogicalResult translateToMetaliumBuild(raw_ostream &output);

/// Registers `--mlir-to-metalium` and `--mlir-to-metalium-cmake` with
/// ring-translate.
void registerToMetaliumTranslations();

} // namespace mlir::ring

#endif // RING_TARGET_METALIUM_H
