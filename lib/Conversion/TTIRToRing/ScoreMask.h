// SPDX-License-Identifier: Apache-2.0
// What a model adds to its scores, or puts in their place, before the softmax.

#ifndef RING_LIB_CONVERSION_TTIRTORING_SCOREMASK_H
#define RING_LIB_CONVERSION_TTIRTORING_SCOREMASK_H

#include "ring/Support/TTIRBuilder.h"

#include <optional>

namespace mlir::ring {

/// Whether a score of this size has no weight: models write -inf, the lowest
/// number of a type, or a large one such as -1e9.
bool dropsScore(double score);

/// How many of each an attention has.
struct ScoreSizes {
  int64_t batch, heads, queries, keys;
};

/// A tensor that is added to scores, or a condition that drops some of them.
struct ScoreMask {
  Value tensor;
  /// The scores that it broadcasts to.
  RankedTensorType scores;
  /// What dropped scores become, where the tensor is a condition.
  std::optional<double> dropped;
  bool keepsWhereTrue = true;

  /// Whether it can be a mask of an attention.
  bool fits(const ScoreSizes &sizes);

  /// The mask to be added to the scores, `[1 or batch, 1 or heads, 1 or
  /// queries, keys]`, with `other` added to it if there is one.
  Value addTo(TTIRBuilder &tensors, Value other, const ScoreSizes &sizes);

private:
  SmallVector<int64_t> shape(const ScoreSizes &sizes) const;
  Value fourDimensions(TTIRBuilder &tensors, const ScoreSizes &sizes);
};

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_SCOREMASK_H
