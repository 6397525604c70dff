// SPDX-License-Identifier: Apache-2.0
// Attentions over a cache become ring.attention: decode steps, with and without
// pages, and chunks of a prefill.

#include "DeviceValues.h"
#include "RaiseSteps.h"
#include "SequenceGathers.h"
#include "ring/Analysis/AttentionTraits.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

RankedTensorType typeOf(Value value) { return TTIRBuilder::typeOf(value); }

/// What the attentions over caches have in common. A query of a decode step is
/// `[1, users, heads, dim]`.
struct CacheAttention {
  Operation *op;
  Value query, key, value;
  Value mask, sink, pageTable, start;
  PatternAttrInterface pattern;
  FloatAttr scale;
  IntegerAttr length;
  ParallelAttr parallel;
  bool perDevice = false;

  /// Queries see the keys up to their positions, of all users or of each.
  void startAt(TTIRBuilder &tensors, Value positions) {
    start = tensors.reshape(positions, {typeOf(positions).getNumElements()});
    pattern = CausalAttr::get(start.getContext());
  }
};

/// Whether a cache is dealt out to the devices.
bool isDealt(ParallelAttr parallel) {
  return parallel && parallel.getCacheBlock();
}

/// One integer in a tensor of its own.
Value integer(OpBuilder &builder, Location loc, int64_t number) {
  auto type = RankedTensorType::get({1}, builder.getI32Type());
  return TTIRBuilder(builder, loc)
      .constant(DenseElementsAttr::get(type, static_cast<int32_t>(number)));
}

/// Whether all operands have known sizes, none of them 0.
bool haveKnownSizes(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() &&
           !llvm::is_contained(tensor.getShape(), 0);
  });
}

/// `[users, heads, 1, dim]` of a decode step's query, and back.
Value queryOfStep(TTIRBuilder &tensors, Value query) {
  return tensors.permute(query, {1, 2, 0, 3});
}

/// `[1 or users, 1, 1 or heads, keys]` -> `[1 or users, 1 or heads, 1, keys]`.
Value maskOfStep(TTIRBuilder &tensors, Value mask) {
  return tensors.permute(mask, {0, 2, 1, 3});
}

/// Replaces the op; the result goes back to the form of a decode step if its
/// query came in it.
void replace(OpBuilder &builder, const CacheAttention &source, bool isStep) {
  RankedTensorType query = typeOf(source.query);
  SmallVector<int64_t> shape(query.getShape());
  shape[3] = typeOf(source.value).getDimSize(3);
  auto attention = AttentionOp::create(
      builder, source.op->getLoc(),
      RankedTensorType::get(shape, query.getElementType()),
      /*joint_output=*/Type(), /*lse=*/Type(), source.query, source.key,
      source.value, /*joint_query=*/Value(), /*joint_key=*/Value(),
      /*joint_value=*/Value(), source.mask, source.sink, source.pageTable,
      source.start, /*documents=*/Value(), source.pattern, source.scale,
      source.length,
      /*joint_length=*/IntegerAttr(), source.parallel, /*plan=*/PlanAttr(),
      source.perDevice ? builder.getUnitAttr() : UnitAttr());
  Value output = attention.getOutput();
  TTIRBuilder tensors(builder, source.op->getLoc());
  if (isStep)
    output = tensors.permute(output, {2, 0, 1, 3});
  source.op->getResult(0).replaceAllUsesWith(output);
  eraseWithProducers(source.op);
}

/// A decode step over a dense cache. The cache is annotated, or what a device
/// gathers from all; the one query of each user is on every device.
void raiseStep(ttir::ScaledDotProductAttentionDecodeOp op,
               ParallelAttr annotation) {
  OpBuilder builder(op);
  TTIRBuilder tensors(builder, op.getLoc());
  CacheAttention source;
  source.op = op;
  auto key = GatheredRows::ofGather(op.getKey()),
       value = GatheredRows::ofGather(op.getValue());
  source.parallel = annotation;
  source.key = op.getKey();
  source.value = op.getValue();
  if (key && value && key->axis() == value->axis() &&
      key->rows() == value->rows()) {
    source.parallel =
        ParallelAttr::get(op.getContext(), key->axis(), std::nullopt);
    source.perDevice = true;
  } else if (!annotation) {
    leaveUnparallel(op);
    return;
  } else if (areOnDevices({op.getQuery(), op.getKey(), op.getValue()})) {
    leaveOnDevices(op);
    return;
  }
  source.scale = op.getScaleAttr();
  source.sink = op.getAttentionSink();
  int64_t keys = typeOf(op.getKey()).getDimSize(2);
  std::optional<int64_t> last = constantInteger(op.getCurPosTensor());
  if (op.getIsCausal() && last && (*last < 0 || *last >= keys)) {
    leaveAsItIs(op, "a position outside the cache");
    return;
  }
  source.query = queryOfStep(tensors, op.getQuery());
  if (op.getAttentionMask())
    source.mask = maskOfStep(tensors, op.getAttentionMask());
  else if (op.getIsCausal() && last && !isDealt(source.parallel))
    source.length = builder.getI64IntegerAttr(*last + 1);
  else if (op.getIsCausal())
    source.startAt(tensors, op.getCurPosTensor());
  if (source.perDevice) {
    source.key = key->whole(builder, op.getLoc());
    source.value = value->whole(builder, op.getLoc());
    // Only the first rows are the cache.
    if (source.mask)
      source.mask = tensors.padTo(source.mask, 3, key->rows());
    if (key->isCut() && !source.length)
      source.length = builder.getI64IntegerAttr(keys);
  }
  replace(builder, source, /*isStep=*/true);
}

/// A decode step over pages: a chunk of one query that starts at its position.
/// `values` makes the pages of the values, once it is known that they are
/// wanted.
template <typename StepOp>
void raisePagedStep(StepOp op, ParallelAttr annotation,
                    std::optional<uint32_t> window,
                    function_ref<Value(TTIRBuilder &)> values) {
  if (!annotation) {
    leaveUnparallel(op);
    return;
  }
  if (areOnDevices({op.getQuery(), op.getKey()})) {
    leaveOnDevices(op);
    return;
  }
  if (op.getAttentionMask()) {
    leaveAsItIs(op, "a mask over pages");
    return;
  }
  Value position = op.getCurPosTensor();
  int64_t keys = typeOf(op.getKey()).getDimSize(2) *
                 typeOf(op.getPageTable()).getDimSize(1);
  std::optional<int64_t> start = keys - 1;
  if (position)
    start = constantInteger(position);
  if (start && (*start < 0 || *start >= keys)) {
    leaveAsItIs(op, "a position outside the cache");
    return;
  }
  OpBuilder builder(op);
  TTIRBuilder tensors(builder, op.getLoc());
  CacheAttention source;
  source.op = op;
  source.query = queryOfStep(tensors, op.getQuery());
  source.key = op.getKey();
  source.value = values(tensors);
  source.sink = op.getAttentionSink();
  source.pageTable = op.getPageTable();
  source.startAt(tensors,
                 start ? integer(builder, op.getLoc(), *start) : position);
  if (window && *window > 0)
    source.pattern = WindowAttr::get(op.getContext(), *window - 1, 0);
  source.scale = op.getScaleAttr();
  source.parallel = annotation;
  replace(builder, source, /*isStep=*/true);
}

void raiseStep(ttir::PagedScaledDotProductAttentionDecodeOp op,
               ParallelAttr annotation) {
  raisePagedStep(op, annotation, op.getSlidingWindowSize(),
                 [&](TTIRBuilder &) { return op.getValue(); });
}

/// Of a latent cache the values are the first columns, unless there are others.
void raiseStep(ttir::PagedFlashMultiLatentAttentionDecodeOp op,
               ParallelAttr annotation) {
  raisePagedStep(op, annotation, /*window=*/std::nullopt,
                 [&](TTIRBuilder &tensors) -> Value {
                   if (op.getValue())
                     return op.getValue();
                   return tensors.slice(op.getKey(), /*dim=*/3, 0,
                                        op.getHeadDimV());
                 });
}

void raiseChunk(ttir::ChunkedScaledDotProductAttentionOp op,
                ParallelAttr annotation) {
  if (!annotation) {
    leaveUnparallel(op);
    return;
  }
  if (areOnDevices({op.getQuery(), op.getKey(), op.getValue()})) {
    leaveOnDevices(op);
    return;
  }
  OpBuilder builder(op);
  CacheAttention source;
  source.op = op;
  source.query = op.getQuery();
  source.key = op.getKey();
  source.value = op.getValue();
  source.pageTable = op.getPageTable();
  source.start = op.getChunkStartIdx();
  source.pattern = CausalAttr::get(op.getContext());
  source.scale = op.getScaleAttr();
  source.parallel = annotation;
  replace(builder, source, /*isStep=*/false);
}

} // namespace

bool isCacheAttention(Operation *op) {
  return isa<ttir::ScaledDotProductAttentionDecodeOp,
             ttir::PagedScaledDotProductAttentionDecodeOp,
             ttir::PagedFlashMultiLatentAttentionDecodeOp,
             ttir::ChunkedScaledDotProductAttentionOp>(op);
}

void raiseCacheAttention(Operation *op, ParallelAttr annotation) {
  if (!haveKnownSizes(op)) {
    leaveAsItIs(op, "dynamic or empty shapes");
    return;
  }
  if (typeOf(op->getResult(0)).getElementType() !=
      typeOf(op->getOperand(0)).getElementType()) {
    leaveAsItIs(op, "a result of another type than the query");
    return;
  }
  if (auto step = dyn_cast<ttir::ScaledDotProductAttentionDecodeOp>(op))
    raiseStep(step, annotation);
  else if (auto paged =
               dyn_cast<ttir::PagedScaledDotProductAttentionDecodeOp>(op))
    raiseStep(paged, annotation);
  else if (auto latent =
               dyn_cast<ttir::PagedFlashMultiLatentAttentionDecodeOp>(op))
    raiseStep(latent, annotation);
  else
    raiseChunk(cast<ttir::ChunkedScaledDotProductAttentionOp>(op), annotation);
}

} // namespace mlir::ring
