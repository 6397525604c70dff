// SPDX-License-Identifier: Apache-2.0
// ring-outline-dilated: a dilated attention of one device becomes a composite
// with a decomposition, for every pattern that there is.

#include "DilatedComposite.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Conversion/Passes.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGOUTLINEDILATED
#include "ring/Conversion/Passes.h.inc"

namespace {

namespace ttcore = mlir::tt::ttcore;

/// The function that a composite stands for: the same attention, planned for a
/// device that has all rows. ring-shard writes out its slices.
func::FuncOp buildDecomposition(AttentionOp op, StringRef name,
                                ArrayRef<Type> results) {
  OpBuilder builder(op->getParentOfType<func::FuncOp>());
  builder.setInsertionPointAfter(op->getParentOfType<func::FuncOp>());
  Value inputs[] = {op.getQuery(), op.getKey(), op.getValue()};
  auto function = func::FuncOp::create(
      builder, op.getLoc(), name,
      builder.getFunctionType(TypeRange(ValueRange(inputs)), results));
  function.setPrivate();
  builder.setInsertionPointToEnd(function.addEntryBlock());
  auto alone = AxisAttr::get(op.getContext(), 0, {1, 1});
  auto plan = PlanAttr::get(op.getContext(), Strategy::Replicate, alone,
                            std::nullopt, LayoutKind::Contiguous,
                            Directions::Forward, Form::Explicit, Topology::Ring,
                            std::nullopt, /*num_links=*/1, ComputeAttr());
  auto attention = AttentionOp::create(
      builder, op.getLoc(), op.getOutput().getType(), /*joint_output=*/Type(),
      op.getLse() ? Type(op.getLse().getType()) : Type(),
      function.getArgument(0), function.getArgument(1), function.getArgument(2),
      /*joint_query=*/Value(), /*joint_key=*/Value(), /*joint_value=*/Value(),
      /*mask=*/Value(), /*sink=*/Value(), /*page_table=*/Value(),
      /*start=*/Value(), /*documents=*/Value(), op.getPatternAttr(),
      op.getScaleAttr(), op.getLengthAttr(), /*joint_length=*/IntegerAttr(),
      /*parallel=*/ParallelAttr(), plan,
      /*per_device=*/true);
  func::ReturnOp::create(builder, op.getLoc(), attention->getResults());
  return function;
}

class RingOutlineDilatedPass
    : public impl::RingOutlineDilatedBase<RingOutlineDilatedPass> {
public:
  using RingOutlineDilatedBase::RingOutlineDilatedBase;

  void runOnOperation() override {
    SmallVector<AttentionOp> attentions;
    getOperation().walk([&](AttentionOp op) {
      if (isa_and_nonnull<DilatedAttr>(op.getPatternAttr()) &&
          !op.getPlanAttr())
        attentions.push_back(op);
    });
    for (AttentionOp op : attentions)
      if (failed(outline(op)))
        return signalPassFailure();
  }

private:
  static LogicalResult outline(AttentionOp op) {
    auto caller = op->getParentOfType<func::FuncOp>();
    if (!caller)
      return op.emitOpError("expects to be in a function");
    SymbolTable symbols(
        SymbolTable::getNearestSymbolTable(caller->getParentOp()));
    unsigned suffix = 0;
    SmallString<32> name = SymbolTable::generateSymbolName<32>(
        kDilatedComposite,
        [&](StringRef taken) { return symbols.lookup(taken) != nullptr; },
        suffix);
    SmallVector<Type> results(op->getResultTypes());
    buildDecomposition(op, name, results);
    OpBuilder builder(op);
    DilatedParameters parameters{cast<DilatedAttr>(op.getPatternAttr()),
                                 op.getScaleAttr(), op.getLengthAttr()};
    auto composite = ttcore::CompositeOp::create(
        builder, op.getLoc(), results,
        ValueRange{op.getQuery(), op.getKey(), op.getValue()},
        kDilatedComposite, name, parameters.toDictionary());
    if (op.getParallelAttr())
      composite->setAttr(kParallelAttrName, op.getParallelAttr());
    op->replaceAllUsesWith(composite->getResults());
    op.erase();
    return success();
  }
};

} // namespace
} // namespace mlir::ring
