// SPDX-License-Identifier: Apache-2.0
// NumPy files in emitted C++ programs.

#ifndef RING_LIB_TARGET_HOST_NUMPYTEXT_H
#define RING_LIB_TARGET_HOST_NUMPYTEXT_H

namespace mlir::ring {

/// C++ that defines `Array`, a shape with its numbers, `describe` of a shape,
/// `readNpy` and `writeNpy`. Needs the standard headers of vectors, strings,
/// streams and exceptions before it.
extern const char kNumpyFiles[];

} // namespace mlir::ring

#endif // RING_LIB_TARGET_HOST_NUMPYTEXT_H
