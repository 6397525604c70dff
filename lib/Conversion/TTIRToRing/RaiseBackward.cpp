// SPDX-License-Identifier: Apache-2.0
// ttir.sdpa_bw becomes ring.attention_backward.

#include "DeviceValues.h"
#include "MaskMeaning.h"
#include "RaiseSteps.h"
#include "SequenceGathers.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {
namespace {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;

constexpr int64_t kHeads = 1, kRows = 2, kColumns = 3;

/// What can be raised: f32 intermediates with one row per query, all 4-D.
bool canBeRaised(ttir::SDPABackwardOp op) {
  if (!op.getDropoutProbability().isZero())
    return leaveAsItIs(op, "a dropout probability other than 0");
  if (!haveFourDimensions(op, op->getOperands()))
    return false;
  RankedTensorType query = TTIRBuilder::typeOf(op.getQuery());
  RankedTensorType stats = TTIRBuilder::typeOf(op.getIntermediates());
  if (!stats.getElementType().isF32() ||
      stats.getShape().take_front(3) != query.getShape().take_front(3))
    return leaveAsItIs(op,
                       "intermediates that are not f32 rows of the queries");
  return true;
}

/// The log-sum-exp behind what a raised forward padded to a tile.
Value beforePadding(Value intermediates) {
  auto pad = intermediates.getDefiningOp<ttir::PadOp>();
  if (!pad || TTIRBuilder::typeOf(pad.getInput()).getDimSize(kColumns) != 1 ||
      TTIRBuilder::typeOf(pad.getInput()).getShape().take_front(3) !=
          TTIRBuilder::typeOf(intermediates).getShape().take_front(3) ||
      pad.getPadding()[2 * kColumns] != 0)
    return {};
  return pad.getInput();
}

/// Column 0 of the intermediates; of the shard where they are gathered, so that
/// the other columns need not travel.
Value logSumExp(OpBuilder &builder, TTIRBuilder &tensors, Value intermediates,
                std::optional<int64_t> axis, int64_t ranks) {
  if (Value lse = beforePadding(intermediates))
    return lse;
  auto gather = GatheredRows::ofGather(intermediates);
  if (axis && gather && gather->axis() == *axis)
    return tensors.allGather(
        tensors.slice(gather->shard(builder), kColumns, 0, 1), kRows, *axis,
        ranks);
  return tensors.slice(intermediates, kColumns, 0, 1);
}

/// Rows that are gathered and all there: gradients have none for padding.
std::optional<GatheredRows> wholeGather(Value tensor) {
  std::optional<GatheredRows> gather = GatheredRows::ofGather(tensor);
  return gather && !gather->isCut() ? gather : std::nullopt;
}

/// How the operands of gradients arrive, and their whole tensors.
class GradientOperands {
public:
  explicit GradientOperands(ttir::SDPABackwardOp op) : op(op) {}

  /// Looks for P1 and P2; says why and returns false where only some operands
  /// are of one of them.
  bool find() {
    using Look = std::optional<GatheredRows> (*)(Value);
    std::pair<Look, StringRef> forms[] = {
        {wholeGather, "gathered"},
        {GatheredRows::ofHeadTrade, "traded for heads"}};
    for (auto [look, kind] : forms) {
      auto query = look(op.getQuery()), key = look(op.getKey()),
           value = look(op.getValue()), gradient = look(op.getGradOutput());
      if (!query && !key && !value)
        continue;
      for (const auto &tensor : {key, value, gradient})
        if (!tensor || !query || tensor->axis() != query->axis())
          return leaveAsItIs(op, Twine("only some of query, key, value and the "
                                       "output's gradient are ") +
                                     kind);
      axis = query->axis();
      ranks = key->ranks();
      if (look == GatheredRows::ofHeadTrade)
        trade = op.getQuery().getDefiningOp<ttir::AllToAllOp>();
      return true;
    }
    return true;
  }

  /// The host's tensor, or what every device gathers.
  Value whole(OpBuilder &builder, TTIRBuilder &tensors, Value had) {
    if (trade)
      return tensors.allGather(ownRowsOf(builder, tensors, had), kRows, *axis,
                               ranks);
    auto gather = wholeGather(had);
    return axis && gather && gather->axis() == *axis
               ? gather->whole(builder, op.getLoc())
               : had;
  }

  Value logSumExpOf(OpBuilder &builder, TTIRBuilder &tensors,
                    Value intermediates) {
    if (!trade)
      return logSumExp(builder, tensors, intermediates, axis, ranks);
    Value rows = ownRowsOf(builder, tensors, intermediates),
          lse = beforePadding(rows);
    return tensors.allGather(lse ? lse : tensors.slice(rows, kColumns, 0, 1),
                             kRows, *axis, ranks);
  }

  void replace(OpBuilder &builder, AttentionBackwardOp gradients) {
    if (!trade) {
      op->replaceAllUsesWith(gradients->getResults());
    } else {
      TTIRBuilder tensors(builder, op.getLoc());
      for (auto [had, whole] :
           llvm::zip_equal(op->getResults(), gradients->getResults()))
        replaceTraded(builder, had, ownRows(tensors, whole, *axis, ranks),
                      *axis, trade);
    }
    eraseWithProducers(op);
  }

  bool tradesHeads() const { return static_cast<bool>(trade); }

  std::optional<int64_t> axis;

private:
  /// This device's rows of all heads, of which it holds all rows of its own.
  Value ownRowsOf(OpBuilder &builder, TTIRBuilder &tensors, Value heads) {
    if (auto found = GatheredRows::ofHeadTrade(heads);
        found && found->axis() == *axis)
      return found->shard(builder);
    auto groups = cast<DenseIntElementsAttr>(trade.getReplicaGroups());
    SmallVector<int64_t> devices;
    for (const APInt &device : groups.getValues<APInt>())
      devices.push_back(device.getSExtValue());
    return tensors.allToAll(heads, kRows, kHeads, devices, ranks);
  }

  ttir::SDPABackwardOp op;
  ttir::AllToAllOp trade;
  int64_t ranks = 1;
};

} // namespace

void raiseBackward(ttir::SDPABackwardOp op, ParallelAttr annotation) {
  if (!canBeRaised(op))
    return;
  // P1 and P2 show in the operands; P4 only in an annotation.
  GradientOperands operands(op);
  if (!operands.find())
    return;
  if (operands.axis)
    annotation =
        ParallelAttr::get(op.getContext(), *operands.axis, std::nullopt);
  if (!annotation) {
    leaveUnparallel(op);
    return;
  }
  if (!operands.axis &&
      areOnDevices({op.getQuery(), op.getKey(), op.getValue()})) {
    leaveOnDevices(op);
    return;
  }
  // A mask that is no constant may be another one on each device.
  if (operands.tradesHeads() && op.getAttentionMask() &&
      !op.getAttentionMask().getDefiningOp<ttir::ConstantOp>()) {
    leaveAsItIs(op, "a mask beside traded heads that is no constant");
    return;
  }

  OpBuilder builder(op);
  TTIRBuilder tensors(builder, op.getLoc());
  PatternAttrInterface pattern;
  if (op.getMaskType() == ttcore::AttentionMaskType::Causal)
    pattern = CausalAttr::get(op.getContext());
  Value mask;
  if (op.getAttentionMask()) {
    mask = additiveMask(tensors, op.getAttentionMask());
    MaskMeaning meaning = readMask(mask);
    if (meaning.isByRow() && meaning.saysAll() && !meaning.length &&
        (meaning.documentEnds.empty() || !misfitOfDocuments(meaning))) {
      eraseWithProducers(mask.getDefiningOp());
      mask = {};
      pattern = patternOf(op.getContext(), meaning);
    }
  }
  auto whole = [&](Value had) { return operands.whole(builder, tensors, had); };
  Value gradOutput = whole(op.getGradOutput()),
        output = whole(op.getAttnOutput()),
        lse = operands.logSumExpOf(builder, tensors, op.getIntermediates()),
        query = whole(op.getQuery()), key = whole(op.getKey()),
        value = whole(op.getValue());
  auto like = [](Value result, Value whole) {
    return RankedTensorType::get(TTIRBuilder::typeOf(whole).getShape(),
                                 TTIRBuilder::typeOf(result).getElementType());
  };
  auto gradients = AttentionBackwardOp::create(
      builder, op.getLoc(), like(op.getGradQuery(), query),
      like(op.getGradKey(), key), like(op.getGradValue(), value), gradOutput,
      output, lse, query, key, value, mask, /*documents=*/Value(), pattern,
      /*scale=*/FloatAttr(),
      /*length=*/IntegerAttr(), annotation,
      /*plan=*/PlanAttr(), operands.axis ? builder.getUnitAttr() : UnitAttr());
  operands.replace(builder, gradients);
}

} // namespace mlir::ring
