// SPDX-License-Identifier: Apache-2.0
// ring-outline-fused: an attention that a device op computes becomes a call of
// that op, with the explicit ring as what it may be replaced by.

#include "FusedParameters.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Planner/AttentionPlanner.h"
#include "ring/Strategies/FusedForms.h"
#include "ring/Strategies/OwnHeads.h"
#include "ring/Strategies/Strategies.h"
#include "ring/Support/TTIRBuilder.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

#include <cmath>

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;

#define GEN_PASS_DEF_RINGOUTLINEFUSED
#include "ring/Transforms/Passes.h.inc"

namespace {

constexpr int64_t kNone = ShardingAttr::kReplicated;
constexpr int64_t kRows = 2, kColumns = 3;

RankedTensorType withDim(RankedTensorType type, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return RankedTensorType::get(shape, type.getElementType());
}

/// One fused attention:
///
///   %o = ring.attention %q, %k, %v plan(... form = fused)
/// becomes
///   %o_local = "ttcore.composite"(%q_local, %k_local, %v_local)
///       <{composite_name = "ring_joint_...", decomposition = @ring_attention}>
///   %o = ring.unshard %o_local
///
/// with a private function in which the same attention, planned as explicit,
/// stands between an unshard of its arguments and a shard of its result. They
/// cancel against what ring-shard writes there.
class FusedAttention {
public:
  FusedAttention(AttentionOp op, func::FuncOp caller)
      : op(op), plan(op.getPlanAttr()), traits(AttentionTraits::of(op)),
        caller(caller), builder(op), tensors(builder, op.getLoc()) {}

  LogicalResult run(StringRef name) {
    // A plan may have been written by hand: it is held to the same rules.
    if (Refusal refusal = refusalOf(traits, plan))
      return emitAttentionError(op, "cannot use strategy ")
             << stringifyStrategy(plan.getStrategy())
             << " (fused): " << *refusal;
    deviceOp = deviceOpOf(traits, plan);
    gathered = deviceOp == DeviceOp::RingDistributed;
    latent = deviceOp == DeviceOp::RingMla;
    rowsLayout = layoutOf(plan.getLayout(), traits.queries,
                          gathered || op.getPerDevice());
    keysLayout =
        layoutOf(plan.getLayout(), traits.keys, gathered || op.getPerDevice());
    // Of a cache in blocks a device has those that are dealt to it, used or
    // not.
    if (isChunkOverCache(traits))
      keysLayout = LayoutAttr::get(op.getContext(), LayoutKind::BlockCyclic,
                                   traits.keys, axis().getRanks(),
                                   /*offset=*/0, traits.cacheBlock);
    if (traits.jointSharded)
      jointLayout =
          layoutOf(LayoutKind::Contiguous, traits.joint, op.getPerDevice());
    SmallVector<Value> inputs = localInputs();
    func::FuncOp fallback = buildFallback(name, inputs);

    auto composite = ttcore::CompositeOp::create(
        builder, op.getLoc(), fallback.getFunctionType().getResults(), inputs,
        compositeNameOf(deviceOp), fallback.getSymName(),
        fusedParameters(traits, plan, scale(), inputs));
    auto result = [&](unsigned index) {
      return tensors.typecast(composite.getResult(index), traits.elementType);
    };
    replaceRows(op.getOutput(), result(0), rowsLayout);
    if (op.getJointOutput())
      replaceRows(op.getJointOutput(), result(1), jointLayout);
    op.erase();
    return success();
  }

private:
  AxisAttr axis() { return plan.getAxis(); }
  int64_t headsAxis() { return plan.getHeadsAxis().value_or(kNone); }

  LayoutAttr layoutOf(LayoutKind kind, int64_t rows, bool asItIs) {
    int64_t length = paddedLength(rows, kind, axis().getRanks(), asItIs);
    return LayoutAttr::get(op.getContext(), kind, length, axis().getRanks(),
                           /*offset=*/0);
  }

  /// How a 4-D tensor is split: its rows by `rows`, if at all.
  ShardingAttr shardingOf(LayoutAttr rows, int64_t heads) {
    std::optional<int64_t> sequence;
    if (rows)
      sequence = kRows;
    return ShardingAttr::get(
        op.getContext(),
        {kNone, heads, rows ? axis().getIndex() : kNone, kNone},
        axis().getMesh(), sequence, rows);
  }

  //===--------------------------------------------------------------------===//
  // Around the call
  //===--------------------------------------------------------------------===//

  /// A device's part of a whole tensor: its heads, and its rows if they are
  /// dealt out.
  Value split(Value whole, LayoutAttr rows) {
    RankedTensorType type = TTIRBuilder::typeOf(whole);
    ArrayRef<int64_t> mesh = axis().getMesh();
    int64_t heads = splittingAxis(type, headsAxis(), mesh);
    // In a device's own function the rows are what the gather was made from.
    if (op.getPerDevice() && rows && headsAxis() == kNone &&
        isGatheredFromRows(whole, axis().getIndex()) &&
        rows.getLength() == type.getDimSize(kRows))
      return relayout(whole.getDefiningOp<ttir::AllGatherOp>().getInput(),
                      contiguous(rows), rows);
    if (op.getPerDevice() && !rows && headsAxis() == kNone)
      return whole;
    ShardingAttr sharding = shardingOf(rows, heads);
    auto local = RankedTensorType::get(*sharding.getShardShape(type.getShape()),
                                       type.getElementType());
    Value shard = ShardOp::create(builder, op.getLoc(), local, whole, sharding,
                                  op.getPerDevice());
    if (heads == headsAxis())
      return shard;
    return ownHeads(builder, op.getLoc(), shard,
                    AxisAttr::get(op.getContext(), headsAxis(), mesh));
  }

  /// What every device gets whole, whatever its shape.
  Value everywhere(Value whole) {
    if (op.getPerDevice())
      return whole;
    RankedTensorType type = TTIRBuilder::typeOf(whole);
    SmallVector<int64_t> axes(type.getRank(), kNone);
    return ShardOp::create(builder, op.getLoc(), type, whole,
                           ShardingAttr::get(op.getContext(), axes,
                                             axis().getMesh(), std::nullopt,
                                             LayoutAttr()),
                           /*replicated=*/false);
  }

  /// All rows of a tensor that is spread over the ranks.
  Value gather(Value whole) {
    if (op.getPerDevice())
      return split(whole, LayoutAttr());
    int64_t rows = TTIRBuilder::typeOf(whole).getDimSize(kRows);
    LayoutAttr shares =
        layoutOf(LayoutKind::Contiguous, rows, /*asItIs=*/false);
    Value local = split(whole, shares);
    SmallVector<int64_t> shape(TTIRBuilder::typeOf(local).getShape());
    shape[kRows] = shares.getLength();
    Value all = AllGatherOp::create(
        builder, op.getLoc(),
        RankedTensorType::get(shape,
                              TTIRBuilder::typeOf(local).getElementType()),
        local, kRows, axis());
    return tensors.slice(all, kRows, 0, rows);
  }

  /// The whole tensor of all devices' parts.
  Value join(Value local, RankedTensorType whole, LayoutAttr rows) {
    if (op.getPerDevice() && !rows && headsAxis() == kNone)
      return local;
    return UnshardOp::create(builder, op.getLoc(), whole, local,
                             shardingOf(rows, headsAxis()), op.getPerDevice());
  }

  LayoutAttr contiguous(LayoutAttr rows) {
    return LayoutAttr::get(op.getContext(), LayoutKind::Contiguous,
                           rows.getLength(), rows.getRanks(),
                           /*offset=*/0);
  }

  Value relayout(Value local, LayoutAttr from, LayoutAttr to) {
    if (from == to)
      return local;
    return RelayoutOp::create(builder, op.getLoc(), local, kRows, from, to,
                              axis());
  }

  /// The softmax scale, also where the op leaves it to the default.
  float scale() {
    return op.getScale() ? op.getScale()->convertToFloat()
                         : 1.0f / std::sqrt(static_cast<float>(traits.dim));
  }

  Value times(TTIRBuilder &ops, Value value, float factor) {
    RankedTensorType type = TTIRBuilder::typeOf(value);
    return ops.multiply(
        value, ops.full(type.getShape(), type.getElementType(), factor));
  }

  /// The keys, and the values unless they are in them.
  SmallVector<Value, 2> keysAndValues() {
    SmallVector<Value, 2> tensors{op.getKey()};
    if (!latent)
      tensors.push_back(op.getValue());
    return tensors;
  }

  /// q, k, v, then the joint ones, or the sink, which the device op wants
  /// divided by the scale, or the page table. The op without communication of
  /// its own wants all rows, and the latent one has no v.
  SmallVector<Value> localInputs() {
    SmallVector<Value> inputs;
    inputs.push_back(gathered ? gather(op.getQuery())
                              : split(op.getQuery(), rowsLayout));
    // The pages of a cache are on every device.
    for (Value whole : keysAndValues())
      inputs.push_back(
          gathered && !traits.pages
              ? gather(whole)
              : split(whole, gathered ? LayoutAttr() : keysLayout));
    if (op.getJointQuery())
      for (Value whole :
           {op.getJointQuery(), op.getJointKey(), op.getJointValue()})
        inputs.push_back(split(whole, jointLayout));
    if (op.getSink())
      inputs.push_back(
          times(tensors, split(op.getSink(), LayoutAttr()), 1.0f / scale()));
    if (op.getPageTable())
      inputs.push_back(everywhere(op.getPageTable()));
    return inputs;
  }

  /// Who takes this device's rows gets them; only the others need the whole.
  void replaceRows(Value result, Value local, LayoutAttr rows) {
    RankedTensorType whole = TTIRBuilder::typeOf(result);
    bool exact = rows && rows.getLength() == whole.getDimSize(kRows);
    for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
      if (!op.getPerDevice() || !exact || headsAxis() != kNone ||
          !takesOwnRows(user, axis().getIndex()))
        continue;
      user->getResult(0).replaceAllUsesWith(
          relayout(local, rows, contiguous(rows)));
      user->erase();
    }
    if (!result.use_empty())
      result.replaceAllUsesWith(join(local, whole, rows));
  }

  //===--------------------------------------------------------------------===//
  // The function to fall back on
  //===--------------------------------------------------------------------===//

  /// The plan without what the call site has done already.
  PlanAttr explicitPlan() {
    return PlanAttr::get(op.getContext(), plan.getStrategy(), axis(),
                         /*heads_axis=*/std::nullopt, plan.getLayout(),
                         plan.getDirections(), Form::Explicit,
                         plan.getTopology(), plan.getHeadRanks(),
                         plan.getNumLinks(), plan.getCompute());
  }

  func::FuncOp buildFallback(StringRef name, ValueRange inputs) {
    OpBuilder outer(op.getContext());
    outer.setInsertionPointAfter(caller);
    auto function = func::FuncOp::create(
        outer, op.getLoc(), name, outer.getFunctionType(TypeRange(inputs), {}));
    function.setPrivate();
    OpBuilder body = OpBuilder::atBlockEnd(function.addEntryBlock());
    ShardingAttr sharding = shardingOf(rowsLayout, kNone);

    SmallVector<Value> operands(function.getArguments());
    // The whole of a shard, padding and all: ring-shard takes it apart again.
    auto wholeOf = [&](Value shard, LayoutAttr rows) -> Value {
      return UnshardOp::create(
          body, op.getLoc(),
          withDim(TTIRBuilder::typeOf(shard), kRows, rows.getLength()), shard,
          shardingOf(rows, kNone), /*replicated=*/true);
    };
    if (!gathered) {
      operands[0] = wholeOf(operands[0], rowsLayout);
      for (Value &operand :
           MutableArrayRef(operands).slice(1, keysAndValues().size()))
        operand = wholeOf(operand, keysLayout);
    }
    bool joint = static_cast<bool>(op.getJointQuery());
    if (joint && jointLayout)
      for (Value &operand : MutableArrayRef(operands).slice(3, 3))
        operand = wholeOf(operand, jointLayout);
    TTIRBuilder bodyTensors(body, op.getLoc());
    if (latent)
      operands.push_back(
          bodyTensors.slice(operands[1], kColumns, 0, traits.valueDim));
    if (op.getSink())
      operands[3] = times(bodyTensors, operands[3], scale());
    auto extra = [&](bool present, int64_t index) {
      return present ? operands[index] : Value();
    };
    IntegerAttr real = op.getLengthAttr(), realJoint = op.getJointLengthAttr();
    if (!real && keysLayout.getLength() > traits.keys && !traits.isCausal() &&
        !gathered)
      real = body.getI64IntegerAttr(traits.keys);
    if (!realJoint && jointLayout && jointLayout.getLength() > traits.joint)
      realJoint = body.getI64IntegerAttr(traits.joint);
    Value start;
    if (op.getStart())
      start = bodyTensors.constant(
          DenseElementsAttr::get(RankedTensorType::get({1}, body.getI32Type()),
                                 static_cast<int32_t>(*traits.chunkStart)));

    RankedTensorType query = TTIRBuilder::typeOf(operands[0]);
    RankedTensorType output =
        withDim(query, 3, TTIRBuilder::typeOf(operands[2]).getDimSize(3));
    Type jointOutput;
    if (joint)
      jointOutput =
          withDim(TTIRBuilder::typeOf(operands[3]), 3, output.getDimSize(3));
    auto attention = AttentionOp::create(
        body, op.getLoc(), output, jointOutput,
        /*lse=*/Type(), operands[0], operands[1], operands[2], extra(joint, 3),
        extra(joint, 4), extra(joint, 5), /*mask=*/Value(),
        extra(static_cast<bool>(op.getSink()), 3),
        extra(static_cast<bool>(op.getPageTable()), 3), start,
        /*documents=*/Value(), op.getPatternAttr(), op.getScaleAttr(), real,
        realJoint, op.getParallelAttr(), explicitPlan(), /*per_device=*/true);
    auto shardOf = [&](Value whole, ShardingAttr sharding, int64_t rows) {
      return ShardOp::create(body, op.getLoc(),
                             withDim(TTIRBuilder::typeOf(whole), kRows, rows),
                             whole, sharding, /*replicated=*/true);
    };
    SmallVector<Value> results{
        shardOf(attention.getOutput(), sharding, rowsLayout.getShardLength())};
    if (joint && jointLayout)
      results.push_back(shardOf(attention.getJointOutput(),
                                shardingOf(jointLayout, kNone),
                                jointLayout.getShardLength()));
    else if (joint)
      results.push_back(attention.getJointOutput());
    // The op with communication of its own gives bf16, whatever it is given.
    if (!gathered)
      for (Value &result : results)
        result = bodyTensors.typecast(result, body.getBF16Type());
    func::ReturnOp::create(body, op.getLoc(), results);
    function.setFunctionType(outer.getFunctionType(
        TypeRange(inputs), TypeRange(ValueRange(results))));
    return function;
  }

  AttentionOp op;
  PlanAttr plan;
  AttentionTraits traits;
  func::FuncOp caller;
  OpBuilder builder;
  TTIRBuilder tensors;
  /// How the queries are dealt, and the keys, of which there may be more.
  LayoutAttr rowsLayout, keysLayout;
  /// How joint tokens are dealt, if they are.
  LayoutAttr jointLayout;
  /// The device op that finds all keys on every device, rather than passing
  /// them round.
  bool gathered = false;
  /// The device op whose values are in the keys.
  bool latent = false;
  DeviceOp deviceOp = DeviceOp::RingJoint;
};

class RingOutlineFusedPass
    : public impl::RingOutlineFusedBase<RingOutlineFusedPass> {
public:
  using RingOutlineFusedBase::RingOutlineFusedBase;

  void runOnOperation() override {
    SmallVector<AttentionOp> attentions;
    getOperation().walk([&](AttentionOp op) {
      if (op.getPlanAttr() && op.getPlanAttr().getForm() == Form::Fused)
        attentions.push_back(op);
    });
    for (AttentionOp op : attentions) {
      auto caller = op->getParentOfType<func::FuncOp>();
      if (!caller) {
        op.emitOpError("expects to be in a function");
        return signalPassFailure();
      }
      SymbolTable symbols(
          SymbolTable::getNearestSymbolTable(caller->getParentOp()));
      unsigned suffix = 0;
      SmallString<32> name = SymbolTable::generateSymbolName<32>(
          "ring_attention",
          [&](StringRef taken) { return symbols.lookup(taken) != nullptr; },
          suffix);
      if (failed(FusedAttention(op, caller).run(name)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace mlir::ring
