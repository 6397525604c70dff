// SPDX-License-Identifier: Apache-2.0
// ring-outline-fused: an attention that a device op computes becomes a call of
// that op, with the explicit ring as what it may be replaced by.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Analysis/AttentionTraits.h"
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
constexpr int64_t kHeads = 1, kRows = 2;

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
    if (op.getPageTable())
      return op.emitOpError("expects no pages in fused form: there are no "
                            "explicit ops to fall back on");
    gathered = plan.getStrategy() == Strategy::AllGather;
    rowsLayout = layoutOf(gathered || op.getReplicated());
    SmallVector<Value> inputs = localInputs();
    func::FuncOp fallback = buildFallback(name, inputs);

    auto composite = ttcore::CompositeOp::create(
        builder, op.getLoc(), fallback.getFunctionType().getResults(), inputs,
        gathered ? "ring_distributed_scaled_dot_product_attention"
                 : "ring_joint_scaled_dot_product_attention",
        fallback.getSymName(), parameters());
    replaceOutput(composite.getResult(0));
    if (op.getJointOutput())
      op.getJointOutput().replaceAllUsesWith(join(composite.getResult(1),
                                                  op.getJointOutput().getType(),
                                                  /*hasRows=*/false));
    op.erase();
    return success();
  }

private:
  AxisAttr axis() { return plan.getAxis(); }
  int64_t headsAxis() { return plan.getHeadsAxis().value_or(kNone); }

  LayoutAttr layoutOf(bool asItIs) {
    int64_t length = paddedLength(traits.queries, plan.getLayout(),
                                  axis().getRanks(), asItIs);
    return LayoutAttr::get(op.getContext(), plan.getLayout(), length,
                           axis().getRanks(), /*offset=*/0);
  }

  ShardingAttr shardingOf(bool hasRows, int64_t heads) {
    std::optional<int64_t> sequence;
    if (hasRows)
      sequence = kRows;
    return ShardingAttr::get(
        op.getContext(),
        {kNone, heads, hasRows ? axis().getIndex() : kNone, kNone},
        axis().getMesh(), sequence, hasRows ? rowsLayout : LayoutAttr());
  }

  //===--------------------------------------------------------------------===//
  // Around the call
  //===--------------------------------------------------------------------===//

  /// A device's part of a whole tensor: its heads, and its rows if asked for.
  Value split(Value whole, bool hasRows) {
    RankedTensorType type = TTIRBuilder::typeOf(whole);
    int64_t heads = headsAxis();
    if (heads != kNone &&
        type.getDimSize(kHeads) % axis().getMesh()[heads] != 0)
      whole = tensors.repeatInterleave(
          whole, kHeads, axis().getMesh()[heads] / type.getDimSize(kHeads));
    // In a device's own function the rows are what the gather was made from.
    auto gather = whole.getDefiningOp<ttir::AllGatherOp>();
    if (op.getReplicated() && hasRows && gather && heads == kNone &&
        gather.getAllGatherDim() == kRows &&
        static_cast<int64_t>(gather.getClusterAxis()) == axis().getIndex() &&
        rowsLayout.getLength() == type.getDimSize(kRows))
      return relayout(gather.getInput(), contiguous(), rowsLayout);
    if (op.getReplicated() && !hasRows && heads == kNone)
      return whole;
    ShardingAttr sharding = shardingOf(hasRows, heads);
    RankedTensorType wholeType = TTIRBuilder::typeOf(whole);
    auto local =
        RankedTensorType::get(*sharding.getShardShape(wholeType.getShape()),
                              wholeType.getElementType());
    return ShardOp::create(builder, op.getLoc(), local, whole, sharding,
                           op.getReplicated());
  }

  /// The whole tensor of all devices' parts.
  Value join(Value local, RankedTensorType whole, bool hasRows) {
    if (op.getReplicated() && !hasRows && headsAxis() == kNone)
      return local;
    return UnshardOp::create(builder, op.getLoc(), whole, local,
                             shardingOf(hasRows, headsAxis()),
                             op.getReplicated());
  }

  LayoutAttr contiguous() {
    return LayoutAttr::get(op.getContext(), LayoutKind::Contiguous,
                           rowsLayout.getLength(), rowsLayout.getRanks(),
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

  /// q, k, v, then the joint ones or the sink, which the device op wants
  /// divided by the scale. The op without communication of its own wants all
  /// rows.
  SmallVector<Value> localInputs() {
    SmallVector<Value> inputs;
    for (Value whole : {op.getQuery(), op.getKey(), op.getValue()})
      inputs.push_back(split(whole, /*hasRows=*/!gathered));
    if (op.getJointQuery())
      for (Value whole :
           {op.getJointQuery(), op.getJointKey(), op.getJointValue()})
        inputs.push_back(split(whole, /*hasRows=*/false));
    if (op.getSink())
      inputs.push_back(times(tensors, split(op.getSink(), /*hasRows=*/false),
                             1.0f / scale()));
    return inputs;
  }

  /// Who takes this device's rows gets them; only the others need the whole.
  void replaceOutput(Value local) {
    Value output = op.getOutput();
    bool exact = rowsLayout.getLength() == traits.queries;
    for (Operation *user : llvm::make_early_inc_range(output.getUsers())) {
      auto partition = dyn_cast<ttir::MeshPartitionOp>(user);
      if (!op.getReplicated() || !exact || headsAxis() != kNone || !partition ||
          partition.getDim() != kRows ||
          static_cast<int64_t>(partition.getClusterAxis().value_or(0)) !=
              axis().getIndex())
        continue;
      partition.replaceAllUsesWith(relayout(local, rowsLayout, contiguous()));
      partition.erase();
    }
    if (!output.use_empty())
      output.replaceAllUsesWith(
          join(local, op.getOutput().getType(), /*hasRows=*/true));
  }

  //===--------------------------------------------------------------------===//
  // The function to fall back on
  //===--------------------------------------------------------------------===//

  /// The plan without what the call site has done already.
  PlanAttr explicitPlan() {
    return PlanAttr::get(op.getContext(), plan.getStrategy(), axis(),
                         /*heads_axis=*/std::nullopt, plan.getLayout(),
                         plan.getDirections(), Form::Explicit,
                         plan.getTopology(), plan.getUlysses(),
                         plan.getNumLinks(), plan.getCompute());
  }

  func::FuncOp buildFallback(StringRef name, ValueRange inputs) {
    OpBuilder outer(op.getContext());
    outer.setInsertionPointAfter(caller);
    auto function = func::FuncOp::create(
        outer, op.getLoc(), name, outer.getFunctionType(TypeRange(inputs), {}));
    function.setPrivate();
    OpBuilder body = OpBuilder::atBlockEnd(function.addEntryBlock());
    ShardingAttr sharding = shardingOf(/*hasRows=*/true, kNone);
    int64_t length = rowsLayout.getLength();

    SmallVector<Value> operands(function.getArguments());
    if (!gathered)
      for (Value &operand : MutableArrayRef(operands).take_front(3))
        operand = UnshardOp::create(
            body, op.getLoc(),
            withDim(TTIRBuilder::typeOf(operand), kRows, length), operand,
            sharding, /*replicated=*/true);
    TTIRBuilder bodyTensors(body, op.getLoc());
    if (op.getSink())
      operands[3] = times(bodyTensors, operands[3], scale());
    auto extra = [&](bool present, int64_t index) {
      return present ? operands[index] : Value();
    };
    bool joint = static_cast<bool>(op.getJointQuery());
    IntegerAttr real = op.getLengthAttr();
    if (!real && length > traits.keys && !traits.isCausal() && !gathered)
      real = body.getI64IntegerAttr(traits.keys);

    RankedTensorType query = TTIRBuilder::typeOf(operands[0]);
    RankedTensorType output =
        withDim(query, 3, TTIRBuilder::typeOf(operands[2]).getDimSize(3));
    auto attention = AttentionOp::create(
        body, op.getLoc(), output, joint ? Type(operands[3].getType()) : Type(),
        /*lse=*/Type(), operands[0], operands[1], operands[2], extra(joint, 3),
        extra(joint, 4), extra(joint, 5), /*mask=*/Value(),
        extra(static_cast<bool>(op.getSink()), 3), /*page_table=*/Value(),
        /*chunk_start=*/Value(), op.getPatternAttr(), op.getScaleAttr(), real,
        op.getParallelAttr(), explicitPlan(), /*replicated=*/true);
    SmallVector<Value> results;
    results.push_back(ShardOp::create(
        body, op.getLoc(), withDim(output, kRows, rowsLayout.getShardLength()),
        attention.getOutput(), sharding, /*replicated=*/true));
    if (joint)
      results.push_back(attention.getJointOutput());
    func::ReturnOp::create(body, op.getLoc(), results);
    function.setFunctionType(outer.getFunctionType(
        TypeRange(inputs), TypeRange(ValueRange(results))));
    return function;
  }

  //===--------------------------------------------------------------------===//
  // The device op's parameters
  //===--------------------------------------------------------------------===//

  DictionaryAttr parameters() {
    NamedAttrList list;
    auto ui32 = [&](int64_t value) {
      return builder.getIntegerAttr(
          builder.getIntegerType(32, /*isSigned=*/false), value);
    };
    list.append("scale", builder.getF32FloatAttr(scale()));
    list.append("ring_size", ui32(axis().getRanks()));
    list.append("cluster_axis", ui32(axis().getIndex()));
    if (!gathered) {
      list.append("logical_n", builder.getI64IntegerAttr(
                                   op.getLength().value_or(traits.keys)));
      list.append("logical_l", builder.getI64IntegerAttr(traits.joint));
      list.append("joint_strategy", builder.getStringAttr("rear"));
      list.append("dim", builder.getSI32IntegerAttr(kRows));
      list.append("num_links", ui32(plan.getNumLinks()));
      list.append("topology",
                  ttcore::TopologyAttr::get(op.getContext(),
                                            plan.getTopology() == Topology::Ring
                                                ? ttcore::Topology::Ring
                                                : ttcore::Topology::Linear));
      list.append("is_causal", builder.getBoolAttr(traits.isCausal()));
      list.append("is_balanced",
                  builder.getBoolAttr(plan.getLayout() == LayoutKind::Zigzag));
      if (traits.isWindow())
        list.append("sliding_window_size", ui32(*traits.band.before + 1));
    }
    if (ComputeAttr compute = plan.getCompute())
      appendCompute(list, compute);
    return list.getDictionary(op.getContext());
  }

  void appendCompute(NamedAttrList &list, ComputeAttr compute) {
    if (compute.getQChunk())
      list.append("q_chunk_size",
                  builder.getI64IntegerAttr(*compute.getQChunk()));
    if (compute.getKChunk())
      list.append("k_chunk_size",
                  builder.getI64IntegerAttr(*compute.getKChunk()));
    list.append("exp_approx_mode", builder.getBoolAttr(compute.getExpApprox()));
    list.append("math_fidelity", builder.getStringAttr(stringifyMathFidelity(
                                     compute.getFidelity())));
    list.append("fp32_dest_acc_en",
                builder.getBoolAttr(compute.getFp32Accumulation()));
    if (!compute.getGrid().empty())
      list.append("compute_with_storage_grid_size",
                  builder.getDenseI64ArrayAttr(compute.getGrid()));
    if (!gathered && !compute.getCclOffset().empty())
      list.append("ccl_core_grid_offset",
                  builder.getDenseI64ArrayAttr(compute.getCclOffset()));
  }

  AttentionOp op;
  PlanAttr plan;
  AttentionTraits traits;
  func::FuncOp caller;
  OpBuilder builder;
  TTIRBuilder tensors;
  LayoutAttr rowsLayout;
  /// The device op that finds all keys on every device, rather than passing
  /// them round.
  bool gathered = false;
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
