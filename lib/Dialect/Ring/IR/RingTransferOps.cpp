// SPDX-License-Identifier: Apache-2.0
// Transfers as values: constraints, what they move, and folds.

#include "TransferShapes.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::ring {

//===----------------------------------------------------------------------===//
// ShiftOp
//===----------------------------------------------------------------------===//

LogicalResult ShiftOp::verify() {
  if (getInputs().empty())
    return emitOpError("expects at least one tensor");
  if (getInputs().getTypes() != getResults().getTypes())
    return emitOpError("expects every result to have its operand's type");
  return verifyReaching(*this, getReachingAttr(), getAxis());
}

SmallVector<Transfer> ShiftOp::getTransfers() {
  return shiftTransfers(getInputs().getTypes(), getByAttr().getInt(),
                        getAxis());
}

/// shift(x) by 0 -> x, and by any multiple of the ring, if all are reached.
LogicalResult ShiftOp::fold(FoldAdaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  if (getByAttr().getInt() % getAxis().getRanks() != 0 || getReachingAttr())
    return failure();
  results.assign(getInputs().begin(), getInputs().end());
  return success();
}

namespace {

/// shift(shift(x) by a) by b -> shift(x) by a + b, where nobody else uses the
/// inner one. A ring keeps its steps: there every shift is also attended to.
struct ShiftOfShift : OpRewritePattern<ShiftOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ShiftOp outer,
                                PatternRewriter &rewriter) const override {
    auto inner = outer.getInputs().front().getDefiningOp<ShiftOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(outer, "not a shift of a shift");
    if (inner.getAxis() != outer.getAxis())
      return rewriter.notifyMatchFailure(outer, "shifts on different axes");
    if (inner.getReachingAttr() || outer.getReachingAttr())
      return rewriter.notifyMatchFailure(outer, "not all ranks are reached");
    if (outer.getInputs() != ValueRange(inner.getResults()))
      return rewriter.notifyMatchFailure(outer, "other tensors are shifted");
    if (!llvm::all_of(inner.getResults(),
                      [](Value result) { return result.hasOneUse(); }))
      return rewriter.notifyMatchFailure(outer,
                                         "the inner shift has other uses");
    int64_t by = (inner.getByAttr().getInt() % inner.getAxis().getRanks() +
                  outer.getByAttr().getInt() % outer.getAxis().getRanks()) %
                 outer.getAxis().getRanks();
    rewriter.replaceOpWithNewOp<ShiftOp>(outer, outer.getResultTypes(),
                                         inner.getInputs(), by, outer.getAxis(),
                                         /*reaching=*/nullptr);
    return success();
  }
};

} // namespace

void ShiftOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<ShiftOfShift>(context);
}

//===----------------------------------------------------------------------===//
// AllGatherOp, AllToAllOp, GatherOp
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verify() {
  return verifyAllGather(*this, getInput().getType(), getResult().getType(),
                         getDimAttr().getInt(), getAxis());
}
SmallVector<Transfer> AllGatherOp::getTransfers() {
  return allGatherTransfers(getInput().getType(), getAxis());
}
/// A ring of one has nothing to gather.
OpFoldResult AllGatherOp::fold(FoldAdaptor) {
  bool alone = getAxis().getRanks() == 1;
  return alone && getInput().getType() == getType() ? getInput()
                                                    : OpFoldResult();
}

LogicalResult AllToAllOp::verify() {
  return verifyAllToAll(*this, getInput().getType(), getResult().getType(),
                        getSplitAttr().getInt(), getConcatAttr().getInt(),
                        getAxis());
}
SmallVector<Transfer> AllToAllOp::getTransfers() {
  return allToAllTransfers(getInput().getType(), getAxis());
}
/// A ring of one has nothing to trade; a trade and its reverse cancel.
OpFoldResult AllToAllOp::fold(FoldAdaptor) {
  if (getAxis().getRanks() == 1 && getInput().getType() == getType())
    return getInput();
  auto inner = getInput().getDefiningOp<AllToAllOp>();
  if (inner && inner.getAxis() == getAxis() &&
      inner.getSplit() == getConcat() && inner.getConcat() == getSplit() &&
      inner.getInput().getType() == getType())
    return inner.getInput();
  return {};
}

LogicalResult GatherOp::verify() {
  return verifyGather(*this, getInput().getType(), getResult().getType(),
                      getDimAttr().getInt(), getParts());
}
SmallVector<Transfer> GatherOp::getTransfers() {
  return gatherTransfers(getInput().getType(), getDimAttr().getInt(),
                         getParts(), getAxis());
}
/// Fetching all of one's own rows in order is no transfer.
OpFoldResult GatherOp::fold(FoldAdaptor) {
  if (getParts().size() != 1)
    return {};
  auto part = cast<PartAttr>(getParts()[0]);
  bool own = part.getSource() % getAxis().getRanks() == 0;
  bool all = part.getOffset() == 0 && part.getStride() == 1 &&
             getInput().getType() == getResult().getType();
  return own && all ? getInput() : OpFoldResult();
}

LogicalResult RouteOp::verify() {
  return verifyRoute(*this, getInput().getType(), getResult().getType(),
                     getDimAttr().getInt(), getLegs(), getAxis());
}
SmallVector<Transfer> RouteOp::getTransfers() {
  return routeTransfers(getInput().getType(), getDimAttr().getInt(), getLegs(),
                        getAxis());
}

} // namespace mlir::ring
