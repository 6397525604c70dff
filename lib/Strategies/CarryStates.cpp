// SPDX-License-Identifier: Apache-2.0
// One state is carried through all parts of the same queries, and normalised
// once at the end instead of at every part.

#include "ProgramOrder.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Strategies/DeviceProgram.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {
namespace {

/// A part of an attention as two values: the output and its log-sum-exp.
struct Part {
  Value output, lse;

  /// The op that makes both, if it is an `OpTy`.
  template <typename OpTy>
  OpTy getDefiningOp() const {
    auto op = output.getDefiningOp<OpTy>();
    bool both = op && op.getOutput() == output && op.getLse() == lse;
    return both ? op : OpTy();
  }
};

Part leftOf(MergeOp op) { return {op.getLhs(), op.getLhsLse()}; }
Part rightOf(MergeOp op) { return {op.getRhs(), op.getRhsLse()}; }

/// The merge that takes both results of `op` as one part, if nothing else uses
/// either of them.
template <typename OpTy>
MergeOp soleMergeOf(OpTy op) {
  if (!op.getOutput().hasOneUse() || !op.getLse().hasOneUse())
    return {};
  auto merge = dyn_cast<MergeOp>(*op.getOutput().user_begin());
  if (!merge)
    return {};
  for (Part side : {leftOf(merge), rightOf(merge)})
    if (side.output == op.getOutput() && side.lse == op.getLse())
      return merge;
  return {};
}

/// Whether no device has to compute any of the block.
bool isNeverComputed(PartialOp op) {
  BlockAttr block = op.getBlockAttr();
  if (!block)
    return op.getCoverage(/*device=*/0) == Coverage::Empty;
  AxisAttr axis = block.getAxis();
  if (block.getKeyPlaces()) {
    for (int64_t device = 0; device < axis.getNumDevices(); ++device)
      if (op.getCoverage(device) != Coverage::Empty)
        return false;
    return true;
  }
  // Positions depend on the rank alone, so one ring of the mesh stands for all.
  for (int64_t rank = 0; rank < block.getRanks(); ++rank)
    if (op.getCoverage(block.deviceOf(rank)) != Coverage::Empty)
      return false;
  return true;
}

StateType stateTypeOf(Value output) {
  return StateType::get(output.getContext(),
                        cast<RankedTensorType>(output.getType()).getShape());
}

/// Adds the block of `partial` to `state`.
Value accumulate(OpBuilder &builder, PartialOp partial, Value state) {
  auto op = AccumulateOp::create(
      builder, partial.getLoc(), state.getType(), partial.getQuery(),
      partial.getKey(), partial.getValue(), state, partial.getMask(),
      partial.getQueryPositions(), partial.getKeyPositions(),
      partial.getPatternAttr(), partial.getScaleAttr(), partial.getLengthAttr(),
      partial.getBlockAttr());
  op->setDiscardableAttrs(partial->getDiscardableAttrDictionary());
  return op.getResult();
}

/// What a tree of merges joins, sorted by what can become of it.
struct Leaves {
  /// Parts that can be accumulated, and that nothing else uses.
  SmallVector<PartialOp> partials;
  /// What the state starts from: a sink, or a state that was carried up to
  /// here.
  EmptyOp sink;
  FinishOp base;
  /// Parts that arrive finished: by a transfer, or because others use them too.
  SmallVector<Part> finished;

  size_t numCarried() const {
    return partials.size() + (sink ? 1 : 0) + (base ? 1 : 0);
  }
};

/// Whether only merges and choices by rank use a finished state: then carrying
/// it on costs nothing.
bool isUsedByPartsAlone(FinishOp op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<MergeOp, SelectOp>(user);
  });
}

/// The leaves of the tree of merges below `root`, in any order of operands. A
/// merge that something else uses too is a leaf.
Leaves collectLeaves(MergeOp root, const ProgramOrder &order) {
  Leaves leaves;
  SmallVector<Part> open = {rightOf(root), leftOf(root)};
  while (!open.empty()) {
    Part part = open.pop_back_val();
    Operation *op = part.output.getDefiningOp();
    bool here = op && op->getBlock() == root->getBlock();
    if (auto merge = part.getDefiningOp<MergeOp>();
        merge && here && soleMergeOf(merge)) {
      open.push_back(rightOf(merge));
      open.push_back(leftOf(merge));
    } else if (auto partial = part.getDefiningOp<PartialOp>();
               partial && here && soleMergeOf(partial)) {
      leaves.partials.push_back(partial);
    } else if (auto empty = part.getDefiningOp<EmptyOp>();
               empty && (!empty.getSink() || (here && !leaves.sink))) {
      if (empty.getSink())
        leaves.sink = empty;
    } else if (auto finish = part.getDefiningOp<FinishOp>();
               finish && here && !leaves.base && isUsedByPartsAlone(finish)) {
      leaves.base = finish;
    } else {
      leaves.finished.push_back(part);
    }
  }
  // A state has one beginning.
  if (leaves.sink && leaves.base) {
    leaves.finished.push_back({leaves.sink.getOutput(), leaves.sink.getLse()});
    leaves.sink = {};
  }
  llvm::sort(leaves.partials,
             [&](PartialOp a, PartialOp b) { return order.isBefore(a, b); });
  return leaves;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// A part that no device computes is the part of no keys.
///
///   %o, %l = ring.partial %q, %k, %v ...     (above the diagonal everywhere)
/// becomes
///   %o, %l = ring.empty
/// which merges fold away. Transfers that served it alone are dead then.
struct DropUncomputedPart : OpRewritePattern<PartialOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PartialOp op,
                                PatternRewriter &rewriter) const override {
    if (!isNeverComputed(op))
      return rewriter.notifyMatchFailure(op, "some device computes it");
    rewriter.replaceOpWithNewOp<EmptyOp>(op, op.getResultTypes(),
                                         /*sink=*/Value());
    return success();
  }
};

/// A tree of merges becomes a chain in program order; each block is added where
/// its partial stood, so that transfers stay where they were.
///
///   %o0, %l0 = ring.partial %q, %k0, %v0
///   %o1, %l1 = ring.partial %q, %k1, %v1
///   %o, %l = ring.merge %o0, %l0 with %o1, %l1
/// becomes
///   %s = ring.init
///   %s0 = ring.accumulate %q, %k0, %v0 into %s
///   %s1 = ring.accumulate %q, %k1, %v1 into %s0
///   %o, %l = ring.finish %s1
///
/// Parts that arrive finished are merged with what the chain gives.
struct CarryThroughMerges : OpRewritePattern<MergeOp> {
  CarryThroughMerges(MLIRContext *context, const ProgramOrder &order)
      : OpRewritePattern(context), order(order) {}

  LogicalResult matchAndRewrite(MergeOp root,
                                PatternRewriter &rewriter) const override {
    if (MergeOp outer = soleMergeOf(root);
        outer && outer->getBlock() == root->getBlock())
      return rewriter.notifyMatchFailure(root, "inside a larger tree");
    Leaves leaves = collectLeaves(root, order);
    if (leaves.partials.empty())
      return rewriter.notifyMatchFailure(root, "no part to accumulate");
    if (leaves.numCarried() < 2)
      return rewriter.notifyMatchFailure(root, "one part alone has no chain");
    PartialOp first = leaves.partials.front();
    if (leaves.sink && !isDefinedBefore(leaves.sink.getSink(), first))
      return rewriter.notifyMatchFailure(root, "the sink comes too late");

    auto finish =
        FinishOp::create(rewriter, root.getLoc(), root.getResultTypes(),
                         carry(leaves, first, rewriter));
    Part joined = {finish.getOutput(), finish.getLse()};
    for (Part part : leaves.finished) {
      auto merge =
          MergeOp::create(rewriter, root.getLoc(), root.getResultTypes(),
                          joined.output, joined.lse, part.output, part.lse);
      joined = {merge.getOutput(), merge.getLse()};
    }
    rewriter.replaceOp(root, {joined.output, joined.lse});
    return success();
  }

private:
  bool isDefinedBefore(Value value, Operation *op) const {
    Operation *def = value.getDefiningOp();
    return !def || def->getBlock() != op->getBlock() || order.isBefore(def, op);
  }

  /// The state after all parts of `leaves`.
  Value carry(Leaves &leaves, PartialOp first,
              PatternRewriter &rewriter) const {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(first);
    Value state;
    if (FinishOp base = leaves.base)
      state = base.getState();
    else
      state = InitOp::create(rewriter, first.getLoc(),
                             stateTypeOf(first.getOutput()),
                             leaves.sink ? leaves.sink.getSink() : Value());
    // A state that is carried in may be younger than the first parts: those
    // are added as soon as it is there.
    Operation *youngest = leaves.base ? state.getDefiningOp() : nullptr;
    for (PartialOp partial : leaves.partials) {
      if (youngest && youngest->getBlock() == partial->getBlock() &&
          order.isBefore(partial, youngest))
        rewriter.setInsertionPointAfter(youngest);
      else
        rewriter.setInsertionPoint(partial);
      state = accumulate(rewriter, partial, state);
      if (youngest)
        youngest = state.getDefiningOp();
    }
    return state;
  }

  const ProgramOrder &order;
};

/// A choice between finished states is a choice between the states.
///
///   %o = ring.select %o0, %o1 where [...]
///   %l = ring.select %l0, %l1 where [...]    (both from ring.finish)
/// becomes
///   %s = ring.select %s0, %s1 where [...]
///   %o, %l = ring.finish %s
///
/// One side may also be a single part or empty: it gets a state of its own.
struct SelectState : OpRewritePattern<SelectOp> {
  SelectState(MLIRContext *context, const ProgramOrder &order)
      : OpRewritePattern(context), order(order) {}

  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    SelectOp ofLse = findSelectOfLse(op);
    if (!ofLse)
      return rewriter.notifyMatchFailure(op, "not a choice between parts");
    Part sides[2] = {{op.getLhs(), ofLse.getLhs()},
                     {op.getRhs(), ofLse.getRhs()}};
    if (llvm::none_of(sides,
                      [](Part side) { return side.getDefiningOp<FinishOp>(); }))
      return rewriter.notifyMatchFailure(op, "no state is carried up to here");
    if (!llvm::all_of(sides, [&](Part side) { return hasState(side, op); }))
      return rewriter.notifyMatchFailure(op, "one side arrives finished");

    Value states[2];
    for (auto [side, state] : llvm::zip_equal(sides, states))
      state = stateOf(side, rewriter);
    Operation *earlier = order.isBefore(op, ofLse) ? op : ofLse;
    // Chosen as early as possible: blocks that are added to the choice then
    // need not move.
    if (Operation *younger = youngerOf(states[0], states[1], op->getBlock()))
      rewriter.setInsertionPointAfter(younger);
    else
      rewriter.setInsertionPoint(earlier);
    auto select =
        SelectOp::create(rewriter, op.getLoc(), states[0].getType(), states[0],
                         states[1], op.getChoiceAttr(), op.getAxisAttr());
    rewriter.setInsertionPoint(earlier);
    auto finish = FinishOp::create(rewriter, op.getLoc(), op.getType(),
                                   ofLse.getType(), select.getResult());
    rewriter.replaceOp(ofLse, finish.getLse());
    rewriter.replaceOp(op, finish.getOutput());
    return success();
  }

private:
  /// The same choice between the log-sum-exps of what `op` chooses between.
  static SelectOp findSelectOfLse(SelectOp op) {
    Operation *left = op.getLhs().getDefiningOp();
    Operation *right = op.getRhs().getDefiningOp();
    if (!left || !right || !isa<FinishOp, PartialOp, EmptyOp>(left) ||
        !isa<FinishOp, PartialOp, EmptyOp>(right) ||
        op.getLhs() != left->getResult(0) || op.getRhs() != right->getResult(0))
      return {};
    for (Operation *user : left->getResult(1).getUsers()) {
      auto other = dyn_cast<SelectOp>(user);
      if (other && other->getBlock() == op->getBlock() &&
          other.getLhs() == left->getResult(1) &&
          other.getRhs() == right->getResult(1) &&
          other.getChoice() == op.getChoice() &&
          other.getAxis() == op.getAxis())
        return other;
    }
    return {};
  }

  static bool hasState(Part side, SelectOp op) {
    return side.output.getDefiningOp()->getBlock() == op->getBlock() &&
           (side.getDefiningOp<FinishOp>() || side.getDefiningOp<PartialOp>() ||
            side.getDefiningOp<EmptyOp>());
  }

  /// The state that `side` is the finished form of. A part that had none is
  /// replaced, so that its other uses find the same state.
  static Value stateOf(Part side, PatternRewriter &rewriter) {
    if (auto finish = side.getDefiningOp<FinishOp>())
      return finish.getState();
    Operation *op = side.output.getDefiningOp();
    rewriter.setInsertionPoint(op);
    auto empty = side.getDefiningOp<EmptyOp>();
    Value state =
        InitOp::create(rewriter, op->getLoc(), stateTypeOf(side.output),
                       empty ? empty.getSink() : Value());
    if (auto partial = side.getDefiningOp<PartialOp>())
      state = accumulate(rewriter, partial, state);
    rewriter.replaceOpWithNewOp<FinishOp>(op, op->getResultTypes(), state);
    return state;
  }

  /// The later of the ops that define the states, if both are in `block`.
  Operation *youngerOf(Value a, Value b, Block *block) const {
    Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
    if (!first || !second || first->getBlock() != block ||
        second->getBlock() != block)
      return nullptr;
    return order.isBefore(first, second) ? second : first;
  }

  const ProgramOrder &order;
};

/// A finished output that is only ever converted is finished in that type.
///
///   %o, %l = ring.finish %s : ... -> tensor<...xf32>, ...
///   %r = "ttir.typecast"(%o) : (tensor<...xf32>) -> tensor<...xbf16>
/// becomes
///   %r, %l = ring.finish %s : ... -> tensor<...xbf16>, ...
struct FinishInFinalType : OpRewritePattern<FinishOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FinishOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getOutput().hasOneUse())
      return rewriter.notifyMatchFailure(op, "the output has other uses");
    auto cast = dyn_cast<tt::ttir::TypecastOp>(*op.getOutput().user_begin());
    if (!cast)
      return rewriter.notifyMatchFailure(op, "the output is not converted");
    auto type = dyn_cast<RankedTensorType>(cast->getResult(0).getType());
    if (!type || !op.getOutput().getType().getElementType().isF32() ||
        !type.getElementType().isBF16())
      return rewriter.notifyMatchFailure(op, "not from f32 to bf16");
    auto finish = FinishOp::create(rewriter, op.getLoc(), type,
                                   op.getLse().getType(), op.getState());
    rewriter.replaceOp(cast, finish.getOutput());
    rewriter.replaceAllUsesWith(op.getLse(), finish.getLse());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Parts that no device computes leave transfers that nobody reads, and slices
/// and concatenations of what they brought.
void eraseDeadTransfers(Operation *scope) {
  auto isRingOp = [](Operation *op) {
    return isa_and_nonnull<RingDialect>(op->getDialect());
  };
  scope->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    bool readsTransfer = llvm::any_of(op->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() && isRingOp(operand.getDefiningOp());
    });
    if ((isRingOp(op) || readsTransfer) && isOpTriviallyDead(op))
      op->erase();
  });
}

} // namespace

LogicalResult carryStates(Operation *scope) {
  MLIRContext *context = scope->getContext();
  RewritePatternSet patterns(context);
  patterns.add<DropUncomputedPart, FinishInFinalType>(context);
  ProgramOrder order(scope);
  patterns.add<CarryThroughMerges, SelectState>(context, order);

  // Only ring ops are visited: the model around them stays as it is. The
  // driver takes them from the back, and states must be there before what
  // carries them on.
  SmallVector<Operation *> ops;
  scope->walk([&](Operation *op) {
    if (isa_and_nonnull<RingDialect>(op->getDialect()))
      ops.push_back(op);
  });
  std::reverse(ops.begin(), ops.end());
  GreedyRewriteConfig config;
  config.setListener(&order);
  config.setScope(&scope->getRegion(0));
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  if (failed(applyOpPatternsGreedily(ops, std::move(patterns), config)))
    return failure();
  eraseDeadTransfers(scope);
  return success();
}

} // namespace mlir::ring
