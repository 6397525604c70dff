// SPDX-License-Identifier: Apache-2.0
// ring-raise: sequence-parallel attentions of TTIR become ring.attention.

#include "../DilatedComposite.h"
#include "RaiseSteps.h"
#include "SequenceGathers.h"
#include "SourceAttention.h"
#include "SpelledOut.h"
#include "ring/Conversion/Passes.h"
#include "ring/Dialect/Ring/IR/Dilation.h"
#include "ring/Dialect/Ring/IR/RingDialect.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGRAISE
#include "ring/Conversion/Passes.h.inc"

namespace {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;

constexpr int64_t kHeads = 1, kRows = 2;
/// Columns of sdpa_fw's intermediates; the first holds the log-sum-exp.
constexpr int64_t kIntermediateColumns = 32;

/// How the sequence reaches the attention.
enum class Arrival { Whole, Gathered, HeadsTraded, KeysGathered };

/// How joint tokens reach it: as they are, all gathered from shares, or the
/// keys gathered and the queries a share.
enum class JointArrival { AsTheyAre, Gathered, KeysGathered };

/// Notes the ops that a builder writes, so that they can be taken back.
class WrittenOps : public OpBuilder::Listener {
public:
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint /*previous*/) override {
    ops.push_back(op);
  }
  void eraseAll() {
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

private:
  SmallVector<Operation *> ops;
};

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
    ScopedDiagnosticHandler listen(&getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
        left.push_back({current, diagnostic.str()});
      return failure();
    });
    // What a raised composite stood for is no attention any more.
    for (Operation *op : attentionsThat([](Operation *op) {
           return isa<ttcore::CompositeOp>(op) && isAttention(op);
         }))
      raise(current = op);
    eraseUnusedDecompositions();
    for (Operation *op : attentionsThat([](Operation *op) {
           return !isa<ttcore::CompositeOp>(op) &&
                  (isAttention(op) || isCacheAttention(op) ||
                   isa<ttir::SDPABackwardOp>(op));
         })) {
      current = op;
      if (auto backward = dyn_cast<ttir::SDPABackwardOp>(op))
        raiseBackward(backward, annotationOf(op));
      else if (isCacheAttention(op))
        raiseCacheAttention(op, annotationOf(op));
      else
        raise(op);
    }
    for (Operation *op : attentionsThat(endsSoftmax))
      raiseSpelledOut(current = op);
    warnOfNothingRaised();
  }

private:
  /// The ops of the module, in order, of which `isWanted` says so.
  SmallVector<Operation *>
  attentionsThat(llvm::function_ref<bool(Operation *)> isWanted) {
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (isWanted(op))
        found.push_back(op);
    });
    return found;
  }

  void warnOfNothingRaised();
  void raise(Operation *op);
  void raiseSpelledOut(Operation *softmax);
  /// Replaces an attention whose operands are gathered or which `parallel`, if
  /// it is not null, asks to distribute; says why where it does not.
  bool raise(SourceAttention source, ParallelAttr parallel);
  /// Composites that were raised leave behind what they stood for.
  void eraseUnusedDecompositions() {
    for (StringAttr name : decompositions) {
      Operation *function = SymbolTable::lookupSymbolIn(getOperation(), name);
      if (function &&
          SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        function->erase();
    }
  }
  bool findJoint(SourceAttention &source, Arrival arrival,
                 std::optional<int64_t> axis, JointArrival &joint);
  ParallelAttr annotationOf(Operation *op);
  Value wholeMask(OpBuilder &builder, const SourceAttention &source,
                  Arrival arrival, int64_t axis, int64_t ranks, bool &causal);
  void replace(OpBuilder &builder, SourceAttention source,
               AttentionOp attention, Arrival arrival, JointArrival joint,
               int64_t axis);

  /// What the options say of attentions without an annotation.
  ParallelAttr byOptions;
  /// Ops that were left as they are, with the remark that says why.
  SmallVector<std::pair<Operation *, std::string>> left;
  /// The one that is being raised.
  Operation *current = nullptr;
  /// Private functions that raised composites named.
  llvm::SmallSetVector<StringAttr, 4> decompositions;

  static bool leave(Operation *op, const Twine &reason) {
    return leaveAsItIs(op, reason);
  }
};

//===----------------------------------------------------------------------===//
// What comes with query, key and value
//===----------------------------------------------------------------------===//

/// How joint tokens arrive beside a sequence that does as `arrival` says.
bool RingRaisePass::findJoint(SourceAttention &source, Arrival arrival,
                              std::optional<int64_t> axis,
                              JointArrival &joint) {
  joint = JointArrival::AsTheyAre;
  if (!source.jointQuery)
    return true;
  if (arrival == Arrival::HeadsTraded)
    return leave(source.op, "joint tokens beside traded heads");
  auto gathered = [&](Value tensor) {
    auto gather = findGather(tensor);
    return axis && gather && gather->axis == *axis;
  };
  bool key = gathered(source.jointKey), value = gathered(source.jointValue);
  if (!axis || (!key && !value && !gathered(source.jointQuery)))
    return true;
  if (!key || !value)
    return leave(source.op, "only some of the joint tokens are gathered");
  joint = gathered(source.jointQuery) ? JointArrival::Gathered
                                      : JointArrival::KeysGathered;
  return true;
}

ParallelAttr RingRaisePass::annotationOf(Operation *op) {
  for (Operation *scope = op; scope; scope = scope->getParentOp())
    if (auto parallel = scope->getAttrOfType<ParallelAttr>(kParallelAttrName))
      return parallel;
  return byOptions;
}

/// Who asks for a ring wants to know that none came of it, and what was there
/// instead.
void RingRaisePass::warnOfNothingRaised() {
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *scope) {
    bool asks = scope->hasAttr(kParallelAttrName) ||
                (scope == getOperation() && byOptions);
    int64_t ops = 0;
    WalkResult rings = scope->walk([&](Operation *op) {
      ++ops;
      return isa_and_nonnull<RingDialect>(op->getDialect())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!asks || rings.wasInterrupted())
      return WalkResult::advance();
    InFlightDiagnostic warning =
        emitWarning(scope->getLoc(), "ring-raise: 0 attentions raised, ");
    auto seen = llvm::find_if(
        left, [&](const auto &one) { return scope->isAncestor(one.first); });
    if (seen == left.end()) {
      warning << "no attention op and no softmax between two products in "
              << ops << " ops";
      return WalkResult::skip();
    }
    warning << "though ring.parallel or sequence-axis asks for it";
    // The remark stands beside the warning where they are of the same op.
    if (seen->first != scope)
      warning.attachNote(seen->first->getLoc()) << seen->second;
    return WalkResult::skip();
  });
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
  causal = takeCausalMask(mask);
  // Each device has the mask of its own heads. One for all heads may still be
  // another on each device, unless it is a constant.
  if (!causal && arrival == Arrival::HeadsTraded &&
      !(source.mask.getDefiningOp<ttir::ConstantOp>() &&
        TTIRBuilder::typeOf(mask).getDimSize(kHeads) == 1)) {
    SmallVector<int64_t> shape(TTIRBuilder::typeOf(mask).getShape());
    shape[kHeads] = TTIRBuilder::typeOf(source.query).getDimSize(kHeads);
    mask =
        tensors.allGather(tensors.broadcast(mask, shape), kHeads, axis, ranks);
  }
  return causal ? Value() : mask;
}

//===----------------------------------------------------------------------===//
// Raising it
//===----------------------------------------------------------------------===//

void RingRaisePass::raise(Operation *op) {
  SourceAttention source;
  if (readAttention(op, source))
    raise(std::move(source), annotationOf(op));
}

/// Raises the attention around a softmax. Nothing is said of one that nothing
/// distributes: it may be any softmax.
void RingRaisePass::raiseSpelledOut(Operation *softmax) {
  SourceAttention source;
  std::string reason;
  WrittenOps written;
  OpBuilder builder(softmax->getContext(), &written);
  ParallelAttr annotation = annotationOf(softmax);
  switch (readSpelledOut(builder, softmax, source, reason)) {
  case Spelling::NoAttention:
    return;
  case Spelling::Unreadable:
    if (annotation)
      leave(softmax, reason);
    return;
  case Spelling::Attention:
    bool isWanted =
        annotation || findGather(source.key) || findHeadTrade(source.key);
    if (!isWanted || !raise(std::move(source), annotation))
      written.eraseAll();
  }
}

bool RingRaisePass::raise(SourceAttention source, ParallelAttr parallel) {
  Operation *op = source.op;
  OpBuilder builder(op);
  if (!canBeRaised(source))
    return false;

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
      return leave(op,
                   "only some of query, key and value are traded for heads");
    }
    ArrayRef<int64_t> output = TTIRBuilder::typeOf(source.output).getShape();
    if (!source.outputOrder.empty() || output.size() != 4 ||
        output.take_front(3) !=
            TTIRBuilder::typeOf(source.query).getShape().take_front(3))
      return leave(op, "traded heads beside an output of another form");
    query = trade;
    arrival = Arrival::HeadsTraded;
    axis = trade->axis;
  }

  if (isa_and_nonnull<DilatedAttr>(source.pattern) &&
      arrival != Arrival::Whole && arrival != Arrival::Gathered) {
    return leave(op, "a dilated pattern over some of the rows or heads");
  }

  MLIRContext *context = op->getContext();
  JointArrival joint;
  if (!findJoint(source, arrival, axis, joint))
    return false;
  if (axis) {
    parallel = ParallelAttr::get(context, *axis, std::nullopt,
                                 joint == JointArrival::AsTheyAre
                                     ? JointPlacement::Replicated
                                     : JointPlacement::Sharded);
  } else if (!parallel) {
    return leaveUnparallel(op);
  }

  // Whole tensors: those of the host, or what every device gathers.
  auto rowsOf = [](Value tensor) {
    RankedTensorType type = TTIRBuilder::typeOf(tensor);
    return type.getDimSize(type.getRank() - 2);
  };
  int64_t ranks = axis ? rowsOf(source.key) / rowsOf(key->local) : 1;
  if (arrival == Arrival::KeysGathered && source.pattern &&
      rowsOf(source.query) * ranks != rowsOf(source.key)) {
    return leave(op, "gathered keys beside queries that are all there");
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

  Value jointQuery = source.jointQuery;
  if (joint == JointArrival::KeysGathered)
    jointQuery = gather(jointQuery, jointQuery);

  Value mask, sink = source.sink;
  if (sink && arrival == Arrival::HeadsTraded)
    sink = tensors.allGather(sink, kHeads, *axis, ranks);
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
  Type lse, jointOutput;
  if (jointQuery) {
    SmallVector<int64_t> shape(outputShape);
    shape[kRows] = rowsOf(jointQuery);
    jointOutput = RankedTensorType::get(
        shape, TTIRBuilder::typeOf(source.jointOutput).getElementType());
  }
  if (source.intermediates || source.lse)
    lse = RankedTensorType::get(lseShape, builder.getF32Type());
  // The op refuses what does not fit its sequence; a composite stays then.
  if (isa_and_nonnull<DilatedAttr>(source.pattern) &&
      misfitOf(cast<DilatedAttr>(pattern),
               TTIRBuilder::typeOf(wholeKey).getDimSize(kRows))) {
    return leave(op, "segments that do not fit the sequence");
  }
  if (source.length && (source.length.getInt() < 1 ||
                        source.length.getInt() >
                            TTIRBuilder::typeOf(wholeKey).getDimSize(kRows))) {
    return leave(op, "a length that is none of the sequence's");
  }
  auto attention = AttentionOp::create(
      builder, op->getLoc(),
      RankedTensorType::get(
          outputShape, TTIRBuilder::typeOf(source.output).getElementType()),
      jointOutput, lse, wholeQuery, wholeKey, wholeValue, jointQuery,
      source.jointKey, source.jointValue, mask, sink,
      /*page_table=*/Value(), /*chunk_start=*/Value(), pattern, source.scale,
      source.length ? builder.getI64IntegerAttr(source.length.getInt())
                    : IntegerAttr(),
      /*joint_length=*/IntegerAttr(), parallel,
      /*plan=*/PlanAttr(),
      arrival == Arrival::Whole ? UnitAttr() : builder.getUnitAttr());
  if (auto composite = dyn_cast<ttcore::CompositeOp>(op)) {
    Operation *function = SymbolTable::lookupNearestSymbolFrom(
        op, composite.getDecompositionAttr());
    if (function && SymbolTable::getSymbolVisibility(function) ==
                        SymbolTable::Visibility::Private)
      decompositions.insert(composite.getDecompositionAttr().getAttr());
  }
  replace(builder, source, attention, arrival, joint, axis.value_or(0));
  return true;
}

/// Gives the users of the source what they had: the whole result, or this
/// device's piece of it.
void RingRaisePass::replace(OpBuilder &builder, SourceAttention source,
                            AttentionOp attention, Arrival arrival,
                            JointArrival joint, int64_t axis) {
  TTIRBuilder tensors(builder, attention.getLoc());
  auto rowsLike = [&](Value whole, Value like) {
    return ownRows(tensors, whole, axis,
                   TTIRBuilder::typeOf(whole).getDimSize(kRows) /
                       TTIRBuilder::typeOf(like).getDimSize(kRows));
  };
  Value output = attention.getOutput();
  if (arrival == Arrival::HeadsTraded) {
    auto trade = source.query.getDefiningOp<ttir::AllToAllOp>();
    int64_t ranks = trade.getSplitCount();
    replaceTraded(builder, source.output, ownRows(tensors, output, axis, ranks),
                  axis, trade);
    if (source.intermediates)
      replaceTraded(
          builder, source.intermediates,
          tensors.padTo(ownRows(tensors, attention.getLse(), axis, ranks), 3,
                        kIntermediateColumns),
          axis, trade);
    eraseWithProducers(source.op, source.parts);
    return;
  }
  if (arrival == Arrival::KeysGathered)
    output = rowsLike(output, source.query);
  if (!source.outputOrder.empty())
    output = tensors.permute(output, source.outputOrder);
  source.output.replaceAllUsesWith(
      tensors.reshape(output, TTIRBuilder::typeOf(source.output).getShape()));
  if (source.jointOutput) {
    Value whole = attention.getJointOutput();
    source.jointOutput.replaceAllUsesWith(
        joint == JointArrival::KeysGathered
            ? rowsLike(whole, source.jointOutput)
            : whole);
  }
  if (source.lse)
    source.lse.replaceAllUsesWith(attention.getLse());
  if (source.intermediates) {
    Value padded = tensors.padTo(attention.getLse(), 3, kIntermediateColumns);
    if (arrival == Arrival::KeysGathered)
      padded = rowsLike(padded, source.intermediates);
    source.intermediates.replaceAllUsesWith(padded);
  }
  eraseWithProducers(source.op, source.parts);
}

} // namespace
} // namespace mlir::ring
