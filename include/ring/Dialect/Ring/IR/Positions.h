// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the positions of a sequence: which of them a shard holds, which
// pairs of them a band lets through. Everything that is masked, skipped or
// counted in this project is decided here.

#ifndef RING_DIALECT_RING_IR_POSITIONS_H
#define RING_DIALECT_RING_IR_POSITIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace mlir::ring {

/// The positions `begin, begin + stride, ...`, `size` of them. `size` is at
/// least 1.
struct PositionRange {
  int64_t begin;
  int64_t size;
  int64_t stride = 1;

  int64_t last() const { return begin + (size - 1) * stride; }
  bool operator==(const PositionRange &other) const {
    return begin == other.begin && size == other.size && stride == other.stride;
  }
};

/// The positions of the rows of a shard, in row order.
using Positions = llvm::SmallVector<PositionRange, 2>;

/// The positions of the rows `first` to `first + count - 1` of a shard.
Positions sliceRows(llvm::ArrayRef<PositionRange> shard, int64_t first,
                    int64_t count);

/// The keys that a query at position `p` attends to: `p - before` to
/// `p + after`, where nothing means without bound.
///
///   full      before = ., after = .
///   causal    before = ., after = 0
///   window w  before = w - 1, after = 0
struct Band {
  std::optional<int64_t> before;
  std::optional<int64_t> after;

  bool isUnbounded() const { return !before && !after; }
  bool contains(int64_t query, int64_t key) const {
    return (!before || key >= query - *before) &&
           (!after || key <= query + *after);
  }
};

/// How much of a block of queries x keys a band lets through.
enum class Coverage { Empty, Partial, Full };

/// Classifies a block. Keys at `keyLimit` and beyond are padding, which nobody
/// attends to. Empty and Full are certain; Partial may also be said of a block
/// that is neither by its extreme positions alone.
Coverage classify(llvm::ArrayRef<PositionRange> queries,
                  llvm::ArrayRef<PositionRange> keys, const Band &band,
                  std::optional<int64_t> keyLimit = std::nullopt);

/// Counts the (query, key) pairs that the band lets through.
int64_t countPairs(llvm::ArrayRef<PositionRange> queries,
                   llvm::ArrayRef<PositionRange> keys, const Band &band,
                   std::optional<int64_t> keyLimit = std::nullopt);

/// What one device receives from the rank `source` places further round.
struct Transfer {
  int64_t source;
  int64_t bytes;
};

} // namespace mlir::ring

#endif // RING_DIALECT_RING_IR_POSITIONS_H
