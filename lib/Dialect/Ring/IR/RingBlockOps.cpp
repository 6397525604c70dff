// SPDX-License-Identifier: Apache-2.0
// Blocks of attention and what joins them: constraints, work, and folds.

#include "AttentionShapes.h"
#include "BlockRules.h"
#include "mlir/IR/Diagnostics.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {
namespace {

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
