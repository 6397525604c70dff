// SPDX-License-Identifier: Apache-2.0
// ring-keep-sharded: what works token by token runs on the devices, from a
// function's arguments to its results.

#include "KeepSharded.h"
#include "FusedProducts.h"
#include "TokenFlow.h"
#include "mlir/IR/Diagnostics.h"
#include "ring/Support/TTIRBuilder.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGKEEPSHARDED
#include "ring/Transforms/Passes.h.inc"

namespace {

namespace ttir = mlir::tt::ttir;

constexpr int64_t kNone = ShardingAttr::kReplicated;

RankedTensorType typeOf(Value value) { return TTIRBuilder::typeOf(value); }

/// A whole tensor of the host, as the devices have it.
struct Sharded {
  Value local;
  ShardingAttr sharding;
  /// Padding may hold an infinity or NaN.
  bool spoilt = false;
};

/// One block's ops, moved to the devices in their order.
class BlockOnShards {
public:
  explicit BlockOnShards(Block &block) : block(block), flow(block) {}

  void run();

private:
  void move(Operation *op);
  void replaceShard(ShardOp shard);
  void keepWhole(Operation *op, StringRef why) { reasons[op] = why; }
  ShardingAttr shardingOf(Value whole) const {
    return sharded.lookup(whole).sharding;
  }
  int64_t splitTerms(Operation *op, const TokenWiseDims &dims,
                     ShardingAttr result) const;
  Value operandFor(OpBuilder &builder, Operation *op, Value whole,
                   ShardingAttr wanted);
  Value reshard(OpBuilder &builder, Location loc, Value whole,
                ShardingAttr wanted);
  static Value ownPart(OpBuilder &builder, Location loc, Value local,
                       int64_t dim, int64_t axis, ArrayRef<int64_t> mesh);
  Value withoutPadding(OpBuilder &builder, Location loc, Value local,
                       ShardingAttr sharding, int64_t tokens);
  Value onShards(OpBuilder &builder, Operation *op, ValueRange operands,
                 RankedTensorType type, int64_t summedAxis);
  void tellWhatStaysWhole();

  Block &block;
  TokenFlow flow;
  llvm::DenseMap<Value, Sharded> sharded;
  /// Shards of tensors from elsewhere, by how they are split.
  llvm::DenseMap<std::pair<Value, Attribute>, Value> shards;
  llvm::DenseMap<Operation *, StringRef> reasons;
  /// The last shard of a weight, all of which stand before everything else.
  Operation *lastWeight = nullptr;
};

class RingKeepShardedPass
    : public impl::RingKeepShardedBase<RingKeepShardedPass> {
public:
  using RingKeepShardedBase::RingKeepShardedBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *function) {
      if (function->getNumRegions() == 1 && function->getNumResults() == 0 &&
          !isa<ModuleOp>(function))
        for (Block &block : function->getRegion(0))
          keepSharded(block);
    });
  }
};

bool isPadded(ShardingAttr sharding, RankedTensorType whole) {
  std::optional<int64_t> sequence = sharding.getSequence();
  return sequence &&
         sharding.getLayout().getLength() != whole.getDimSize(*sequence);
}

RankedTensorType shardType(ShardingAttr sharding, RankedTensorType whole) {
  return RankedTensorType::get(*sharding.getShardShape(whole.getShape()),
                               whole.getElementType());
}

void BlockOnShards::run() {
  if (!flow.hasAttention())
    return;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto unshard = dyn_cast<UnshardOp>(op)) {
      if (!unshard.getReplicated())
        sharded[unshard.getResult()] = {unshard.getInput(),
                                        unshard.getSharding()};
    } else if (auto shard = dyn_cast<ShardOp>(op)) {
      replaceShard(shard);
    } else if (op.getNumResults() > 0 && !isConstant(&op) &&
               !llvm::any_of(op.getResults(),
                             [&](Value v) { return flow.isLocal(v); })) {
      move(&op);
    }
  }
  // What nobody reads as a whole any more goes, last users first.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op)) {
      reasons.erase(&op);
      op.erase();
    }
  tellWhatStaysWhole();
}

//===----------------------------------------------------------------------===//
// From one sharding to another
//===----------------------------------------------------------------------===//

/// Brings a tensor that the devices have to another sharding, on the devices:
/// tokens by a relayout where both layouts hold the same positions, else by
/// gathering them; other dimensions by a gather or a partition of each.
Value BlockOnShards::reshard(OpBuilder &builder, Location loc, Value whole,
                             ShardingAttr wanted) {
  Value local = sharded.lookup(whole).local;
  ShardingAttr from = sharded.lookup(whole).sharding;
  if (from == wanted)
    return local;
  if (from.getSequence() != wanted.getSequence() ||
      from.getOuter() != wanted.getOuter() ||
      from.getLayout() != wanted.getLayout()) {
    bool samePositions =
        from.getSequence() && from.getSequence() == wanted.getSequence() &&
        !from.getOuter() && !wanted.getOuter() &&
        from.getLayout().getLength() == wanted.getLayout().getLength() &&
        from.getAxes()[*from.getSequence()] ==
            wanted.getAxes()[*wanted.getSequence()];
    if (!samePositions) {
      Value all = UnshardOp::create(builder, loc, whole.getType(), local, from,
                                    /*replicated=*/true);
      return ShardOp::create(builder, loc, shardType(wanted, typeOf(whole)),
                             all, wanted, /*replicated=*/true);
    }
    int64_t axis = from.getAxes()[*from.getSequence()];
    local = RelayoutOp::create(
        builder, loc, local, *from.getSequence(), from.getLayout(),
        wanted.getLayout(),
        AxisAttr::get(builder.getContext(), axis, from.getMesh()));
  }
  for (auto [dim, axes] :
       llvm::enumerate(llvm::zip_equal(from.getAxes(), wanted.getAxes()))) {
    auto [has, needs] = axes;
    if (has == needs)
      continue;
    if (has != kNone) {
      auto axis = AxisAttr::get(builder.getContext(), has, from.getMesh());
      SmallVector<int64_t> shape(typeOf(local).getShape());
      shape[dim] *= axis.getRanks();
      local = AllGatherOp::create(
          builder, loc,
          RankedTensorType::get(shape, typeOf(local).getElementType()), local,
          dim, axis);
    }
    if (needs != kNone)
      local = ownPart(builder, loc, local, dim, needs, wanted.getMesh());
  }
  return local;
}

/// A device's own part of what all devices of a mesh axis have. TTIR's op for
/// it knows two axes of a mesh.
Value BlockOnShards::ownPart(OpBuilder &builder, Location loc, Value local,
                             int64_t dim, int64_t axis,
                             ArrayRef<int64_t> mesh) {
  constexpr int64_t kAxesOfTTIR = 2;
  if (axis < kAxesOfTTIR)
    return TTIRBuilder(builder, loc)
        .meshPartition(local, dim, axis, mesh[axis]);
  SmallVector<int64_t> axes(typeOf(local).getRank(), kNone);
  axes[dim] = axis;
  auto split = ShardingAttr::get(builder.getContext(), axes, mesh,
                                 /*sequence=*/std::nullopt, LayoutAttr());
  return ShardOp::create(builder, loc, shardType(split, typeOf(local)), local,
                         split, /*replicated=*/true);
}

/// Zeros where the padding is, since the weight of a padded key is 0, and 0
/// times infinity is not.
Value BlockOnShards::withoutPadding(OpBuilder &builder, Location loc,
                                    Value local, ShardingAttr sharding,
                                    int64_t tokens) {
  TTIRBuilder tensors(builder, loc);
  int64_t sequence = *sharding.getSequence();
  RankedTensorType type = typeOf(local);
  SmallVector<int64_t> shape(type.getRank(), 1), axes(type.getRank(), kNone);
  shape[sequence] = tokens;
  axes[sequence] = sharding.getAxes()[sequence];
  auto rows =
      ShardingAttr::get(builder.getContext(), axes, sharding.getMesh(),
                        sequence, sharding.getLayout(), sharding.getOuter());
  Value real = tensors.full(shape, type.getElementType(), 1.0f);
  real = ShardOp::create(builder, loc, shardType(rows, typeOf(real)), real,
                         rows, /*replicated=*/false);
  return tensors.where(
      real, local, tensors.full(type.getShape(), type.getElementType(), 0.0f));
}

/// shard(x) where x is on the devices already.
void BlockOnShards::replaceShard(ShardOp shard) {
  auto found = sharded.find(shard.getInput());
  if (found == sharded.end() || shard.getReplicated())
    return;
  OpBuilder builder(shard);
  ShardingAttr sharding = shard.getSharding();
  Value local = reshard(builder, shard.getLoc(), shard.getInput(), sharding);
  if (found->second.spoilt && sharding.getSequence())
    local = withoutPadding(
        builder, shard.getLoc(), local, sharding,
        typeOf(shard.getInput()).getDimSize(*sharding.getSequence()));
  shard.replaceAllUsesWith(local);
}

//===----------------------------------------------------------------------===//
// From whole tensors to shards
//===----------------------------------------------------------------------===//

/// The operand of a token-wise op in the sharding that the op needs it in.
Value BlockOnShards::operandFor(OpBuilder &builder, Operation *op, Value whole,
                                ShardingAttr wanted) {
  if (sharded.contains(whole))
    return reshard(builder, op->getLoc(), whole, wanted);
  // A weight, an argument, or what stays whole: split as it is needed. Every
  // device has constants.
  Value &local = shards[{whole, wanted}];
  if (local)
    return local;
  RankedTensorType type = shardType(wanted, typeOf(whole));
  Operation *source = whole.getDefiningOp();
  bool split = llvm::any_of(wanted.getAxes(),
                            [](int64_t axis) { return axis != kNone; });
  if (isConstant(source) && !split)
    local = whole;
  else if (isFill(source))
    local = cloneOnShards(builder, source, {}, type)->getResult(0);
  else
    local = ShardOp::create(builder, op->getLoc(), type, whole, wanted,
                            /*replicated=*/false);
  // A weight is on the devices when the program starts, not when it is used.
  if (auto shard = local.getDefiningOp<ShardOp>();
      shard && isa<BlockArgument>(whole) && !wanted.getSequence()) {
    if (lastWeight)
      shard->moveAfter(lastWeight);
    else
      shard->moveBefore(&block.front());
    lastWeight = shard;
  }
  return local;
}

/// The axis along which the devices have parts of a product's terms.
int64_t BlockOnShards::splitTerms(Operation *op, const TokenWiseDims &dims,
                                  ShardingAttr result) const {
  if (!dims.sums())
    return kNone;
  ShardingAttr terms = shardingOf(op->getOperand(0));
  ArrayRef<int64_t> to = dims.operands[0];
  if (!terms || llvm::count(to, TokenWiseDims::kSummed) != 1)
    return kNone;
  int64_t axis =
      terms.getAxes()[llvm::find(to, TokenWiseDims::kSummed) - to.begin()];
  return axis != kNone && !splitsBy(result, axis) ? axis : kNone;
}

/// The op on a device. Parts of a sum are added up over the axis; a bias is
/// added once, after that.
Value BlockOnShards::onShards(OpBuilder &builder, Operation *op,
                              ValueRange operands, RankedTensorType type,
                              int64_t summedAxis) {
  if (summedAxis == kNone)
    return cloneOnShards(builder, op, operands, type)->getResult(0);
  auto linear = dyn_cast<ttir::LinearOp>(op);
  Value parts;
  if (linear)
    parts = ttir::MatmulOp::create(builder, op->getLoc(), type, operands[0],
                                   operands[1], linear.getTransposeAAttr(),
                                   linear.getTransposeBAttr());
  else
    parts = cloneOnShards(builder, op, operands, type)->getResult(0);
  Value sum = TTIRBuilder(builder, op->getLoc()).allReduce(parts, summedAxis);
  if (linear && linear.getBias())
    sum = ttir::AddOp::create(builder, op->getLoc(), type, sum, operands[2]);
  return sum;
}

/// op(whole...) -> the same on shards, where no token meets another.
void BlockOnShards::move(Operation *op) {
  std::optional<TokenWiseDims> dims = tokenWiseDims(op);
  if (!dims)
    return keepWhole(op, "not known to work token by token");
  GivenSharding given = givenSharding(
      *op, *dims, [&](Value operand) { return shardingOf(operand); });
  if (given.mixesTokens)
    return keepWhole(op, "mixes tokens");
  ShardingAttr wanted =
      TokenFlow::agreed(given.sharding, flow.wanted(op->getResult(0)));
  if (!wanted)
    return keepWhole(op, "no attention takes or makes its tokens");
  if (flow.isPrepared(op->getResult(0)) && !wanted.getSequence())
    return;
  std::optional<TokenWiseRule> rule =
      ruleFor(op, *dims, wanted, splitTerms(op, *dims, wanted));
  if (!rule)
    return keepWhole(op, "cuts or joins the dimension of the tokens");
  // Tokens of two operands may be different ones, as in the scores of an
  // attention.
  for (auto [operand, sharding] :
       llvm::zip_equal(op->getOperands(), rule->operands))
    if (ShardingAttr has = shardingOf(operand);
        has && has.getSequence() && has.getSequence() != sharding.getSequence())
      return keepWhole(op, "mixes tokens");

  OpBuilder builder(op);
  SmallVector<Value> operands;
  bool spoilt =
      isPadded(rule->result, typeOf(op->getResult(0))) && mayLeaveFinite(op);
  for (auto [operand, sharding] :
       llvm::zip_equal(op->getOperands(), rule->operands)) {
    operands.push_back(operandFor(builder, op, operand, sharding));
    spoilt |= sharded.lookup(operand).spoilt;
  }
  RankedTensorType whole = typeOf(op->getResult(0));
  Value local = onShards(builder, op, operands, shardType(rule->result, whole),
                         rule->summedAxis);
  // Whoever still needs the whole gets it put together from the shards.
  Value again = UnshardOp::create(builder, op->getLoc(), whole, local,
                                  rule->result, /*replicated=*/false);
  op->getResult(0).replaceAllUsesWith(again);
  op->erase();
  sharded[again] = {local, rule->result, spoilt};
}

//===----------------------------------------------------------------------===//
// What stays
//===----------------------------------------------------------------------===//

/// One remark for all, in the order of the program. What is made of constants
/// alone, or only brings an argument into another shape, is done once, by
/// whoever prepares the program.
void BlockOnShards::tellWhatStaysWhole() {
  SmallVector<Operation *> whole;
  llvm::DenseSet<Value> constant;
  for (Operation &op : block) {
    bool told = reasons.contains(&op);
    if (isConstant(&op) ||
        (told && llvm::all_of(op.getOperands(), [&](Value operand) {
           return constant.contains(operand);
         })))
      constant.insert(op.result_begin(), op.result_end());
    else if (told && !flow.isPrepared(op.getResult(0)))
      whole.push_back(&op);
  }
  if (whole.empty())
    return;
  constexpr size_t kMostTold = 3;
  InFlightDiagnostic remark =
      emitRemark(block.getParentOp()->getLoc(), "ring-keep-sharded: ")
      << whole.size() << (whole.size() == 1 ? " op stays" : " ops stay")
      << " on whole tensors: ";
  for (auto [index, op] :
       llvm::enumerate(ArrayRef(whole).take_front(kMostTold))) {
    remark << (index > 0 ? "; " : "") << op->getName().getStringRef();
    if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
      remark << " at line " << place.getLine();
    remark << ": " << reasons.lookup(op);
  }
  if (whole.size() > kMostTold)
    remark << "; and " << whole.size() - kMostTold << " more";
}

} // namespace

void keepSharded(Block &block) {
  if (findHeadsAxis(block))
    cutFusedProducts(block);
  BlockOnShards(block).run();
}

} // namespace mlir::ring
