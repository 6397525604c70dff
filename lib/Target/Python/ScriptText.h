// SPDX-License-Identifier: Apache-2.0
// What every emitted script has besides its functions: tensors from files and
// back, a comparison, and main.

#ifndef RING_LIB_TARGET_PYTHON_SCRIPTTEXT_H
#define RING_LIB_TARGET_PYTHON_SCRIPTTEXT_H

namespace mlir::ring {

/// Tensors from arrays and arrays from tensors.
extern const char kScriptTensors[];
/// Inputs, the comparison and the command line. Uses what the script defines
/// before it: MESH, FABRIC, FUNCTIONS and make_rings.
extern const char kScriptMain[];

} // namespace mlir::ring

#endif // RING_LIB_TARGET_PYTHON_SCRIPTTEXT_H
