// SPDX-License-Identifier: Apache-2.0
//
// The sets of rows that attend to themselves, dilated segments or packed
// documents, as problems of the kernels, for the attention and for its
// gradients: strided rows need no copy.

#ifndef RING_RUNTIME_OPS_ROWSETS_H
#define RING_RUNTIME_OPS_ROWSETS_H

#include "Ops/AttentionBlock.h"
#include "Ops/SetPattern.h"

#include <algorithm>

namespace ring::rt {

/// Operands `first`, `first + 1` and `first + 2` of an instruction are queries,
/// keys and values.
class RowSets {
public:
  RowSets(const OpTypes &types, size_t first)
      : heads(types.input(first)->shape[1]),
        length(types.input(first + 1)->shape[2]),
        keyLimit(std::min(types.intOr("length", length), length)),
        pattern(*setPatternOf(types, length)), types(types), first(first) {}

  /// The sets of rows of one head.
  std::vector<DilatedRows> rowsOf(int64_t head) const {
    return pattern.rowsOf(head, heads, length);
  }
  /// The most rows of one chunk that attend to each other.
  int64_t largestSet() const { return pattern.largestSet(length); }
  /// (Query, key) pairs of all heads of one batch entry.
  double countPairs() const {
    return static_cast<double>(pattern.countPairs(heads, length, keyLimit));
  }

  /// The attention of some rows of one batch entry and head.
  kernels::AttentionShape shapeOf(int64_t queries, int64_t keys) const;

  /// The rows of a set in a chunk of operand `i`; `head` counts through all
  /// batch entries.
  kernels::TensorView strided(const OpRun &run, size_t i,
                              const DilatedRows &set, int64_t chunk,
                              int64_t head) const;

  /// Calls `visit(chunk of the keys, block)` for all keys that the queries of
  /// `chunk` see: those of all chunks, or of those up to its own, whose causal
  /// triangle is the only one.
  template <typename Visit>
  void forEachKeys(const DilatedRows &set, int64_t chunk, Visit visit) const {
    int64_t last = pattern.causal ? chunk : set.chunks - 1;
    for (int64_t from = 0; from <= last; ++from) {
      int64_t keys = set.countBefore(from, keyLimit);
      if (keys == 0)
        break;
      AttentionBlock block;
      block.problem.shape = shapeOf(set.count, keys);
      block.problem.scale = scaleOf(types, block.problem.shape.keyDim);
      if (pattern.causal && from == chunk)
        block.setBand(Band::causal());
      visit(from, block);
    }
  }

  /// The state of the queries of one chunk after all their keys.
  void attend(const OpRun &run, const DilatedRows &set, int64_t chunk,
              int64_t head, int64_t keyHead,
              const kernels::AttentionState &state, void *scratch) const;

  const int64_t heads, length;
  const int64_t keyLimit; ///< keys from this row on are padding
  const SetPattern pattern;

private:
  const OpTypes &types;
  size_t first;
};

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_ROWSETS_H
