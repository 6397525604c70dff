// SPDX-License-Identifier: Apache-2.0
// A paged cache: keys and values are put together from their pages, of which
// every device has all, or those that are dealt to it.

#include "ShardedAttention.h"

namespace mlir::ring {

static constexpr int64_t kNone = ShardingAttr::kReplicated;

static RankedTensorType typeOf(Value value) {
  return TTIRBuilder::typeOf(value);
}

/// Each device its share of every batch entry's pages, or all of them. The
/// table is filled up with page 0, whose keys the length then hides.
Value ShardedAttention::shardPageTable() {
  if (traits().cacheBlock)
    return shardTable(op.getPageTable(),
                      keyLayout ? keyLayout.getLength() / traits().pageRows
                                : traits().keys / traits().pageRows,
                      /*unused=*/0.0f);
  if (!keyLayout)
    return shard(op.getPageTable(), {kNone, kNone}, std::nullopt, {});
  auto pages = LayoutAttr::get(op.getContext(), LayoutKind::Contiguous,
                               keyLayout.getLength() / traits().pageRows,
                               ranks(), /*offset=*/0);
  return shard(op.getPageTable(), {kNone, axis().getIndex()}, 1, pages);
}

/// Pages are dealt as their rows are. A device counts its physical blocks from
/// 0 on: with 8 blocks on 2 devices, block 6 is block 2 of the second. A page
/// that is not used is numbered -1; who reads takes any, for nobody sees it.
Value ShardedAttention::shardTable(Value table, int64_t columns, float unused) {
  Type numbers = typeOf(table).getElementType(), f32 = builder.getF32Type();
  table = tensors().typecast(table, f32);
  Value first;
  if (keyLayout) {
    auto pages = LayoutAttr::get(op.getContext(), LayoutKind::BlockCyclic,
                                 columns, ranks(), /*offset=*/0,
                                 traits().cacheBlock / traits().pageRows);
    table = tensors().padTo(table, 1, columns, -1.0f);
    table = shard(table, {kNone, axis().getIndex()}, 1, pages);
    SmallVector<int64_t> firsts;
    for (int64_t rank = 0; rank < ranks(); ++rank)
      firsts.push_back(rank * (traits().pageBlocks / ranks()));
    first = tensors().reshape(numberOfRank(firsts), {1, 1});
  } else {
    table = shard(table, {kNone, kNone}, std::nullopt, {});
  }
  ArrayRef<int64_t> shape = typeOf(table).getShape();
  Value local = table;
  if (first)
    local = tensors().subtract(table, tensors().broadcast(first, shape));
  Value isUnused = tensors().lessThan(table, tensors().full(shape, f32, 0.0f));
  return tensors().typecast(
      tensors().where(isUnused, tensors().full(shape, f32, unused), local),
      numbers);
}

/// A page is one row of a table, and the pages of a batch entry are the rows
/// that its page table names:
///
///   [blocks, heads, rows, dim] -> [blocks, heads * rows * dim]
///   chosen by [batch, pages]   -> [batch, pages, heads * rows * dim]
///   heads before pages         -> [batch, heads, pages * rows, dim]
///
/// `cache` is this device's part of all pages.
Value ShardedAttention::gatherPages(Value cache, Value table) {
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

} // namespace mlir::ring
