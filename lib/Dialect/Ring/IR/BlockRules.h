// SPDX-License-Identifier: Apache-2.0
// What ring.partial, ring.accumulate and ring.partial_backward have in common:
// the constraints of a block of queries x keys, and the pairs it stands for.

#ifndef RING_LIB_DIALECT_RING_IR_BLOCKRULES_H
#define RING_LIB_DIALECT_RING_IR_BLOCKRULES_H

#include "AttentionShapes.h"
#include "mlir/IR/Diagnostics.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {

/// The positions of a block: one for every row, and by which its pattern can be
/// applied.
template <typename BlockOp>
LogicalResult verifyPlaces(BlockOp op, BlockAttr block) {
  RankedTensorType query = op.getQuery().getType(), key = op.getKey().getType();
  if (block.getKeyPlaces()) {
    if (block.getQueryPlaces().getRows() != query.getDimSize(2) ||
        block.getKeyPlaces().getRows() != key.getDimSize(2))
      return op.emitOpError("expects ")
             << block.getQueryPlaces().getRows() << " queries and "
             << block.getKeyPlaces().getRows()
             << " keys by the places of its block, but got "
             << query.getDimSize(2) << " and " << key.getDimSize(2);
    return success();
  }
  LayoutAttr queries = block.getQueries();
  if (op.getPatternAttr() && !queries && !op.getQueryPositions())
    return op.emitOpError("expects a layout of the queries in its block, or "
                          "their positions, beside a pattern");
  if (queries && queries.getShardLength() != query.getDimSize(2))
    return op.emitOpError("expects ")
           << queries.getShardLength()
           << " queries by the layout of its block, but got "
           << query.getDimSize(2);
  int64_t rows = block.getKeys().getShardLength() - block.getFirstKey();
  if (key.getDimSize(2) > rows)
    return op.emitOpError("expects at most ")
           << rows << " keys by the layout of its block, but got "
           << key.getDimSize(2);
  return success();
}

/// The constraints that all blocks share.
template <typename BlockOp>
LogicalResult verifyBlock(BlockOp op) {
  RankedTensorType query = op.getQuery().getType(), key = op.getKey().getType();
  if (failed(verifyQueryKeyValue(op, query, key, op.getValue().getType())))
    return failure();
  if (op.getBlockAttr() && failed(verifyPlaces(op, op.getBlockAttr())))
    return failure();
  if (op.getMask() &&
      failed(verifyMask(op, op.getMask().getType(), query, key)))
    return failure();
  int64_t batch = query.getDimSize(0);
  if ((op.getQueryPositions() || op.getKeyPositions()) && !op.getPatternAttr())
    return op.emitOpError("expects a pattern beside positions");
  if (op.getQueryPositions() &&
      failed(verifyPositions(op, "queries", op.getQueryPositions().getType(),
                             batch, query.getDimSize(2))))
    return failure();
  if (op.getKeyPositions() &&
      failed(verifyPositions(op, "keys", op.getKeyPositions().getType(), batch,
                             key.getDimSize(2))))
    return failure();
  if (op.getPatternAttr() && !op.getPatternAttr().getBand())
    return op.emitOpError("expects a pattern that is one band, but got ")
           << op.getPatternAttr();
  if (IntegerAttr length = op.getLengthAttr(); length && length.getInt() <= 0)
    return op.emitOpError("expects a positive length, but got ")
           << length.getInt();
  return success();
}

/// Calls `use(queries, keys, limit)` with the positions of a block's rows.
template <typename BlockOp, typename Use>
auto withPositions(BlockOp op, int64_t device, Use use) {
  std::optional<int64_t> limit;
  if (op.getLengthAttr())
    limit = op.getLengthAttr().getInt();
  int64_t queryRows = op.getQuery().getType().getDimSize(2);
  int64_t keyRows = op.getKey().getType().getDimSize(2);
  if (BlockAttr block = op.getBlockAttr())
    return use(block.queriesOn(device, queryRows),
               block.keysOn(device, keyRows), limit);
  Positions queries{{0, queryRows}};
  Positions keys{{0, keyRows}};
  return use(queries, keys, limit);
}

/// The band of a block's pattern; without one it is unbounded.
template <typename BlockOp>
Band bandOf(BlockOp op) {
  return op.getPatternAttr() ? *op.getPatternAttr().getBand() : Band{};
}

/// Whether only the running program knows where rows stand.
template <typename BlockOp>
bool hasLatePositions(BlockOp op) {
  return op.getQueryPositions() || op.getKeyPositions();
}

/// The (query, key) pairs that `device` computes, over all query heads. Rows
/// that stand where only the running program knows count as if they met.
template <typename BlockOp>
int64_t countBlockPairs(BlockOp op, int64_t device) {
  Band band = hasLatePositions(op) ? Band{} : bandOf(op);
  return withPositions(op, device,
                       [&](const auto &queries, const auto &keys, auto limit) {
                         return op.getQuery().getType().getDimSize(1) *
                                ring::countPairs(queries, keys, band, limit);
                       });
}

/// How much of a block `device` has to compute.
template <typename BlockOp>
Coverage coverageOf(BlockOp op, int64_t device) {
  if (hasLatePositions(op))
    return Coverage::Partial;
  return withPositions(op, device,
                       [&](const auto &queries, const auto &keys, auto limit) {
                         return classify(queries, keys, bandOf(op), limit);
                       });
}

} // namespace mlir::ring

#endif // RING_LIB_DIALECT_RING_IR_BLOCKRULES_H
