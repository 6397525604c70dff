// SPDX-License-Identifier: Apache-2.0
// The collectives that bring a sharded sequence to an attention.

#ifndef RING_LIB_CONVERSION_TTIRTORING_SEQUENCEGATHERS_H
#define RING_LIB_CONVERSION_TTIRTORING_SEQUENCEGATHERS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace mlir::ring {

/// A whole sequence and the shard it was made from.
struct GatheredSequence {
  /// This device's shard, `[batch, heads, rows, dim]`, or without the batch.
  Value local;
  /// The mesh axis that carries the sequence.
  int64_t axis;
};

/// Looks through an `all_gather` of the rows of `whole`, 4-D, or 3-D under a
/// reshape that only adds the batch of 1.
std::optional<GatheredSequence> findGather(Value whole);

/// Looks through an `all_to_all` that traded rows for heads.
std::optional<GatheredSequence> findHeadTrade(Value heads);

/// Whether `user` trades the heads of an attention's result back for rows.
bool isTradeBack(Operation *user, int64_t axis);

/// The mesh axis whose lines of devices are exactly the replica groups.
std::optional<int64_t> axisOfGroups(Operation *op, DenseIntElementsAttr groups);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_SEQUENCEGATHERS_H
