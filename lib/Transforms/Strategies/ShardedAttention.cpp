// SPDX-License-Identifier: Apache-2.0
// From whole tensors to shards, and from parts back to whole tensors.

#include "ShardedAttention.h"
#include "mlir/IR/PatternMatch.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

static constexpr int64_t kNone = ShardingAttr::kReplicated;
/// Dimensions of q, k, v and their results.
static constexpr int64_t kHeads = 1, kRows = 2;

static RankedTensorType typeOf(Value value) {
  return TTIRBuilder::typeOf(value);
}

//===----------------------------------------------------------------------===//
// From whole tensors to shards
//===----------------------------------------------------------------------===//

ShardedAttention::ShardedAttention(OpBuilder &builder, AttentionOp op)
    : builder(builder), op(op), attentionPlan(op.getPlanAttr()),
      attentionTraits(AttentionTraits::of(op)),
      tensorBuilder(builder, op.getLoc()) {
  Strategy strategy = plan().getStrategy();
  queriesAreSplit =
      strategy != Strategy::Replicate && strategy != Strategy::SplitKV;
  keysAreSplit = strategy != Strategy::Replicate;
  // Gathered keys are wanted in order, whatever the order of the queries.
  LayoutKind keyKind = strategy == Strategy::AllGather ? LayoutKind::Contiguous
                                                       : plan().getLayout();
  auto layoutOf = [&](LayoutKind kind, int64_t rows) {
    int64_t length = paddedLength(rows, kind, ranks(), traits().replicated);
    return LayoutAttr::get(op.getContext(), kind, length, ranks(),
                           /*offset=*/0);
  };
  if (queriesAreSplit)
    queryLayout = layoutOf(plan().getLayout(), traits().queries);
  if (keysAreSplit)
    keyLayout = layoutOf(keyKind, traits().keys);

  localQuery = shardSequence(op.getQuery(), queryLayout);
  localKeyValue.key = shardSequence(withRepeatedHeads(op.getKey()), keyLayout);
  localKeyValue.value =
      shardSequence(withRepeatedHeads(op.getValue()), keyLayout);
  if (op.getMask())
    localMask = shardMask();

  if (op.getSink()) {
    // The sink opens the sum: every softmax sees it once.
    Value sink = shardHeads(op.getSink());
    SmallVector<int64_t> shape(typeOf(localQuery).getShape());
    shape[3] = traits().valueDim;
    SmallVector<int64_t> lseShape(shape);
    lseShape[3] = 1;
    auto empty = EmptyOp::create(
        builder, op.getLoc(),
        RankedTensorType::get(shape, builder.getF32Type()),
        RankedTensorType::get(lseShape, builder.getF32Type()), sink);
    accumulated = {empty.getOutput(), empty.getLse()};
  }
  if (op.getJointQuery()) {
    localQuery =
        tensors().concat({localQuery, shardHeads(op.getJointQuery())}, kRows);
    KeyValue joint{shardHeads(withRepeatedHeads(op.getJointKey())),
                   shardHeads(withRepeatedHeads(op.getJointValue()))};
    add(attend(localQuery, joint, BlockAttr()));
  }
}

int64_t ShardedAttention::headsAxis() const {
  return plan().getHeadsAxis().value_or(kNone);
}

/// Fewer key heads than devices on their axis: every device needs one, so each
/// is repeated for the devices that share it. 2 heads on 4 devices: 0 0 1 1.
Value ShardedAttention::withRepeatedHeads(Value keysOrValues) {
  if (headsAxis() == kNone)
    return keysOrValues;
  int64_t shards = axis().getMesh()[headsAxis()];
  int64_t heads = typeOf(keysOrValues).getDimSize(kHeads);
  if (heads % shards == 0)
    return keysOrValues;
  return tensors().repeatInterleave(keysOrValues, kHeads, shards / heads);
}

Value ShardedAttention::shard(Value whole, ArrayRef<int64_t> axes,
                              std::optional<int64_t> sequence,
                              LayoutAttr layout) {
  auto sharding = ShardingAttr::get(op.getContext(), axes, axis().getMesh(),
                                    sequence, layout);
  RankedTensorType type = typeOf(whole);
  auto local = RankedTensorType::get(*sharding.getShardShape(type.getShape()),
                                     type.getElementType());
  // What every device has and nothing splits is there already.
  bool split = llvm::any_of(axes, [](int64_t axis) { return axis != kNone; });
  if (op.getReplicated() && !split)
    return whole;
  return ShardOp::create(builder, op.getLoc(), local, whole, sharding,
                         op.getReplicated());
}

Value ShardedAttention::shardHeads(Value whole) {
  return shard(whole, {kNone, headsAxis(), kNone, kNone}, std::nullopt, {});
}

/// Splits rows and heads. In a device's own function the shard is often there
/// already: it is what the gather was made from.
Value ShardedAttention::shardSequence(Value whole, LayoutAttr layout) {
  if (!layout)
    return shardHeads(whole);
  auto gather = whole.getDefiningOp<ttir::AllGatherOp>();
  if (op.getReplicated() && gather && gather.getAllGatherDim() == kRows &&
      static_cast<int64_t>(gather.getClusterAxis()) == axis().getIndex() &&
      layout.getLength() == typeOf(whole).getDimSize(kRows)) {
    if (layout.getKind() == LayoutKind::Contiguous)
      return gather.getInput();
    auto contiguous =
        LayoutAttr::get(op.getContext(), LayoutKind::Contiguous,
                        layout.getLength(), ranks(), layout.getOffset());
    return RelayoutOp::create(builder, op.getLoc(), gather.getInput(), kRows,
                              contiguous, layout, axis());
  }
  return shard(whole, {kNone, headsAxis(), axis().getIndex(), kNone}, kRows,
               layout);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value ShardedAttention::shardMask() {
  Value mask = op.getMask();
  int64_t heads = traits().maskHeads > 1 ? headsAxis() : kNone;
  if (!keysAreSplit)
    return shard(mask, {kNone, heads, kNone, kNone}, std::nullopt, {});
  if (!queriesAreSplit)
    return shard(mask, {kNone, heads, kNone, axis().getIndex()}, 3, keyLayout);

  mask = tensors().padTo(mask, 3, keyLayout.getLength());
  LayoutAttr rows = queryLayout;
  if (plan().getStrategy() == Strategy::Ring) {
    mask = rollMask(mask);
    if (traits().maskRows == 1)
      rows = LayoutAttr::get(op.getContext(), LayoutKind::Contiguous, ranks(),
                             ranks(), /*offset=*/0);
  } else if (traits().maskRows == 1) {
    return shard(mask, {kNone, heads, kNone, kNone}, std::nullopt, {});
  }
  return shard(mask, {kNone, heads, axis().getIndex(), kNone}, kRows, rows);
}

/// Turns the columns of every device's rows so that its own keys come first:
/// then the keys of the rank j places further round are columns block j on
/// every device alike. With 3 ranks and blocks a, b, c of columns:
///
///   rank 0   a b c
///   rank 1   b c a
///   rank 2   c a b
Value ShardedAttention::rollMask(Value mask) {
  bool oneRow = traits().maskRows == 1;
  int64_t rows = oneRow ? 1 : queryLayout.getShardLength();
  int64_t columns = keyLayout.getShardLength(), all = keyLayout.getLength();
  if (!oneRow)
    mask = tensors().padTo(mask, kRows, queryLayout.getLength());
  SmallVector<Value> rolled;
  for (int64_t rank = 0; rank < ranks(); ++rank) {
    Value own =
        oneRow ? mask
               : tensors().slice(mask, kRows, rank * rows, (rank + 1) * rows);
    if (rank != 0)
      own = tensors().concat({tensors().slice(own, 3, rank * columns, all),
                              tensors().slice(own, 3, 0, rank * columns)},
                             3);
    rolled.push_back(own);
  }
  return tensors().concat(rolled, kRows);
}

Value ShardedAttention::maskFor(int64_t source) {
  if (!localMask || plan().getStrategy() != Strategy::Ring)
    return localMask;
  int64_t columns = keyLayout.getShardLength();
  int64_t place = ((source % ranks()) + ranks()) % ranks();
  return tensors().slice(localMask, 3, place * columns, (place + 1) * columns);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

BlockAttr ShardedAttention::block(LayoutAttr queries, LayoutAttr keys,
                                  int64_t source, AxisAttr axis,
                                  int64_t firstKey) {
  // Joint queries have no position; and without a pattern none is needed.
  bool placed = op.getPatternAttr() && !op.getJointQuery();
  return BlockAttr::get(op.getContext(), placed ? queries : LayoutAttr(), keys,
                        source, firstKey, axis);
}

Part ShardedAttention::attend(Value query, KeyValue keys, BlockAttr block,
                              Value mask) {
  SmallVector<int64_t> shape(typeOf(query).getShape());
  shape[3] = typeOf(keys.value).getDimSize(3);
  SmallVector<int64_t> lseShape(shape);
  lseShape[3] = 1;

  // Joint keys are never padding, and a causal pattern never reaches it.
  bool joint = op.getJointKey() && !block;
  int64_t real = traits().keys;
  IntegerAttr length = op.getLengthAttr();
  if (!length && keysAreSplit && keyLayout.getLength() > real &&
      !traits().isCausal())
    length = builder.getI64IntegerAttr(real);
  auto partial = PartialOp::create(
      builder, op.getLoc(), RankedTensorType::get(shape, builder.getF32Type()),
      RankedTensorType::get(lseShape, builder.getF32Type()), query, keys.key,
      keys.value, mask, op.getPatternAttr(), op.getScaleAttr(),
      joint ? IntegerAttr() : length, block);
  return {partial.getOutput(), partial.getLse()};
}

Part ShardedAttention::merge(Part lhs, Part rhs) {
  auto merged = MergeOp::create(builder, op.getLoc(), lhs.output.getType(),
                                lhs.lse.getType(), lhs.output, lhs.lse,
                                rhs.output, rhs.lse);
  return {merged.getOutput(), merged.getLse()};
}

void ShardedAttention::add(Part part) {
  accumulated = accumulated.output ? merge(accumulated, part) : part;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

KeyValue ShardedAttention::shift(KeyValue keys, int64_t by, AxisAttr axis) {
  Value tensors[] = {keys.key, keys.value};
  auto shifted = ShiftOp::create(
      builder, op.getLoc(), TypeRange(ValueRange(tensors)), tensors, by, axis);
  return {shifted.getResult(0), shifted.getResult(1)};
}

Part ShardedAttention::shift(Part part, int64_t by, AxisAttr axis) {
  KeyValue shifted = shift(KeyValue{part.output, part.lse}, by, axis);
  return {shifted.key, shifted.value};
}

Value ShardedAttention::allToAll(Value input, int64_t split, int64_t concat,
                                 AxisAttr axis) {
  SmallVector<int64_t> shape(typeOf(input).getShape());
  shape[split] /= axis.getRanks();
  shape[concat] *= axis.getRanks();
  return AllToAllOp::create(
      builder, op.getLoc(),
      RankedTensorType::get(shape, typeOf(input).getElementType()), input,
      split, concat, axis);
}

Value ShardedAttention::allGather(Value input, int64_t dim, AxisAttr axis) {
  SmallVector<int64_t> shape(typeOf(input).getShape());
  shape[dim] *= axis.getRanks();
  return AllGatherOp::create(
      builder, op.getLoc(),
      RankedTensorType::get(shape, typeOf(input).getElementType()), input, dim,
      axis);
}

Value ShardedAttention::gatherRows(Value input, int64_t source, int64_t offset,
                                   int64_t size) {
  SmallVector<int64_t> shape(typeOf(input).getShape());
  shape[kRows] = size;
  auto part = PartAttr::get(op.getContext(), source, offset, size,
                            /*stride=*/1);
  return GatherOp::create(
      builder, op.getLoc(),
      RankedTensorType::get(shape, typeOf(input).getElementType()), input,
      kRows, builder.getArrayAttr({part}), axis());
}

//===----------------------------------------------------------------------===//
// From parts back to whole tensors
//===----------------------------------------------------------------------===//

Value ShardedAttention::unshard(Value local, RankedTensorType whole,
                                bool hasSequence) {
  int64_t sequenceAxis = hasSequence ? axis().getIndex() : kNone;
  if (op.getReplicated() && sequenceAxis == kNone)
    return local;
  std::optional<int64_t> sequence;
  if (hasSequence)
    sequence = kRows;
  auto sharding = ShardingAttr::get(
      op.getContext(), {kNone, headsAxis(), sequenceAxis, kNone},
      axis().getMesh(), sequence, hasSequence ? queryLayout : LayoutAttr());
  return UnshardOp::create(builder, op.getLoc(), whole, local, sharding,
                           op.getReplicated());
}

/// In a device's own function, whoever takes this device's piece of the result
/// gets the shard; only the others need the whole.
void ShardedAttention::replaceSequenceResult(Value result, Value local) {
  RankedTensorType whole = typeOf(result);
  bool exact =
      queryLayout && queryLayout.getLength() == whole.getDimSize(kRows);
  if (op.getReplicated() && exact) {
    Value contiguous;
    for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
      auto partition = dyn_cast<ttir::MeshPartitionOp>(user);
      if (!partition || partition.getDim() != kRows ||
          static_cast<int64_t>(partition.getClusterAxis().value_or(0)) !=
              axis().getIndex())
        continue;
      if (!contiguous && queryLayout.getKind() == LayoutKind::Contiguous)
        contiguous = local;
      if (!contiguous)
        contiguous = RelayoutOp::create(
            builder, op.getLoc(), local, kRows, queryLayout,
            LayoutAttr::get(op.getContext(), LayoutKind::Contiguous,
                            queryLayout.getLength(), ranks(), /*offset=*/0),
            axis());
      partition.replaceAllUsesWith(contiguous);
      partition.erase();
    }
  }
  if (!result.use_empty())
    result.replaceAllUsesWith(
        unshard(local, whole, static_cast<bool>(queryLayout)));
}

void ShardedAttention::finish() {
  int64_t rows = queryLayout ? queryLayout.getShardLength() : traits().queries;
  int64_t all = rows + traits().joint;
  Value output = tensors().typecast(accumulated.output, traits().elementType);
  Value sequence = tensors().slice(output, kRows, 0, rows);
  if (op.getJointOutput()) {
    Value joint = tensors().slice(output, kRows, rows, all);
    op.getJointOutput().replaceAllUsesWith(
        unshard(joint, op.getJointOutput().getType(), /*hasSequence=*/false));
  }
  if (op.getLse()) {
    RankedTensorType type = op.getLse().getType();
    Value lse = tensors().slice(accumulated.lse, kRows, 0, rows);
    if (!traits().joint) {
      replaceSequenceResult(op.getLse(), lse);
    } else {
      auto withRows = [&](int64_t rows) {
        SmallVector<int64_t> shape(type.getShape());
        shape[kRows] = rows;
        return RankedTensorType::get(shape, type.getElementType());
      };
      Value joint = tensors().slice(accumulated.lse, kRows, rows, all);
      op.getLse().replaceAllUsesWith(tensors().concat(
          {unshard(lse, withRows(traits().queries), /*hasSequence=*/true),
           unshard(joint, withRows(traits().joint), /*hasSequence=*/false)},
          kRows));
    }
  }
  replaceSequenceResult(op.getOutput(), sequence);
  op.erase();
}

} // namespace mlir::ring
