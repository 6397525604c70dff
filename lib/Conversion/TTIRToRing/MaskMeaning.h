// SPDX-License-Identifier: Apache-2.0
// What masks say that a pattern or a length says as well.

#ifndef RING_LIB_CONVERSION_TTIRTORING_MASKMEANING_H
#define RING_LIB_CONVERSION_TTIRTORING_MASKMEANING_H

#include "mlir/IR/Value.h"

#include <optional>

namespace mlir::ring {

/// A mask that is added to scores, taken apart.
struct MaskMeaning {
  /// No query sees a key behind it. Which key that is depends on the row, so
  /// that the rows have to be those of all queries.
  bool causal = false;
  /// No query sees the keys from this one on.
  std::optional<int64_t> length;
  /// What is to be added beside; null if the two say all.
  Value rest;

  bool saysAll() const { return !rest; }
};

/// Reads a mask of `[batch or 1, heads or 1, queries or 1, keys]`: constants,
/// `where` over a constant condition or one that compares positions of queries
/// with those of keys or with a number, all of them joined, and sums of them.
MaskMeaning readMask(Value mask);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_MASKMEANING_H
