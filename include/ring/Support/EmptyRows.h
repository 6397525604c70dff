// SPDX-License-Identifier: Apache-2.0
// Rows without keys in what the compiler writes for devices.

#ifndef RING_SUPPORT_EMPTYROWS_H
#define RING_SUPPORT_EMPTYROWS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::ring {

/// The log-sum-exp of a row without keys inside a lowered program: so low that
/// its weight in a merge is 0, yet finite, for the difference of two of them
/// has to be 0 and not NaN.
inline constexpr float kEmptyLse = -1.0e30f;

/// The composites that are launches of our own kernels; their second result is
/// a log-sum-exp.
inline constexpr llvm::StringLiteral kLaunchComposite = "ring_launch";

} // namespace mlir::ring

#endif // RING_SUPPORT_EMPTYROWS_H
