// SPDX-License-Identifier: Apache-2.0
// The pattern of a block as an additive mask, which every device computes from
// its own positions: those that are listed by device, and those that only the
// running program knows.

#ifndef RING_SUPPORT_POSITIONSMASK_H
#define RING_SUPPORT_POSITIONSMASK_H

#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Support/TTIRBuilder.h"

#include <string>

namespace mlir::ring {

/// The rows of a block, and the tensors of their positions, if there are such.
struct MaskedBlock {
  int64_t queries, keys;
  Value queryPositions, keyPositions;
  BlockAttr block;
  Band band;
  std::optional<int64_t> limit; ///< keys from here on are padding

  /// Of a ring.partial, a ring.accumulate or a ring.partial_backward.
  template <typename BlockOp>
  explicit MaskedBlock(BlockOp op)
      : queries(op.getQuery().getType().getDimSize(2)),
        keys(op.getKey().getType().getDimSize(2)),
        queryPositions(op.getQueryPositions()),
        keyPositions(op.getKeyPositions()), block(op.getBlockAttr()),
        band(op.getBand()) {
    if (op.getLengthAttr())
      limit = op.getLengthAttr().getInt();
  }

  bool isLate() const { return queryPositions || keyPositions; }
  /// Whether its rows stand in too many places for pieces to be cut there.
  bool needsMask() const;
};

/// Why the positions of a block cannot be numbers of a mask; nothing if they
/// can.
std::optional<std::string> misfitOf(const MaskedBlock &block);

/// The sum of two masks, in f32, as large as both.
Value addMasks(OpBuilder &builder, Location loc, Value lhs, Value rhs);

/// 0 where a query of this device sees a key, -inf elsewhere: `[1 or batch, 1,
/// queries, keys]` of f32. No value where every query sees every key.
Value buildMask(OpBuilder &builder, Location loc, const MaskedBlock &block);

/// Gives a block a mask in place of what it says of positions, beside the mask
/// that it has:
///
///   %out, %lse = ring.partial %q, %k, %v pattern(...) block(<query_places...
///   -> ring.partial %q, %k, %v mask(%own)
template <typename BlockOp>
LogicalResult maskPositions(BlockOp op) {
  MaskedBlock block(op);
  if (std::optional<std::string> misfit = misfitOf(block))
    return op.emitOpError("cannot be made the same on every device: ")
           << *misfit;
  OpBuilder builder(op);
  Value mask = buildMask(builder, op.getLoc(), block);
  if (mask && op.getMask())
    mask = addMasks(builder, op.getLoc(), op.getMask(), mask);
  if (mask)
    op.getMaskMutable().assign(mask);
  op.getQueryPositionsMutable().clear();
  op.getKeyPositionsMutable().clear();
  op.removeBlockAttr();
  op.removePatternAttr();
  op.removeLengthAttr();
  return success();
}

} // namespace mlir::ring

#endif // RING_SUPPORT_POSITIONSMASK_H
