// SPDX-License-Identifier: Apache-2.0
// The rows of a whole sequence put in the order of its shards, and back.

#include "ring/Support/SequenceOrder.h"

namespace mlir::ring {

/// The chunks of the sequence in the order in which the shards hold them, where
/// every range of positions is a chunk. For a zigzag over 2 ranks: 0 3, 1 2.
static SmallVector<int64_t> chunksInShardOrder(LayoutAttr layout) {
  SmallVector<int64_t> chunks;
  for (int64_t rank = 0; rank < layout.getRanks(); ++rank)
    for (const PositionRange &range : layout.positionsOf(rank))
      chunks.push_back((range.begin - layout.getOffset()) / range.size);
  return chunks;
}

/// The rows of a chunk where round after round goes from the first rank to the
/// last, 0 elsewhere. Then chunks are exchanged at once: round * ranks + rank
/// becomes rank * rounds + round.
static int64_t rowsDealtForth(LayoutAttr layout) {
  if (layout.getKind() == LayoutKind::Striped ||
      layout.getKind() == LayoutKind::BlockCyclic)
    return layout.getValue().chunkRows();
  return 0;
}

/// The chunks `order[0], order[1], ...` of the input, behind each other.
static Value takeChunks(TTIRBuilder &tensors, Value input, int64_t dim,
                        ArrayRef<int64_t> order) {
  int64_t rows = TTIRBuilder::typeOf(input).getDimSize(dim) /
                 static_cast<int64_t>(order.size());
  SmallVector<Value> chunks;
  for (int64_t chunk : order)
    chunks.push_back(
        tensors.slice(input, dim, chunk * rows, (chunk + 1) * rows));
  return tensors.concat(chunks, dim);
}

Value exchangeRows(TTIRBuilder &tensors, Value input, int64_t dim,
                   int64_t outer, int64_t inner) {
  SmallVector<int64_t> shape(TTIRBuilder::typeOf(input).getShape());
  SmallVector<int64_t> split(shape), permutation;
  int64_t rows = shape[dim] / (outer * inner);
  split[dim] = outer;
  split.insert(split.begin() + dim + 1, inner);
  // Chunks of several rows move as they are.
  if (rows > 1)
    split.insert(split.begin() + dim + 2, rows);
  for (int64_t index = 0, e = split.size(); index < e; ++index)
    permutation.push_back(index);
  std::swap(permutation[dim], permutation[dim + 1]);
  return tensors.reshape(
      tensors.permute(tensors.reshape(input, split), permutation), shape);
}

Value toShardOrder(TTIRBuilder &tensors, Value whole, int64_t dim,
                   LayoutAttr layout) {
  if (layout.getKind() == LayoutKind::Contiguous || layout.getRanks() == 1)
    return whole;
  if (int64_t rows = rowsDealtForth(layout))
    return exchangeRows(tensors, whole, dim, layout.getShardLength() / rows,
                        layout.getRanks());
  return takeChunks(tensors, whole, dim, chunksInShardOrder(layout));
}

Value fromShardOrder(TTIRBuilder &tensors, Value shards, int64_t dim,
                     LayoutAttr layout) {
  if (layout.getKind() == LayoutKind::Contiguous || layout.getRanks() == 1)
    return shards;
  if (int64_t rows = rowsDealtForth(layout))
    return exchangeRows(tensors, shards, dim, layout.getRanks(),
                        layout.getShardLength() / rows);
  SmallVector<int64_t> order = chunksInShardOrder(layout);
  SmallVector<int64_t> inverse(order.size());
  for (auto [place, chunk] : llvm::enumerate(order))
    inverse[chunk] = place;
  return takeChunks(tensors, shards, dim, inverse);
}

} // namespace mlir::ring
