// SPDX-License-Identifier: Apache-2.0
// ring-raise: sequence-parallel attentions of TTIR become ring.attention.

#include "../DilatedComposite.h"
#include "CausalMask.h"
#include "RaiseSteps.h"
#include "SequenceGathers.h"
#include "ring/Conversion/Passes.h"
#include "ring/Dialect/Ring/IR/Dilation.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGRAISE
#include "ring/Conversion/Passes.h.inc"

namespace {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;

constexpr int64_t kRows = 2;
/// Columns of sdpa_fw's intermediates; the first holds the log-sum-exp.
constexpr int64_t kIntermediateColumns = 32;

/// What all attentions of TTIR have in common, as far as a ring needs it.
struct SourceAttention {
  Operation *op;
  Value query, key, value, mask, sink;
  /// The mask says 1 for keep and 0 for drop; ours is added to the scores.
  bool maskKeeps;
  PatternAttrInterface pattern;
  FloatAttr scale;
  Value output;
  /// sdpa_fw's intermediates, where they are asked for.
  Value intermediates;
  /// A composite's log-sum-exp, where it has one.
  Value lse;
};

/// How the sequence reaches the attention.
enum class Arrival { Whole, Gathered, HeadsTraded, KeysGathered };

class RingRaisePass : public impl::RingRaiseBase<RingRaisePass> {
public:
  using RingRaiseBase::RingRaiseBase;

  void runOnOperation() override {
    if (sequenceAxis >= 0) {
      std::optional<int64_t> heads;
      if (headAxis >= 0)
        heads = headAxis;
      byOptions = ParallelAttr::getChecked(
          [&] { return getOperation().emitError("ring-raise options: "); },
          &getContext(), int64_t(sequenceAxis), heads);
      if (!byOptions)
        return signalPassFailure();
    }
    // Composites go first: with them go the attentions that decompose them.
    SmallVector<Operation *> composites, attentions;
    getOperation().walk([&](Operation *op) {
      if (isDilatedComposite(op))
        composites.push_back(op);
    });
    for (Operation *op : composites)
      raise(op);
    getOperation().walk([&](Operation *op) {
      if (isa<ttir::ScaledDotProductAttentionOp, ttir::SDPAForwardOp,
              ttir::SDPABackwardOp>(op))
        attentions.push_back(op);
    });
    for (Operation *op : attentions) {
      if (auto backward = dyn_cast<ttir::SDPABackwardOp>(op))
        raiseBackward(backward, annotationOf(op));
      else
        raise(op);
    }
  }

private:
  void raise(Operation *op);
  bool readAttention(ttir::ScaledDotProductAttentionOp op,
                     SourceAttention &source);
  bool readForward(ttir::SDPAForwardOp op, SourceAttention &source);
  bool readDilated(ttcore::CompositeOp op, SourceAttention &source);
  static bool isDilatedComposite(Operation *op) {
    auto composite = dyn_cast<ttcore::CompositeOp>(op);
    return composite && composite.getCompositeName() == kDilatedComposite;
  }
  ParallelAttr annotationOf(Operation *op);
  Value wholeMask(OpBuilder &builder, const SourceAttention &source,
                  Arrival arrival, int64_t axis, int64_t ranks, bool &causal);
  void replace(OpBuilder &builder, SourceAttention source,
               AttentionOp attention, Arrival arrival, int64_t axis);

  /// What the options say of attentions without an annotation.
  ParallelAttr byOptions;

  static bool leave(Operation *op, const Twine &reason) {
    return leaveAsItIs(op, reason);
  }
};

//===----------------------------------------------------------------------===//
// Reading an attention
//===----------------------------------------------------------------------===//

bool RingRaisePass::readAttention(ttir::ScaledDotProductAttentionOp op,
                                  SourceAttention &source) {
  source = {op,
            op.getQuery(),
            op.getKey(),
            op.getValue(),
            op.getAttentionMask(),
            op.getAttentionSink(),
            /*maskKeeps=*/false,
            {},
            op.getScaleAttr(),
            op.getResult(),
            {},
            {}};
  MLIRContext *context = op.getContext();
  if (std::optional<uint32_t> window = op.getSlidingWindowSize()) {
    if (!op.getIsCausal())
      return leave(op, "a sliding window without is_causal");
    if (*window == 0)
      return leave(op, "a sliding window of size 0");
    source.pattern = WindowAttr::get(context, *window - 1, 0);
  } else if (op.getIsCausal()) {
    source.pattern = CausalAttr::get(context);
  }
  return true;
}

bool RingRaisePass::readForward(ttir::SDPAForwardOp op,
                                SourceAttention &source) {
  if (!op.getDropoutProbability().isZero())
    return leave(op, "a dropout probability other than 0");
  source = {op,
            op.getQuery(),
            op.getKey(),
            op.getValue(),
            op.getAttentionMask(),
            {},
            /*maskKeeps=*/true,
            {},
            {},
            op.getOutput(),
            op.getIntermediates(),
            {}};
  if (source.intermediates && source.intermediates.use_empty())
    source.intermediates = {};
  if (op.getMaskType() == ttcore::AttentionMaskType::Causal)
    source.pattern = CausalAttr::get(op.getContext());
  return true;
}

bool RingRaisePass::readDilated(ttcore::CompositeOp op,
                                SourceAttention &source) {
  std::string problem;
  auto parameters =
      DilatedParameters::read(op.getCompositeAttributesAttr(), problem);
  if (!parameters)
    return leave(op, problem);
  if (op.getInputs().size() != 3 || op.getNumResults() < 1 ||
      op.getNumResults() > 2)
    return leave(op, "other operands than query, key and value, or other "
                     "results than output and log-sum-exp");
  for (Value tensor : op.getInputs())
    if (TTIRBuilder::typeOf(tensor).getRank() != 4)
      return leave(op, "tensors without batch and heads");
  source = {op,
            op.getInputs()[0],
            op.getInputs()[1],
            op.getInputs()[2],
            {},
            {},
            /*maskKeeps=*/false,
            parameters->pattern,
            parameters->scale,
            op.getResult(0),
            {},
            op.getNumResults() == 2 ? op.getResult(1) : Value()};
  return true;
}

ParallelAttr RingRaisePass::annotationOf(Operation *op) {
  for (Operation *scope = op; scope; scope = scope->getParentOp())
    if (auto parallel = scope->getAttrOfType<ParallelAttr>(kParallelAttrName))
      return parallel;
  return byOptions;
}

/// The mask over all queries, to be added to the scores. `causal` is set, and
/// nothing returned, where it only says what a causal pattern says.
Value RingRaisePass::wholeMask(OpBuilder &builder,
                               const SourceAttention &source, Arrival arrival,
                               int64_t axis, int64_t ranks, bool &causal) {
  TTIRBuilder tensors(builder, source.op->getLoc());
  Value mask = source.mask;
  if (source.maskKeeps)
    mask = additiveMask(tensors, mask);
  if (arrival == Arrival::KeysGathered) {
    // The rows of this device's queries; most often a piece of a whole mask.
    auto piece = mask.getDefiningOp<ttir::MeshPartitionOp>();
    if (piece && piece.getDim() == kRows &&
        static_cast<int64_t>(piece.getClusterAxis().value_or(0)) == axis) {
      mask = piece.getInput();
    } else {
      // One row for all queries may still be another one on each device.
      SmallVector<int64_t> shape(TTIRBuilder::typeOf(mask).getShape());
      shape[kRows] = TTIRBuilder::typeOf(source.query).getDimSize(kRows);
      mask =
          tensors.allGather(tensors.broadcast(mask, shape), kRows, axis, ranks);
    }
  }
  causal = isConstantCausalMask(mask);
  return causal ? Value() : mask;
}

//===----------------------------------------------------------------------===//
// Raising it
//===----------------------------------------------------------------------===//

void RingRaisePass::raise(Operation *op) {
  OpBuilder builder(op);
  SourceAttention source;
  if (auto attention = dyn_cast<ttir::ScaledDotProductAttentionOp>(op)) {
    if (!readAttention(attention, source))
      return;
  } else if (auto composite = dyn_cast<ttcore::CompositeOp>(op)) {
    if (!readDilated(composite, source))
      return;
  } else if (!readForward(cast<ttir::SDPAForwardOp>(op), source)) {
    return;
  }
  for (Value tensor : {source.query, source.key, source.value})
    if (!TTIRBuilder::typeOf(tensor).hasStaticShape()) {
      leave(op, "dynamic shapes");
      return;
    }

  // P1 to P3 show in the operands; P4 only in an annotation.
  auto query = findGather(source.query);
  auto key = findGather(source.key);
  auto value = findGather(source.value);
  Arrival arrival = Arrival::Whole;
  std::optional<int64_t> axis;
  if (key && value && key->axis == value->axis) {
    bool gathered = query && query->axis == key->axis;
    arrival = gathered ? Arrival::Gathered : Arrival::KeysGathered;
    axis = key->axis;
  } else if (auto trade = findHeadTrade(source.query)) {
    key = findHeadTrade(source.key);
    value = findHeadTrade(source.value);
    if (!key || !value || key->axis != trade->axis ||
        value->axis != trade->axis) {
      leave(op, "only some of query, key and value are traded for heads");
      return;
    }
    query = trade;
    arrival = Arrival::HeadsTraded;
    axis = trade->axis;
    if (source.sink || source.mask || source.intermediates) {
      leave(op, "a mask, a sink or intermediates beside traded heads");
      return;
    }
    if (!llvm::all_of(source.output.getUsers(), [&](Operation *user) {
          return isTradeBack(user, *axis);
        })) {
      leave(op, "the traded heads are not all traded back");
      return;
    }
  }

  if (isDilatedComposite(op) && arrival != Arrival::Whole &&
      arrival != Arrival::Gathered) {
    leave(op, "a dilated pattern over some of the rows or heads");
    return;
  }

  ParallelAttr parallel = annotationOf(op);
  MLIRContext *context = op->getContext();
  if (axis) {
    parallel = ParallelAttr::get(context, *axis, std::nullopt);
  } else if (!parallel) {
    leave(op, "its sequence is neither gathered nor annotated with " +
                  kParallelAttrName);
    return;
  }

  // Whole tensors: those of the host, or what every device gathers.
  auto rowsOf = [](Value tensor) {
    RankedTensorType type = TTIRBuilder::typeOf(tensor);
    return type.getDimSize(type.getRank() - 2);
  };
  int64_t ranks = axis ? rowsOf(source.key) / rowsOf(key->local) : 1;
  if (arrival == Arrival::KeysGathered && source.pattern &&
      rowsOf(source.query) * ranks != rowsOf(source.key)) {
    leave(op, "gathered keys beside queries that are all there");
    return;
  }
  TTIRBuilder tensors(builder, op->getLoc());
  // The whole of a shard: what the attention had, if that is it.
  auto gather = [&](Value shard, Value had) -> Value {
    return gatherWhole(tensors, shard, had, *axis, ranks);
  };
  Value wholeQuery = source.query, wholeKey = source.key,
        wholeValue = source.value;
  if (arrival != Arrival::Whole) {
    wholeKey = gather(key->local, source.key);
    wholeValue = gather(value->local, source.value);
    wholeQuery =
        gather(arrival == Arrival::KeysGathered ? source.query : query->local,
               source.query);
  }

  Value mask;
  PatternAttrInterface pattern = source.pattern;
  if (source.mask) {
    bool causal = false;
    mask = wholeMask(builder, source, arrival, axis.value_or(0), ranks, causal);
    if (causal)
      pattern = CausalAttr::get(context);
  }
  SmallVector<int64_t> lseShape(TTIRBuilder::typeOf(wholeQuery).getShape());
  lseShape[3] = 1;
  SmallVector<int64_t> outputShape(TTIRBuilder::typeOf(wholeQuery).getShape());
  outputShape[3] = TTIRBuilder::typeOf(wholeValue).getDimSize(3);
  Type lse;
  if (source.intermediates || source.lse)
    lse = RankedTensorType::get(lseShape, builder.getF32Type());
  // The op refuses what does not fit its sequence; a composite stays then.
  if (isDilatedComposite(op) &&
      misfitOf(cast<DilatedAttr>(pattern),
               TTIRBuilder::typeOf(wholeKey).getDimSize(kRows))) {
    leave(op, "segments that do not fit the sequence");
    return;
  }
  auto attention = AttentionOp::create(
      builder, op->getLoc(),
      RankedTensorType::get(
          outputShape, TTIRBuilder::typeOf(source.output).getElementType()),
      /*joint_output=*/Type(), lse, wholeQuery, wholeKey, wholeValue,
      /*joint_query=*/Value(), /*joint_key=*/Value(), /*joint_value=*/Value(),
      mask, source.sink, /*page_table=*/Value(), /*chunk_start=*/Value(),
      pattern, source.scale, /*length=*/IntegerAttr(), parallel,
      /*plan=*/PlanAttr(),
      arrival == Arrival::Whole ? UnitAttr() : builder.getUnitAttr());
  replace(builder, source, attention, arrival, axis.value_or(0));
}

/// Gives the users of the source what they had: the whole result, or this
/// device's piece of it.
void RingRaisePass::replace(OpBuilder &builder, SourceAttention source,
                            AttentionOp attention, Arrival arrival,
                            int64_t axis) {
  auto ownRows = [&](Value whole, Type like) -> Value {
    return ttir::MeshPartitionOp::create(
        builder, attention.getLoc(), like, whole,
        builder.getIntegerAttr(builder.getIntegerType(32, true), kRows),
        builder.getIntegerAttr(builder.getIntegerType(32, false), axis));
  };
  Value output = attention.getOutput();
  if (arrival == Arrival::HeadsTraded) {
    for (Operation *user :
         llvm::make_early_inc_range(source.output.getUsers())) {
      Value back = user->getResult(0);
      back.replaceAllUsesWith(ownRows(output, back.getType()));
      user->erase();
    }
  } else {
    if (arrival == Arrival::KeysGathered)
      output = ownRows(output, source.output.getType());
    source.output.replaceAllUsesWith(output);
  }
  if (source.lse)
    source.lse.replaceAllUsesWith(attention.getLse());
  if (source.intermediates) {
    TTIRBuilder tensors(builder, attention.getLoc());
    Value padded = tensors.padTo(attention.getLse(), 3, kIntermediateColumns);
    if (arrival == Arrival::KeysGathered)
      padded = ownRows(padded, source.intermediates.getType());
    source.intermediates.replaceAllUsesWith(padded);
  }
  // A decomposition that nobody else uses goes with its composite.
  Operation *decomposition = nullptr;
  if (auto composite = dyn_cast<ttcore::CompositeOp>(source.op))
    decomposition = SymbolTable::lookupNearestSymbolFrom(
        composite, composite.getDecompositionAttr());
  eraseWithProducers(source.op);
  if (decomposition &&
      SymbolTable::symbolKnownUseEmpty(decomposition, getOperation()))
    decomposition->erase();
}

} // namespace
} // namespace mlir::ring
