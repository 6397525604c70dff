// SPDX-License-Identifier: Apache-2.0
// ttir.sdpa_bw becomes ring.attention_backward.

#include "CausalMask.h"
#include "RaiseSteps.h"
#include "SequenceGathers.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {
namespace {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;

constexpr int64_t kRows = 2, kColumns = 3;

/// What can be raised: f32 intermediates with one row per query, all 4-D.
bool canBeRaised(ttir::SDPABackwardOp op) {
  if (!op.getDropoutProbability().isZero())
    return leaveAsItIs(op, "a dropout probability other than 0");
  for (Value operand : op->getOperands()) {
    RankedTensorType type = TTIRBuilder::typeOf(operand);
    if (!type.hasStaticShape())
      return leaveAsItIs(op, "dynamic shapes");
    if (type.getRank() != 4)
      return leaveAsItIs(op, "tensors that are not 4-D");
  }
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
Value logSumExp(TTIRBuilder &tensors, Value intermediates,
                std::optional<int64_t> axis, int64_t ranks) {
  if (Value lse = beforePadding(intermediates))
    return lse;
  auto gather = findGather(intermediates);
  if (axis && gather && gather->axis == *axis &&
      TTIRBuilder::typeOf(gather->local).getRank() == 4)
    return tensors.allGather(tensors.slice(gather->local, kColumns, 0, 1),
                             kRows, *axis, ranks);
  return tensors.slice(intermediates, kColumns, 0, 1);
}

} // namespace

void raiseBackward(ttir::SDPABackwardOp op, ParallelAttr annotation) {
  if (!canBeRaised(op))
    return;
  // P1 shows in the operands; P4 only in an annotation.
  auto query = findGather(op.getQuery()), key = findGather(op.getKey()),
       value = findGather(op.getValue()),
       gradient = findGather(op.getGradOutput());
  std::optional<int64_t> axis;
  if (query || key || value) {
    auto along = [&](const std::optional<GatheredSequence> &tensor) {
      return tensor && query && tensor->axis == query->axis;
    };
    if (!along(key) || !along(value) || !along(gradient)) {
      leaveAsItIs(op, "only some of query, key, value and the output's "
                      "gradient are gathered");
      return;
    }
    axis = query->axis;
    annotation = ParallelAttr::get(op.getContext(), *axis, std::nullopt);
  }
  if (!annotation) {
    leaveAsItIs(op, "its sequence is neither gathered nor annotated with " +
                        kParallelAttrName);
    return;
  }

  OpBuilder builder(op);
  TTIRBuilder tensors(builder, op.getLoc());
  auto rowsOf = [](Value tensor) {
    RankedTensorType type = TTIRBuilder::typeOf(tensor);
    return type.getDimSize(type.getRank() - 2);
  };
  int64_t ranks = axis ? rowsOf(op.getKey()) / rowsOf(key->local) : 1;
  // Whole tensors: those of the host, or what every device gathers.
  auto whole = [&](Value had) -> Value {
    auto gather = findGather(had);
    if (!axis || !gather || gather->axis != *axis)
      return had;
    return gatherWhole(tensors, gather->local, had, *axis, ranks);
  };
  PatternAttrInterface pattern;
  if (op.getMaskType() == ttcore::AttentionMaskType::Causal)
    pattern = CausalAttr::get(op.getContext());
  Value mask;
  if (op.getAttentionMask()) {
    mask = additiveMask(tensors, op.getAttentionMask());
    if (isConstantCausalMask(mask)) {
      mask = {};
      pattern = CausalAttr::get(op.getContext());
    }
  }
  auto gradients = AttentionBackwardOp::create(
      builder, op.getLoc(), op.getGradQuery().getType(),
      op.getGradKey().getType(), op.getGradValue().getType(),
      whole(op.getGradOutput()), whole(op.getAttnOutput()),
      logSumExp(tensors, op.getIntermediates(), axis, ranks),
      whole(op.getQuery()), whole(op.getKey()), whole(op.getValue()), mask,
      pattern, /*scale=*/FloatAttr(), /*length=*/IntegerAttr(), annotation,
      /*plan=*/PlanAttr(), axis ? builder.getUnitAttr() : UnitAttr());
  op->replaceAllUsesWith(gradients->getResults());
  eraseWithProducers(op);
}

} // namespace mlir::ring
