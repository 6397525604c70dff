// SPDX-License-Identifier: Apache-2.0
// A paged cache: keys and values are put together from their pages, and queries
// may start at a position that only the running program knows.

#include "ShardedAttention.h"

#include <limits>

namespace mlir::ring {

static constexpr int64_t kRows = 2, kColumns = 3;

static RankedTensorType typeOf(Value value) {
  return TTIRBuilder::typeOf(value);
}

/// Each device its share of every batch entry's pages, or all of them. The
/// table is filled up with page 0, whose keys the length then hides.
Value ShardedAttention::shardPageTable() {
  constexpr int64_t kNone = ShardingAttr::kReplicated;
  if (!keyLayout)
    return shard(op.getPageTable(), {kNone, kNone}, std::nullopt, {});
  auto pages = LayoutAttr::get(op.getContext(), LayoutKind::Contiguous,
                               keyLayout.getLength() / traits().pageRows,
                               ranks(), /*offset=*/0);
  return shard(op.getPageTable(), {kNone, axis().getIndex()}, 1, pages);
}

/// A page is one row of a table, and the pages of a batch entry are the rows
/// that its page table names:
///
///   [blocks, heads, rows, dim] -> [blocks, heads * rows * dim]
///   chosen by [batch, pages]   -> [batch, pages, heads * rows * dim]
///   heads before pages         -> [batch, heads, pages * rows, dim]
Value ShardedAttention::gatherPages(Value cache, Value table) {
  cache = shardHeads(withRepeatedHeads(cache));
  ArrayRef<int64_t> shape = typeOf(cache).getShape();
  int64_t blocks = shape[0], heads = shape[1], rows = shape[2], dim = shape[3];
  int64_t batch = typeOf(table).getDimSize(0);
  int64_t pages = typeOf(table).getDimSize(1);
  Value chosen = tensors().embedding(
      table, tensors().reshape(cache, {blocks, heads * rows * dim}));
  chosen = tensors().reshape(chosen, {batch, pages, heads, rows, dim});
  chosen = tensors().permute(chosen, {0, 2, 1, 3, 4});
  return tensors().reshape(chosen, {batch, heads, pages * rows, dim});
}

Value ShardedAttention::positionsOfChunk() {
  constexpr int64_t kNone = ShardingAttr::kReplicated;
  Value rows;
  if (queryLayout) {
    // Constants are on every device, whosever the other tensors are.
    auto sharding = ShardingAttr::get(op.getContext(),
                                      {kNone, kNone, axis().getIndex(), kNone},
                                      axis().getMesh(), kRows, queryLayout);
    rows = ShardOp::create(
        builder, op.getLoc(),
        RankedTensorType::get({1, 1, queryLayout.getShardLength(), 1},
                              builder.getF32Type()),
        tensors().arange(0, queryLayout.getLength(), 1, kRows), sharding,
        /*replicated=*/true);
  } else {
    rows = tensors().arange(0, traits().queries, 1, kRows);
  }
  Value start =
      shard(op.getChunkStart(),
            SmallVector<int64_t>(op.getChunkStart().getType().getRank(), kNone),
            std::nullopt, {});
  start = tensors().typecast(tensors().reshape(start, {1, 1, 1, 1}),
                             builder.getF32Type());
  return tensors().add(rows,
                       tensors().broadcast(start, typeOf(rows).getShape()));
}

/// 0 for a key that the query attends to, else -inf. With 32 keys on a device,
/// key j of the rank one place before rank 2 has position 32 + j.
Value ShardedAttention::chunkMask(int64_t source) {
  int64_t queries = typeOf(queryPositions).getDimSize(kRows);
  int64_t keys = keyLayout ? keyLayout.getShardLength() : traits().keys;
  SmallVector<int64_t> shape{1, 1, queries, keys};
  auto spread = [&](Value value) { return tensors().broadcast(value, shape); };
  Value column = spread(tensors().arange(0, keys, 1, kColumns));
  if (keyLayout && ranks() > 1) {
    SmallVector<int64_t> first;
    for (int64_t rank = 0; rank < ranks(); ++rank)
      first.push_back(((rank + source) % ranks() + ranks()) % ranks() * keys);
    column = tensors().add(column, spread(numberOfRank(first)));
  }
  Value row = spread(queryPositions);
  Type f32 = builder.getF32Type();
  Value keep = tensors().lessEqual(column, row);
  if (std::optional<int64_t> before = traits().band.before)
    keep = tensors().multiply(
        keep, tensors().greaterEqual(
                  column, tensors().subtract(
                              row, tensors().full(shape, f32, *before))));
  return tensors().where(
      keep, tensors().full(shape, f32, 0.0f),
      tensors().full(shape, f32, -std::numeric_limits<float>::infinity()));
}

} // namespace mlir::ring
