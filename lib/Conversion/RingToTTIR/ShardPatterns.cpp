// SPDX-License-Identifier: Apache-2.0
// The border between whole tensors and shards, and the moves from one layout of
// the sequence to another.

#include "DeviceChoice.h"
#include "Patterns.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Support/SequenceOrder.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;

namespace {

/// A dimension of mesh_shard is split by one axis of the mesh.
LogicalResult expectOneAxis(Operation *op, ShardingAttr sharding) {
  if (!sharding.getOuter())
    return success();
  return op->emitOpError("cannot be lowered: expects the sequence on one mesh "
                         "axis, but got axes ")
         << *sharding.getOuter() << " and "
         << sharding.getAxes()[*sharding.getSequence()];
}

/// A host's tensor is split and put together as it is: mesh_shard neither pads
/// nor orders.
LogicalResult expectRowsInOrder(Operation *op, ShardingAttr sharding,
                                RankedTensorType whole) {
  std::optional<int64_t> sequence = sharding.getSequence();
  if (!sequence)
    return success();
  LayoutAttr layout = sharding.getLayout();
  if (layout.getLength() == whole.getDimSize(*sequence) &&
      (layout.getKind() == LayoutKind::Contiguous || layout.getRanks() == 1))
    return success();
  return op->emitOpError("cannot be lowered: expects ring-place-on-devices to "
                         "have run, which pads and orders on the devices, but "
                         "got ")
         << layout << " of the host's " << whole.getDimSize(*sequence)
         << " rows";
}

/// ring.shard -> mesh_shard of the host's tensor; of one that every device has
/// pad, order, then a mesh_partition per split dimension.
struct LowerShard : OpConversionPattern<ShardOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ShardOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TTIRBuilder tensors(rewriter, op.getLoc());
    ShardingAttr sharding = op.getSharding();
    if (failed(expectOneAxis(op, sharding)))
      return failure();
    Value whole = adaptor.getInput();
    if (!op.getReplicated()) {
      if (failed(expectRowsInOrder(op, sharding, op.getInput().getType())))
        return failure();
      rewriter.replaceOp(
          op, tensors.meshShard(whole, op.getType(), sharding.getAxes(),
                                sharding.getMesh(),
                                ttcore::MeshShardDirection::FullToShard));
      return success();
    }
    if (std::optional<int64_t> dim = sharding.getSequence()) {
      LayoutAttr layout = sharding.getLayout();
      whole = tensors.padTo(whole, *dim, layout.getLength());
      whole = toShardOrder(tensors, whole, *dim, layout);
    }
    for (auto [dim, axis] : llvm::enumerate(sharding.getAxes()))
      if (axis != ShardingAttr::kReplicated)
        whole =
            tensors.meshPartition(whole, dim, axis, sharding.getMesh()[axis]);
    rewriter.replaceOp(op, whole);
    return success();
  }
};

/// ring.unshard -> mesh_shard back to the host; for every device an all_gather
/// per split dimension, then order, then cut the padding off.
struct LowerUnshard : OpConversionPattern<UnshardOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(UnshardOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TTIRBuilder tensors(rewriter, op.getLoc());
    ShardingAttr sharding = op.getSharding();
    if (failed(expectOneAxis(op, sharding)))
      return failure();
    Value whole = adaptor.getInput();
    if (!op.getReplicated()) {
      if (failed(expectRowsInOrder(op, sharding, op.getType())))
        return failure();
      rewriter.replaceOp(
          op, tensors.meshShard(whole, op.getType(), sharding.getAxes(),
                                sharding.getMesh(),
                                ttcore::MeshShardDirection::ShardToFull));
      return success();
    }
    for (auto [dim, axis] : llvm::enumerate(sharding.getAxes()))
      if (axis != ShardingAttr::kReplicated)
        whole = tensors.allGather(whole, dim, axis, sharding.getMesh()[axis]);
    if (std::optional<int64_t> sequence = sharding.getSequence()) {
      whole = fromShardOrder(tensors, whole, *sequence, sharding.getLayout());
      whole = tensors.slice(whole, *sequence, 0,
                            op.getType().getDimSize(*sequence));
    }
    rewriter.replaceOp(op, whole);
    return success();
  }
};

/// Moves a shard from one layout to another, contiguous in between.
class Relayout {
public:
  Relayout(OpBuilder &builder, RelayoutOp op)
      : builder(builder), op(op), tensors(builder, op.getLoc()) {}

  /// The shard in the layout that the op asks for, or nothing if no route is
  /// known.
  FailureOr<Value> run(Value shard) {
    FailureOr<Value> contiguous = toContiguous(shard, op.getFrom());
    if (failed(contiguous))
      return failure();
    return fromContiguous(*contiguous, op.getTo());
  }

private:
  int64_t ranks() { return op.getAxis().getRanks(); }
  int64_t dim() { return op.getDim(); }

  Value half(Value shard, bool second) {
    int64_t rows = TTIRBuilder::typeOf(shard).getDimSize(dim()) / 2;
    return tensors.slice(shard, dim(), second ? rows : 0,
                         second ? 2 * rows : rows);
  }

  /// Where the chunks 2r + `odd` of the contiguous ranks r live in a zigzag:
  /// chunk c on rank c, or on 2P-1-c from P on. For 4 ranks the even chunks 0 2
  /// 4 6 go to 0 2 3 1 and the odd ones 1 3 5 7 to 1 3 2 0: each time every
  /// rank gets one, so that one permutation moves them.
  SmallVector<int64_t> zigzagRanks(bool odd) {
    SmallVector<int64_t> targets;
    for (int64_t rank = 0; rank < ranks(); ++rank) {
      int64_t chunk = 2 * rank + odd;
      targets.push_back(chunk < ranks() ? chunk : 2 * ranks() - 1 - chunk);
    }
    return targets;
  }

  /// An even rank's early chunk is even and its late one odd; an odd rank's the
  /// other way round. Exchanges the two on odd ranks.
  std::pair<Value, Value> exchangeOnOddRanks(Value first, Value second) {
    SmallVector<bool> even;
    for (int64_t rank = 0; rank < ranks(); ++rank)
      even.push_back(rank % 2 == 0);
    auto choose = [&](Value onEven, Value onOdd) {
      return chooseByRank(builder, op.getLoc(), onEven, onOdd, even,
                          op.getAxis());
    };
    return {choose(first, second), choose(second, first)};
  }

  Value zigzagFromContiguous(Value shard) {
    Value even = permuteRanks(builder, op.getLoc(), half(shard, false),
                              zigzagRanks(false), op.getAxis());
    Value odd = permuteRanks(builder, op.getLoc(), half(shard, true),
                             zigzagRanks(true), op.getAxis());
    auto [early, late] = exchangeOnOddRanks(even, odd);
    return tensors.concat({early, late}, dim());
  }

  Value contiguousFromZigzag(Value shard) {
    auto inverse = [](ArrayRef<int64_t> targets) {
      SmallVector<int64_t> sources(targets.size());
      for (auto [source, target] : llvm::enumerate(targets))
        sources[target] = source;
      return sources;
    };
    Value early = half(shard, false), late = half(shard, true);
    auto [even, odd] = exchangeOnOddRanks(early, late);
    Value first = permuteRanks(builder, op.getLoc(), even,
                               inverse(zigzagRanks(false)), op.getAxis());
    Value second = permuteRanks(builder, op.getLoc(), odd,
                                inverse(zigzagRanks(true)), op.getAxis());
    return tensors.concat({first, second}, dim());
  }

  Value mirror(Value shard) {
    SmallVector<int64_t> targets;
    for (int64_t rank = 0; rank < ranks(); ++rank)
      targets.push_back(ranks() - 1 - rank);
    return permuteRanks(builder, op.getLoc(), shard, targets, op.getAxis());
  }

  /// Piece `i` of the rows to rank `i`; what arrives in rank order.
  Value tradeRows(Value shard) {
    SmallVector<int64_t> shape(TTIRBuilder::typeOf(shard).getShape());
    SmallVector<int64_t> split(shape);
    split[dim()] /= ranks();
    split.insert(split.begin() + dim(), ranks());
    Value traded = tensors.allToAll(tensors.reshape(shard, split), dim(),
                                    dim() + 1, ringsOf(op.getAxis()), ranks());
    return tensors.reshape(traded, shape);
  }

  /// Where the ranks do not divide a shard's rows: all rows everywhere, in
  /// order, of which each device keeps its own.
  FailureOr<Value> throughAllRows(Value shard, LayoutAttr from, LayoutAttr to) {
    AxisAttr axis = op.getAxis();
    if (axis.getMesh()[axis.getIndex()] != ranks())
      return failure();
    Value all = tensors.allGather(shard, dim(), axis.getIndex(), ranks());
    all = fromShardOrder(tensors, all, dim(), from);
    all = toShardOrder(tensors, all, dim(), to);
    return tensors.meshPartition(all, dim(), axis.getIndex(), ranks());
  }

  LayoutAttr contiguousLike(LayoutAttr layout) {
    return LayoutAttr::get(layout.getContext(), LayoutKind::Contiguous,
                           layout.getLength(), layout.getRanks(),
                           layout.getOffset());
  }

  /// Striped and block-cyclic: contiguous chunk a of rank r, of its C, is chunk
  /// r * C + a of all and goes to rank a mod P if P divides C. So every P-th
  /// chunk goes to the same rank, and what arrives is in the order of the
  /// positions.
  FailureOr<Value> fromContiguous(Value shard, LayoutAttr to) {
    int64_t chunks = to.getShardLength() / to.getValue().chunkRows();
    switch (to.getKind()) {
    case LayoutKind::Contiguous:
      return shard;
    case LayoutKind::Mirrored:
      return mirror(shard);
    case LayoutKind::Zigzag:
      return zigzagFromContiguous(shard);
    case LayoutKind::Striped:
    case LayoutKind::BlockCyclic:
      if (chunks % ranks() != 0)
        return throughAllRows(shard, contiguousLike(to), to);
      return tradeRows(
          exchangeRows(tensors, shard, dim(), chunks / ranks(), ranks()));
    }
    llvm_unreachable("unknown layout kind");
  }

  FailureOr<Value> toContiguous(Value shard, LayoutAttr from) {
    int64_t chunks = from.getShardLength() / from.getValue().chunkRows();
    switch (from.getKind()) {
    case LayoutKind::Contiguous:
      return shard;
    case LayoutKind::Mirrored:
      return mirror(shard);
    case LayoutKind::Zigzag:
      return contiguousFromZigzag(shard);
    case LayoutKind::Striped:
    case LayoutKind::BlockCyclic:
      if (chunks % ranks() != 0)
        return throughAllRows(shard, from, contiguousLike(from));
      return exchangeRows(tensors, tradeRows(shard), dim(), ranks(),
                          chunks / ranks());
    }
    llvm_unreachable("unknown layout kind");
  }

  OpBuilder &builder;
  RelayoutOp op;
  TTIRBuilder tensors;
};

/// ring.relayout -> permutations of half shards, or an exchange of rows.
struct LowerRelayout : OpConversionPattern<RelayoutOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RelayoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<Value> moved = Relayout(rewriter, op).run(adaptor.getInput());
    if (failed(moved))
      return rewriter.notifyMatchFailure(
          op, "the ranks of a sub-ring do not divide the chunks of a shard");
    rewriter.replaceOp(op, *moved);
    return success();
  }
};

} // namespace

void populateShardPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerRelayout, LowerShard, LowerUnshard>(patterns.getContext());
}

} // namespace mlir::ring
