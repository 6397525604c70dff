// SPDX-License-Identifier: Apache-2.0
// Blocks of attention and what joins them: constraints, work, and folds.

#include "AttentionShapes.h"
#include "mlir/IR/Diagnostics.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {
namespace {

/// The constraints that ring.partial and ring.accumulate share.
template <typename BlockOp>
LogicalResult verifyBlock(BlockOp op) {
  RankedTensorType query = op.getQuery().getType(), key = op.getKey().getType();
  if (failed(verifyQueryKeyValue(op, query, key, op.getValue().getType())))
    return failure();
  if (BlockAttr block = op.getBlockAttr()) {
    LayoutAttr queries = block.getQueries();
    if (op.getPatternAttr() && !queries)
      return op.emitOpError("expects a layout of the queries in its block "
                            "beside a pattern");
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
  }
  if (op.getMask() &&
      failed(verifyMask(op, op.getMask().getType(), query, key)))
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
    return use(block.queriesOn(device, queryRows), block.keysOn(device, keyRows), limit);
  Positions queries{{0, queryRows}};
  Positions keys{{0, keyRows}};
  return use(queries, keys, limit);
}

template <typename BlockOp>
Band bandOf(BlockOp op) {
  return op.getPatternAttr() ? *op.getPatternAttr().getBand() : Band{};
}

template <typename BlockOp>
int64_t countBlockPairs(BlockOp op, int64_t device) {
  return withPositions(op, device, [&](auto queries, auto keys, auto limit) {
    return op.getQuery().getType().getDimSize(1) *
           ring::countPairs(queries, keys, bandOf(op), limit);
  });
}

template <typename BlockOp>
Coverage coverageOf(BlockOp op, int64_t device) {
  return withPositions(op, device, [&](auto queries, auto keys, auto limit) {
    return classify(queries, keys, bandOf(op), limit);
  });
}

/// Output `[B,H,S,D]` and lse `[B,H,S,1]` of the same rows.
LogicalResult verifyPart(Operation *op, RankedTensorType output,
                         RankedTensorType lse) {
  SmallVector<int64_t> expected(output.getShape());
  expected[3] = 1;
  return verifyShape(op, "lse", lse.getShape(), expected);
}

} // namespace

//===----------------------------------------------------------------------===//
// PartialOp and AccumulateOp
//===----------------------------------------------------------------------===//

LogicalResult PartialOp::verify() {
  if (failed(verifyBlock(*this)))
    return failure();
  RankedTensorType query = getQuery().getType(), output = getOutput().getType();
  SmallVector<int64_t> expected(query.getShape());
  expected[3] = getValue().getType().getDimSize(3);
  if (failed(verifyShape(*this, "output", output.getShape(), expected)) ||
      failed(verifyPart(*this, output, getLse().getType())))
    return failure();
  if (output.getElementType() != query.getElementType() &&
      !output.getElementType().isF32())
    return emitOpError("expects the output's element type to be ")
           << query.getElementType() << " or f32, but got "
           << output.getElementType();
  return success();
}

Band PartialOp::getBand() { return bandOf(*this); }
int64_t PartialOp::countPairs(int64_t device) {
  return countBlockPairs(*this, device);
}
Coverage PartialOp::getCoverage(int64_t device) {
  return coverageOf(*this, device);
}

LogicalResult AccumulateOp::verify() {
  if (failed(verifyBlock(*this)))
    return failure();
  SmallVector<int64_t> expected(getQuery().getType().getShape());
  expected[3] = getValue().getType().getDimSize(3);
  return verifyShape(*this, "state", getState().getType().getShape(), expected);
}

Band AccumulateOp::getBand() { return bandOf(*this); }
int64_t AccumulateOp::countPairs(int64_t device) {
  return countBlockPairs(*this, device);
}
Coverage AccumulateOp::getCoverage(int64_t device) {
  return coverageOf(*this, device);
}

//===----------------------------------------------------------------------===//
// EmptyOp, MergeOp, InitOp, FinishOp
//===----------------------------------------------------------------------===//

LogicalResult EmptyOp::verify() {
  RankedTensorType output = getOutput().getType();
  if (failed(verifyPart(*this, output, getLse().getType())))
    return failure();
  if (getSink())
    return verifySink(*this, getSink().getType(), output.getDimSize(1));
  return success();
}

LogicalResult MergeOp::verify() {
  return verifyPart(*this, getOutput().getType(), getLse().getType());
}

/// merge(empty, x) -> x and merge(x, empty) -> x. A sink is not empty.
LogicalResult MergeOp::fold(FoldAdaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  auto isEmpty = [](Value output, Value lse) {
    auto empty = output.getDefiningOp<EmptyOp>();
    return empty && empty == lse.getDefiningOp<EmptyOp>() && !empty.getSink();
  };
  if (isEmpty(getLhs(), getLhsLse()))
    results.assign({getRhs(), getRhsLse()});
  else if (isEmpty(getRhs(), getRhsLse()))
    results.assign({getLhs(), getLhsLse()});
  return success(!results.empty());
}

LogicalResult InitOp::verify() {
  if (!getSink())
    return success();
  return verifySink(*this, getSink().getType(),
                    getState().getType().getShape()[1]);
}

LogicalResult FinishOp::verify() {
  if (failed(verifyShape(*this, "output", getOutput().getType().getShape(),
                         getState().getType().getShape())))
    return failure();
  return verifyPart(*this, getOutput().getType(), getLse().getType());
}

//===----------------------------------------------------------------------===//
// SelectOp
//===----------------------------------------------------------------------===//

LogicalResult SelectOp::verify() {
  int64_t entries = getChoice().size(), ranks = getAxis().getRanks();
  if (entries != ranks)
    return emitOpError("expects one choice for each of ")
           << ranks << " ranks, but got " << entries;
  return success();
}

/// A choice that every rank makes alike, or between equals, is no choice.
OpFoldResult SelectOp::fold(FoldAdaptor) {
  if (getLhs() == getRhs() ||
      llvm::all_of(getChoice(), [](bool first) { return first; }))
    return getLhs();
  if (llvm::none_of(getChoice(), [](bool first) { return first; }))
    return getRhs();
  return {};
}

} // namespace mlir::ring
