// SPDX-License-Identifier: Apache-2.0
// Writes whose op has a result in the ring dialect's stages and none in TTIR.

#ifndef RING_DIALECT_RING_IR_INPLACE_H
#define RING_DIALECT_RING_IR_INPLACE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::ring {

/// Marks an op that writes into its first operand, which its result stands for:
/// as a value, what is written is neither read nor sent too early.
inline constexpr llvm::StringLiteral kInPlaceAttrName = "ring.in_place";

} // namespace mlir::ring

#endif // RING_DIALECT_RING_IR_INPLACE_H
