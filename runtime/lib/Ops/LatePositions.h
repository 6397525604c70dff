// SPDX-License-Identifier: Apache-2.0
//
// Where rows stand that an operand places: positions that only the running
// program knows, which may differ from batch entry to batch entry.

#ifndef RING_RUNTIME_OPS_LATEPOSITIONS_H
#define RING_RUNTIME_OPS_LATEPOSITIONS_H

#include "Ops/AttentionBlock.h"

#include <functional>

namespace ring::rt {

/// The operands that place the queries and the keys of a block; operands that
/// are absent leave a side to the block's own attributes.
struct PositionOperands {
  size_t queries, keys;

  bool any(const OpTypes &types) const {
    return types.input(queries) || types.input(keys);
  }
};

/// Checks integers `[1 or batch, rows]` on either side, beside a pattern.
Status verifyPositions(const OpTypes &types, PositionOperands operands,
                       size_t query);

/// The positions of the rows of every batch entry, or of all alike.
class LatePositions {
public:
  /// What the operands say, and the block for sides without one.
  static LatePositions of(OpRun &run, const AttentionBlock &block,
                          PositionOperands operands);
  /// Queries that start at the integers of operand `start`, and keys from
  /// `firstKey` on.
  static Result<LatePositions> fromStart(OpRun &run,
                                         const AttentionBlock &block,
                                         size_t start, int64_t firstKey);
  /// Rows of documents that end at the integers of operand `ends`. The block
  /// gets the band that tells them apart.
  static LatePositions ofDocuments(OpRun &run, AttentionBlock &block,
                                   size_t ends);

  /// One batch entry of the block, or all of them at once where rows stand
  /// alike: `first` is the first of `shape.batch` entries.
  using Visit = std::function<Status(
      const AttentionBlock &block, const kernels::TensorView &query,
      const HeadRows &key, const HeadRows &value, int64_t first)>;
  Status forEntries(OpRun &run, AttentionBlock block,
                    const kernels::TensorView &query, HeadRows key,
                    HeadRows value, const Visit &visit) const;

  /// Places the rows of a block whose batch entries are alike.
  bool areAlike() const { return queries.size() == 1 && keys.size() == 1; }
  void place(AttentionBlock &block, int64_t entry) const;

private:
  std::vector<Positions> queries, keys;
};

/// The state of the batch entries from `first` on.
kernels::AttentionState entriesOf(const kernels::AttentionState &state,
                                  const kernels::AttentionShape &shape,
                                  int64_t first);

/// The band by which work is counted before anybody knows where rows stand: all
/// meet.
Band bandToCount(const OpTypes &types, PositionOperands operands);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_LATEPOSITIONS_H
