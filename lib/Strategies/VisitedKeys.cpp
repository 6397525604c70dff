// SPDX-License-Identifier: Apache-2.0
// Keys that are visited in another order than they lie in: the rows, and where
// they stand.

#include "ShardedSequence.h"
#include "ring/Analysis/VisitOrder.h"

namespace mlir::ring {

/// The dimension of the rows.
static constexpr int64_t kRows = 2;

/// Where the rows of a block stand, as lists: its keys are visited out of
/// order.
BlockAttr ShardedSequence::visitBlock(LayoutAttr queries, LayoutAttr keys,
                                      int64_t source, AxisAttr axis) {
  SmallVector<int64_t> counts[2], ranges[2];
  auto append = [&](size_t side, const Positions &rows) {
    counts[side].push_back(rows.size());
    for (const PositionRange &range : rows)
      ranges[side].append({range.begin, range.size, range.stride});
  };
  for (int64_t device = 0; device < axis.getNumDevices(); ++device) {
    auto onRank = [&](LayoutAttr layout, int64_t further) {
      int64_t ranks = layout.getRanks();
      int64_t rank = ranks == 1 ? 0 : axis.rankOf(device) + further;
      return layout.positionsOf((rank % ranks + ranks) % ranks);
    };
    append(0, onRank(queries, 0));
    append(1, visitPositions(onRank(keys, source), visits));
  }
  MLIRContext *context = attention.getContext();
  return BlockAttr::get(context, PlacesAttr::get(context, counts[0], ranges[0]),
                        PlacesAttr::get(context, counts[1], ranges[1]), axis);
}

BlockAttr ShardedSequence::blockHere(int64_t rows) {
  bool listed = traits().documents || !visits.empty();
  if (!listed || !blockPattern())
    return {};
  auto all = LayoutAttr::get(attention.getContext(), LayoutKind::Contiguous,
                             rows, /*ranks=*/1, /*offset=*/0);
  if (traits().documents)
    return documentBlock(BlockAttr::get(attention.getContext(), LayoutAttr(),
                                        all, /*source=*/0, /*first_key=*/0,
                                        axis()),
                         rows, rows);
  return visitBlock(all, all, /*source=*/0, axis());
}

Value ShardedSequence::reorder(Value rows, ArrayRef<int64_t> order) {
  int64_t count = TTIRBuilder::typeOf(rows).getDimSize(kRows);
  SmallVector<Attribute> legs(axis().getNumDevices(),
                              visitLegs(attention.getContext(), count, order));
  return route(rows, builder.getArrayAttr(legs), count);
}

Value ShardedSequence::inVisitOrder(Value rows) {
  return visits.empty() ? rows : reorder(rows, visits);
}

Value ShardedSequence::inRowOrder(Value visited) {
  if (visits.empty())
    return visited;
  SmallVector<int64_t> inverse(visits.size());
  for (auto [at, number] : llvm::enumerate(visits))
    inverse[number] = at;
  return reorder(visited, inverse);
}

} // namespace mlir::ring
