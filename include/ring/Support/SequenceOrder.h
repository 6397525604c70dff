// SPDX-License-Identifier: Apache-2.0
// The rows of a whole sequence put in the order of its shards, and back.

#ifndef RING_SUPPORT_SEQUENCEORDER_H
#define RING_SUPPORT_SEQUENCEORDER_H

#include "ring/Dialect/Ring/IR/RingAttrs.h"
#include "ring/Support/TTIRBuilder.h"

namespace mlir::ring {

/// Orders dimension `dim`, the whole sequence, so that cutting it into equal
/// contiguous pieces gives every rank the rows of `layout`.
Value toShardOrder(TTIRBuilder &tensors, Value whole, int64_t dim,
                   LayoutAttr layout);

/// The inverse: from the shards behind each other back to the sequence.
Value fromShardOrder(TTIRBuilder &tensors, Value shards, int64_t dim,
                     LayoutAttr layout);

/// Dimension `dim`, read as `outer` times `inner` chunks of rows, with the two
/// exchanged: 2 x 3 chunks a b c d e f -> a d b e c f.
Value exchangeRows(TTIRBuilder &tensors, Value input, int64_t dim,
                   int64_t outer, int64_t inner);

} // namespace mlir::ring

#endif // RING_SUPPORT_SEQUENCEORDER_H
