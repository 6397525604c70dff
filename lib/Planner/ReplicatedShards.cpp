// SPDX-License-Identifier: Apache-2.0
// Counts what programs are made of where they cut and join on the devices.

#include "ReplicatedShards.h"
#include "LiveBytes.h"

namespace mlir::ring {

static double real(int64_t value) { return static_cast<double>(value); }

/// A slice for each of the pieces, then their concatenation. A slice reads all
/// that it is taken from.
static void addReordering(double bytes, int64_t pieces,
                          SmallVectorImpl<double> &moved) {
  moved.append(pieces, bytes + bytes / real(pieces));
  if (pieces > 1)
    moved.push_back(2 * bytes);
}

/// The ranges of rows that all ranks have: 8 of a zigzag over 4.
static int64_t rangesOf(LayoutAttr layout) {
  int64_t ranges = 0;
  for (int64_t rank = 0; rank < layout.getRanks(); ++rank)
    ranges += static_cast<int64_t>(layout.positionsOf(rank).size());
  return ranges;
}

SmallVector<double> bytesToCut(ShardOp op) {
  SmallVector<double> moved;
  ShardingAttr sharding = op.getSharding();
  double bytes = bytesOf(op.getInput());
  if (LayoutAttr layout = sharding.getLayout()) {
    int64_t rows = op.getInput().getType().getDimSize(*sharding.getSequence());
    double filled = bytes * real(layout.getLength()) / real(rows);
    if (layout.getLength() != rows)
      moved.push_back(bytes + filled);
    bytes = filled;
    if (layout.getKind() != LayoutKind::Contiguous)
      addReordering(bytes, rangesOf(layout), moved);
  }
  for (int64_t dim = 0, e = sharding.getAxes().size(); dim < e; ++dim)
    for (int64_t axis : sharding.axesOf(dim)) {
      double part = bytes / real(sharding.getMesh()[axis]);
      moved.push_back(bytes + part);
      bytes = part;
    }
  return moved;
}

SmallVector<double> bytesToOrder(double bytes, int64_t rows,
                                 LayoutAttr layout) {
  SmallVector<double> moved;
  double filled = bytes * real(layout.getLength()) / real(rows);
  // Stripes are put side by side row by row.
  if (layout.getKind() == LayoutKind::Striped)
    addReordering(filled, layout.getShardLength(), moved);
  else if (layout.getKind() != LayoutKind::Contiguous)
    addReordering(filled, rangesOf(layout), moved);
  if (layout.getLength() != rows)
    moved.push_back(filled + bytes);
  return moved;
}

SmallVector<double> bytesToOrder(UnshardOp op) {
  LayoutAttr layout = op.getSharding().getLayout();
  if (!layout)
    return {};
  return bytesToOrder(bytesOf(op.getResult()),
                      op.getType().getDimSize(*op.getSharding().getSequence()),
                      layout);
}

} // namespace mlir::ring
