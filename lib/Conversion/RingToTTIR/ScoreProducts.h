// SPDX-License-Identifier: Apache-2.0
// Scores as a matrix product in memory, for blocks that the kernels cannot
// take.

#ifndef RING_LIB_CONVERSION_RINGTOTTIR_SCOREPRODUCTS_H
#define RING_LIB_CONVERSION_RINGTOTTIR_SCOREPRODUCTS_H

#include "ConvertedBlock.h"

namespace mlir::ring {

/// Heads that share a key head behind each other, so that one product with that
/// head serves them all and no key is repeated: `[batch, key heads, heads / key
/// heads * rows, columns]`.
Value groupHeads(Value tensor, int64_t keyHeads, TTIRBuilder &tensors);

/// The scores `[batch, heads, queries, keys]` in f32, scaled and masked: -inf
/// for a key that does not count.
Value maskedScores(const ConvertedBlock &block, TTIRBuilder &tensors);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_RINGTOTTIR_SCOREPRODUCTS_H
