// SPDX-License-Identifier: Apache-2.0
// From whole tensors to shards, between devices, and back to whole tensors.

#include "ShardedSequence.h"
#include "mlir/IR/PatternMatch.h"
#include "ring/Strategies/OwnHeads.h"
#include "ring/Strategies/Strategies.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

static constexpr int64_t kNone = ShardingAttr::kReplicated;
/// The dimension of the rows of q, k, v and their results.
static constexpr int64_t kRows = 2;

static RankedTensorType typeOf(Value value) {
  return TTIRBuilder::typeOf(value);
}

//===----------------------------------------------------------------------===//
// From whole tensors to shards
//===----------------------------------------------------------------------===//

ShardedSequence::ShardedSequence(OpBuilder &builder,
                                 WholeAttentionOpInterface source)
    : builder(builder), attention(source), attentionPlan(source.getPlanAttr()),
      attentionTraits(AttentionTraits::of(source)),
      tensorBuilder(builder, source.getLoc()) {
  layOut();
  placeDocuments();
}

void ShardedSequence::layOut() {
  Strategy strategy = plan().getStrategy();
  bool gathers = strategy == Strategy::AllGather;
  queriesAreSplit = infoOf(strategy).splitsQueries;
  // Pages that are on every device: who wants all of them need not send any.
  bool everywhere = traits().pages && !traits().cacheBlock;
  keysAreSplit = strategy != Strategy::Replicate && !(gathers && everywhere);
  auto layoutOf = [&](LayoutKind kind, int64_t length) {
    return LayoutAttr::get(attention.getContext(), kind, length, ranks(),
                           /*offset=*/0);
  };
  auto padded = [&](LayoutKind kind, int64_t rows) {
    return layoutOf(kind, traits().dilation ? dilatedLength(rows, ranks())
                                            : paddedLength(rows, kind, ranks(),
                                                           traits().perDevice));
  };
  if (queriesAreSplit)
    queryLayout = padded(plan().getLayout(), traits().queries);
  if (!keysAreSplit)
    return;
  if (int64_t block = traits().cacheBlock) {
    keyLayout = LayoutAttr::get(attention.getContext(), LayoutKind::BlockCyclic,
                                llvm::alignTo(traits().keys, ranks() * block),
                                ranks(), /*offset=*/0, block);
    return;
  }
  // Whole pages; 10 pages of 32 keys on 4 ranks: 12 pages, 3 on each.
  if (traits().pages) {
    int64_t pages = llvm::alignTo(traits().keys / traits().pageRows, ranks());
    keyLayout = layoutOf(LayoutKind::Contiguous, pages * traits().pageRows);
    return;
  }
  // Gathered keys are wanted in order, whatever the order of the queries.
  keyLayout = padded(gathers ? LayoutKind::Contiguous : plan().getLayout(),
                     traits().keys);
}

int64_t ShardedSequence::ringRanks() const {
  if (!infoOf(plan().getStrategy()).goesRound)
    return 1;
  return ranks() / plan().getHeadRanks().value_or(1);
}

bool ShardedSequence::startsLate() const {
  return traits().start && (!traits().chunkStart || !queriesAreSplit ||
                            infoOf(plan().getStrategy()).passesQueries);
}

int64_t ShardedSequence::headsAxis() const {
  return plan().getHeadsAxis().value_or(kNone);
}

int64_t ShardedSequence::headsAxisOf(RankedTensorType whole) const {
  return splittingAxis(whole, headsAxis(), axis().getMesh());
}

Value ShardedSequence::withOwnHeads(Value local, Value whole) {
  return headsAxisOf(typeOf(whole)) == headsAxis()
             ? local
             : ownHeads(local, headsRing());
}

AxisAttr ShardedSequence::headsRing() const {
  return AxisAttr::get(plan().getContext(), headsAxis(), axis().getMesh());
}

KeyValue ShardedSequence::wholeKeyValue() {
  auto attend = cast<AttendOpInterface>(attention.getOperation());
  return {attend.getKey(),
          traits().valuesInKeys ? Value() : Value(attend.getValue())};
}

Value ShardedSequence::shard(Value whole, ArrayRef<int64_t> axes,
                             std::optional<int64_t> sequence,
                             LayoutAttr layout) {
  auto sharding = ShardingAttr::get(
      attention.getContext(), axes, axis().getMesh(), sequence, layout,
      sequence ? plan().getOuter() : std::nullopt);
  RankedTensorType type = typeOf(whole);
  auto local = RankedTensorType::get(*sharding.getShardShape(type.getShape()),
                                     type.getElementType());
  // What every device has and nothing splits is there already.
  bool split = llvm::any_of(axes, [](int64_t axis) { return axis != kNone; });
  if (attention.getPerDevice() && !split)
    return whole;
  return ShardOp::create(builder, attention.getLoc(), local, whole, sharding,
                         attention.getPerDevice());
}

Value ShardedSequence::shardHeads(Value whole) {
  Value local = shard(whole, {kNone, headsAxisOf(typeOf(whole)), kNone, kNone},
                      std::nullopt, {});
  return withOwnHeads(local, whole);
}

/// Splits rows and heads. In a device's own function the shard is often there
/// already: it is what the gather was made from.
Value ShardedSequence::shardSequence(Value whole, LayoutAttr layout) {
  if (!layout)
    return shardHeads(whole);
  bool gathered = attention.getPerDevice() && !plan().getOuter() &&
                  isGatheredFromRows(whole, axis().getIndex());
  int64_t rows = typeOf(whole).getDimSize(kRows);
  if (gathered && layout.getLength() != rows)
    emitRemark(attention.getLoc(), "ring-shard: gathers all ")
        << rows << " rows, since they cannot be dealt as "
        << stringifyLayoutKind(layout.getKind()) << " over " << ranks()
        << " ranks without padding";
  if (gathered && layout.getLength() == rows) {
    Value own = whole.getDefiningOp<ttir::AllGatherOp>().getInput();
    if (layout.getKind() == LayoutKind::Contiguous)
      return own;
    auto contiguous =
        LayoutAttr::get(attention.getContext(), LayoutKind::Contiguous,
                        layout.getLength(), ranks(), layout.getOffset());
    return RelayoutOp::create(builder, attention.getLoc(), own, kRows,
                              contiguous, layout, axis());
  }
  Value local = shard(
      whole, {kNone, headsAxisOf(typeOf(whole)), axis().getIndex(), kNone},
      kRows, layout);
  return withOwnHeads(local, whole);
}

/// Tensors of a sequence-parallel model are spread over the ranks, so whoever
/// works on all rows gathers them. Those of one tile, as of a decoder, are
/// everywhere.
Value ShardedSequence::sequenceRows(Value whole, LayoutAttr layout) {
  int64_t rows = typeOf(whole).getDimSize(kRows);
  bool everywhere =
      plan().getStrategy() == Strategy::SplitKV && rows <= kTileRows;
  if (layout || everywhere || ranks() == 1 || attention.getPerDevice())
    return shardSequence(whole, layout);
  auto shares = LayoutAttr::get(
      attention.getContext(), LayoutKind::Contiguous,
      paddedLength(rows, LayoutKind::Contiguous, ranks(), /*perDevice=*/false),
      ranks(), /*offset=*/0);
  return tensors().slice(allGather(shardSequence(whole, shares), kRows, axis()),
                         kRows, 0, rows);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

void ShardedSequence::shardMask() {
  if (attention.getMask())
    localMask = shardedMask(attention.getMask());
}

Value ShardedSequence::shardedMask(Value mask) {
  int64_t heads = traits().maskHeads > 1 ? headsAxis() : kNone;
  if (!keysAreSplit)
    return shard(mask, {kNone, heads, kNone, kNone}, std::nullopt, {});
  if (!queriesAreSplit)
    return shard(mask, {kNone, heads, kNone, axis().getIndex()}, 3, keyLayout);

  mask = tensors().padTo(mask, 3, keyLayout.getLength());
  LayoutAttr rows = queryLayout;
  if (ringRanks() > 1) {
    mask = rollMask(mask);
    if (traits().maskRows == 1)
      rows = LayoutAttr::get(attention.getContext(), LayoutKind::Contiguous,
                             ranks(), ranks(), /*offset=*/0);
  } else if (traits().maskRows == 1) {
    return shard(mask, {kNone, heads, kNone, kNone}, std::nullopt, {});
  } else if (heads == kNone) {
    // In a device's own function its rows are what the gather was made from.
    if (attention.getPerDevice() && !plan().getOuter() &&
        rows.getKind() == LayoutKind::Contiguous &&
        rows.getLength() == typeOf(mask).getDimSize(kRows) &&
        isGatheredFromRows(mask, axis().getIndex()))
      return mask.getDefiningOp<ttir::AllGatherOp>().getInput();
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
///
/// Ranks that trade heads have the keys of their group: those of a group turn
/// alike. In a ring of rings the inner ones turn too, each in its place: with 2
/// rings of 2 and blocks a, b, c, d
///
///   rank 0   a b c d        rank 2   c d a b
///   rank 1   b a d c        rank 3   d c b a
Value ShardedSequence::rollMask(Value mask) {
  bool oneRow = traits().maskRows == 1;
  int64_t rows = oneRow ? 1 : queryLayout.getShardLength();
  int64_t columns = keyLayout.getLength() / ringRanks();
  if (!oneRow)
    mask = tensors().padTo(mask, kRows, queryLayout.getLength());
  SmallVector<Value> rolled;
  for (int64_t rank = 0; rank < ranks(); ++rank) {
    Value own =
        oneRow ? mask
               : tensors().slice(mask, kRows, rank * rows, (rank + 1) * rows);
    rolled.push_back(turnColumns(own, rank * ringRanks() / ranks(), columns));
  }
  return tensors().concat(rolled, kRows);
}

/// The columns of a mask in the order in which a ring that starts with block
/// `first` meets them.
Value ShardedSequence::turnColumns(Value mask, int64_t first, int64_t columns) {
  auto from = [&](int64_t begin, int64_t blocks) {
    return tensors().slice(mask, 3, begin * columns,
                           (begin + blocks) * columns);
  };
  // From `start` on round the blocks `begin` to `begin + size`.
  SmallVector<Value> pieces;
  auto turn = [&](int64_t begin, int64_t size, int64_t start) {
    pieces.push_back(from(begin + start, size - start));
    if (start > 0)
      pieces.push_back(from(begin, start));
  };
  if (plan().getStrategy() != Strategy::DoubleRing) {
    turn(0, ringRanks(), first);
  } else {
    int64_t inner = plan().getInnerRing().getRanks();
    int64_t outer = plan().getOuterRing().getRanks();
    for (int64_t round = 0; round < outer; ++round)
      turn((first / inner + round) % outer * inner, inner, first % inner);
  }
  return pieces.size() == 1 ? pieces.front() : tensors().concat(pieces, 3);
}

Value ShardedSequence::maskFor(int64_t source) {
  int64_t groups = ringRanks();
  if (!localMask || groups == 1)
    return localMask;
  int64_t columns = keyLayout.getLength() / groups;
  int64_t place = ((source % groups) + groups) % groups;
  return tensors().slice(localMask, 3, place * columns, (place + 1) * columns);
}

//===----------------------------------------------------------------------===//
// Blocks and transfers
//===----------------------------------------------------------------------===//

/// Joint queries have no position; and without a pattern none is needed.
bool ShardedSequence::hasPlacedQueries() {
  return blockPattern() && traits().joint == 0 && !startsLate() &&
         !traits().lateDocuments;
}

BlockAttr ShardedSequence::block(int64_t source, AxisAttr inner,
                                 int64_t outerSource, AxisAttr outer) {
  auto rows = BlockAttr::get(attention.getContext(),
                             hasPlacedQueries() ? queryLayout : LayoutAttr(),
                             keyLayout, source, inner, outerSource, outer);
  if (!traits().documents)
    return rows;
  return documentBlock(rows, queryLayout.getShardLength(),
                       keyLayout.getShardLength());
}

BlockAttr ShardedSequence::block(LayoutAttr queries, LayoutAttr keys,
                                 int64_t source, AxisAttr axis,
                                 int64_t firstKey) {
  bool placed = hasPlacedQueries();
  if (placed && traits().start)
    queries = queries.movedBy(*traits().chunkStart);
  if (placed && !visits.empty())
    return visitBlock(queries, keys, source, axis);
  auto rows =
      BlockAttr::get(attention.getContext(), placed ? queries : LayoutAttr(),
                     keys, source, firstKey, axis);
  if (!traits().documents)
    return rows;
  return documentBlock(rows, queries.getShardLength(),
                       keys.getShardLength() - firstKey);
}

/// A causal pattern never reaches the padding, unless queries start later than
/// the keys do.
IntegerAttr ShardedSequence::realKeys() {
  if (isPacked || traits().lateDocuments)
    return {};
  IntegerAttr length = attention.getLengthAttr();
  if (!length && keysAreSplit && keyLayout.getLength() > traits().keys &&
      (!traits().isCausal() || traits().start))
    length = builder.getI64IntegerAttr(traits().keys);
  return length;
}

Value ShardedSequence::valuesOf(KeyValue keys) {
  return keys.value ? keys.value
                    : tensors().slice(keys.key, 3, 0, traits().valueDim);
}

Part ShardedSequence::attendBlock(Value query, Value positions, KeyValue keys,
                                  BlockAttr block, Value mask,
                                  PatternAttrInterface pattern,
                                  IntegerAttr length) {
  Value value = valuesOf(keys);
  SmallVector<int64_t> shape(typeOf(query).getShape());
  shape[3] = typeOf(value).getDimSize(3);
  SmallVector<int64_t> lseShape(shape);
  lseShape[3] = 1;
  auto partial = PartialOp::create(
      builder, attention.getLoc(),
      RankedTensorType::get(shape, builder.getF32Type()),
      RankedTensorType::get(lseShape, builder.getF32Type()), query, keys.key,
      value, mask, positions, asPositions(keys.positions), pattern,
      attention.getScaleAttr(), length, block);
  return {partial.getOutput(), partial.getLse()};
}

Part ShardedSequence::merge(Part lhs, Part rhs) {
  auto merged = MergeOp::create(builder, attention.getLoc(),
                                lhs.output.getType(), lhs.lse.getType(),
                                lhs.output, lhs.lse, rhs.output, rhs.lse);
  return {merged.getOutput(), merged.getLse()};
}

SmallVector<Value> ShardedSequence::shift(ValueRange travellers, int64_t by,
                                          AxisAttr axis, int64_t reaching) {
  return ShiftOp::create(builder, attention.getLoc(), TypeRange(travellers),
                         travellers, by, axis,
                         reaching == 0 ? IntegerAttr()
                                       : builder.getI64IntegerAttr(reaching))
      .getResults();
}

/// A causal pattern over chunks in the order of the ranks: the keys of a rank
/// before are seen, those of a rank behind are not. Keys that have come 2 hops
/// on 4 ranks are those of rank 2 3 0 1, which ranks 2 and 3 see.
int64_t ShardedSequence::firstToSee(LayoutAttr queries, LayoutAttr keys,
                                    int64_t hops, AxisAttr axis) {
  bool open = queries == keys && opensRing(traits(), plan());
  return open ? hops % axis.getRanks() : 0;
}

Value ShardedSequence::allToAll(Value input, int64_t split, int64_t concat,
                                AxisAttr axis) {
  SmallVector<int64_t> shape(typeOf(input).getShape());
  shape[split] /= axis.getRanks();
  shape[concat] *= axis.getRanks();
  return AllToAllOp::create(
      builder, attention.getLoc(),
      RankedTensorType::get(shape, typeOf(input).getElementType()), input,
      split, concat, axis);
}

Value ShardedSequence::allGather(Value input, int64_t dim, AxisAttr axis) {
  SmallVector<int64_t> shape(typeOf(input).getShape());
  shape[dim] *= axis.getRanks();
  return AllGatherOp::create(
      builder, attention.getLoc(),
      RankedTensorType::get(shape, typeOf(input).getElementType()), input, dim,
      axis);
}

Value ShardedSequence::gatherRows(Value input, int64_t source, int64_t offset,
                                  int64_t size) {
  SmallVector<int64_t> shape(typeOf(input).getShape());
  shape[kRows] = size;
  auto part = PartAttr::get(attention.getContext(), source, offset, size,
                            /*stride=*/1);
  return GatherOp::create(
      builder, attention.getLoc(),
      RankedTensorType::get(shape, typeOf(input).getElementType()), input,
      kRows, builder.getArrayAttr({part}), axis());
}

Value ShardedSequence::ownHeads(Value everyHead, AxisAttr axis) {
  return ring::ownHeads(builder, attention.getLoc(), everyHead, axis);
}

Value ShardedSequence::numberOfRank(ArrayRef<int64_t> numbers) {
  SmallVector<float> entries(numbers.begin(), numbers.end());
  auto table = RankedTensorType::get({1, 1, ranks(), 1}, builder.getF32Type());
  auto sharding = ShardingAttr::get(attention.getContext(),
                                    {kNone, kNone, axis().getIndex(), kNone},
                                    axis().getMesh(), std::nullopt, {});
  // A constant is on every device, whosever the other tensors are.
  return ShardOp::create(
      builder, attention.getLoc(),
      RankedTensorType::get({1, 1, 1, 1}, builder.getF32Type()),
      tensors().constant(
          DenseElementsAttr::get(table, ArrayRef<float>(entries))),
      sharding, /*replicated=*/true);
}

Value ShardedSequence::route(Value input, ArrayAttr legs, int64_t rows,
                             float fill) {
  SmallVector<int64_t> shape(typeOf(input).getShape());
  shape[kRows] = rows;
  return RouteOp::create(
      builder, attention.getLoc(),
      RankedTensorType::get(shape, typeOf(input).getElementType()), input,
      kRows, legs, fill == 0.0f ? FloatAttr() : builder.getF32FloatAttr(fill),
      axis());
}

//===----------------------------------------------------------------------===//
// Back to whole tensors
//===----------------------------------------------------------------------===//

Value ShardedSequence::unshard(Value local, RankedTensorType whole,
                               LayoutAttr layout) {
  int64_t sequenceAxis = layout ? axis().getIndex() : kNone;
  if (attention.getPerDevice() && sequenceAxis == kNone)
    return local;
  std::optional<int64_t> sequence;
  if (layout)
    sequence = kRows;
  auto sharding = ShardingAttr::get(
      attention.getContext(), {kNone, headsAxisOf(whole), sequenceAxis, kNone},
      axis().getMesh(), sequence, layout,
      sequence ? plan().getOuter() : std::nullopt);
  return UnshardOp::create(builder, attention.getLoc(), whole, local, sharding,
                           attention.getPerDevice());
}

/// In a device's own function, whoever takes this device's piece of the result
/// gets the shard; only the others need the whole.
void ShardedSequence::replaceSequenceResult(Value result, Value local,
                                            LayoutAttr layout) {
  RankedTensorType whole = typeOf(result);
  bool exact = layout && layout.getLength() == whole.getDimSize(kRows) &&
               !plan().getOuter();
  if (attention.getPerDevice() && exact) {
    Value contiguous;
    for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
      if (!takesOwnRows(user, axis().getIndex()))
        continue;
      if (!contiguous && layout.getKind() == LayoutKind::Contiguous)
        contiguous = local;
      if (!contiguous)
        contiguous = RelayoutOp::create(
            builder, attention.getLoc(), local, kRows, layout,
            LayoutAttr::get(attention.getContext(), LayoutKind::Contiguous,
                            layout.getLength(), ranks(), /*offset=*/0),
            axis());
      user->getResult(0).replaceAllUsesWith(contiguous);
      user->erase();
    }
  }
  if (!result.use_empty())
    result.replaceAllUsesWith(unshard(local, whole, layout));
}

} // namespace mlir::ring
