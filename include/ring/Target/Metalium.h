// SPDX-License-Identifier: Apache-2.0
// From launches to a C++ program for TT-Metalium: our kernels and their
// arguments with nothing of this compiler beside them.

#ifndef RING_TARGET_METALIUM_H
#define RING_TARGET_METALIUM_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::ring {

/// Writes the files of a program that runs the only function of `module` with
/// launches on a mesh of devices, on files or on numbers drawn by a seed, and
/// holds each launch to a reference in double precision. Every file follows a
/// line `//--- PATH`.
LogicalResult translateToMetalium(ModuleOp module, raw_ostream &output);

/// Writes the same files into a folder, which is made if it is not there.
LogicalResult translateToMetaliumFolder(ModuleOp module, StringRef folder);

/// Registers `--mlir-to-metalium` with ring-translate.
void registerToMetaliumTranslation();

} // namespace mlir::ring

#endif // RING_TARGET_METALIUM_H
