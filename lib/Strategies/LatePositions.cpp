// SPDX-License-Identifier: Apache-2.0
// Positions that only the running program knows: of queries that start
// somewhere in a cache, and of documents that stand behind each other.

#include "ShardedSequence.h"

namespace mlir::ring {

static constexpr int64_t kNone = ShardingAttr::kReplicated;
static constexpr int64_t kRows = 2;

static RankedTensorType typeOf(Value value) {
  return TTIRBuilder::typeOf(value);
}

/// `0, 1, ...` as `[1, rows]` of i32.
static Value countRows(TTIRBuilder &tensors, int64_t rows, Type i32) {
  return tensors.reshape(
      tensors.typecast(tensors.arange(0, rows, 1, kRows), i32), {1, rows});
}

Value ShardedSequence::shardPositions(Value whole, LayoutAttr layout) {
  if (!layout)
    return shard(whole, {kNone, kNone}, std::nullopt, {});
  // Rows that are filled up take no part.
  whole = tensors().padTo(whole, 1, layout.getLength(), -1.0f);
  return shard(whole, {kNone, axis().getIndex()}, 1, layout);
}

Value ShardedSequence::asRows(Value positions) {
  ArrayRef<int64_t> shape = typeOf(positions).getShape();
  return tensors().reshape(positions, {shape[0], 1, shape[1], 1});
}

Value ShardedSequence::asPositions(Value rows) {
  if (!rows)
    return {};
  ArrayRef<int64_t> shape = typeOf(rows).getShape();
  return tensors().reshape(rows, {shape[0], shape[kRows]});
}

Value ShardedSequence::positionsFromStart(Value start) {
  Type i32 = builder.getI32Type();
  int64_t entries = typeOf(start).getNumElements();
  SmallVector<int64_t> shape{entries, traits().queries};
  start = tensors().reshape(tensors().typecast(start, i32), {entries, 1});
  // One query stands where it starts: nothing to count, launched or waited for.
  if (traits().queries == 1)
    return shardPositions(start, queryLayout);
  Value rows = countRows(tensors(), traits().queries, i32);
  rows = tensors().broadcast(rows, shape);
  start = tensors().broadcast(start, shape);
  return shardPositions(tensors().add(rows, start), queryLayout);
}

/// Every document is moved up by the length of the sequence times its number.
/// Rows of one are then nearer to each other than the sequence is long, rows of
/// two are not, and a window tells them apart:
///
///   ends 3, 5 of 6 rows   0 1 2 | 9 10 | -1
Value ShardedSequence::positionsInDocuments(Value ends) {
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  int64_t rows = traits().keys, documents = typeOf(ends).getNumElements();
  auto number = [&](ArrayRef<int64_t> shape, int32_t value) {
    return tensors().constant(
        DenseElementsAttr::get(RankedTensorType::get(shape, i32), value));
  };
  Value row = countRows(tensors(), rows, i32);
  // How many documents end before a row: its document's number.
  SmallVector<int64_t> table{rows, documents};
  auto spread = [&](Value numbers, ArrayRef<int64_t> shape) {
    return tensors().broadcast(
        tensors().reshape(tensors().typecast(numbers, f32), shape), table);
  };
  Value endOfEach = spread(ends, {1, documents});
  Value before = tensors().lessEqual(endOfEach, spread(row, {rows, 1}));
  Value document = tensors().reshape(
      tensors().typecast(tensors().sumLast(before), i32), {1, rows});
  Value moved =
      tensors().add(row, tensors().multiply(document, number({1, rows}, rows)));
  Value inNone = tensors().equal(document, number({1, rows}, documents));
  return tensors().where(inNone, number({1, rows}, -1), moved);
}

PatternAttrInterface ShardedSequence::patternOfDocuments() {
  int64_t rows = traits().keys;
  return WindowAttr::get(attention.getContext(), rows - 1,
                         traits().isCausal() ? 0 : rows - 1);
}

} // namespace mlir::ring
