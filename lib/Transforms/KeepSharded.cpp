// SPDX-License-Identifier: Apache-2.0
// ring-keep-sharded: between two attentions, what works token by token stays on
// the devices.

#include "TokenWise.h"
#include "ring/Support/TTIRBuilder.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGKEEPSHARDED
#include "ring/Transforms/Passes.h.inc"

namespace {

namespace ttir = mlir::tt::ttir;

constexpr int64_t kNone = ShardingAttr::kReplicated;

/// A whole tensor of the host, as the devices have it.
struct Sharded {
  Value local;
  ShardingAttr sharding;
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

private:
  void keepSharded(Block &block);
  void findWanted(Block &block);
  Value operandFor(OpBuilder &builder, Operation *op, Value whole,
                   ShardingAttr wanted);
  void moveToDevices(Operation *op);
  void replaceShard(ShardOp shard);
  Value reshard(OpBuilder &builder, Location loc, const Sharded &value,
                ShardingAttr wanted);

  /// Values that some later attention splits again.
  llvm::DenseSet<Value> wanted;
  llvm::DenseMap<Value, Sharded> sharded;
};

/// A value is wanted on the devices if it is split there, or if a token-wise op
/// makes such a value from it.
void RingKeepShardedPass::findWanted(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    if (auto shard = dyn_cast<ShardOp>(op); shard && !shard.getReplicated())
      wanted.insert(shard.getInput());
    if (isTokenWise(&op) && wanted.contains(op.getResult(0)))
      for (Value operand : op.getOperands())
        wanted.insert(operand);
  }
}

void RingKeepShardedPass::keepSharded(Block &block) {
  wanted.clear();
  sharded.clear();
  findWanted(block);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto unshard = dyn_cast<UnshardOp>(op)) {
      if (!unshard.getReplicated() && wanted.contains(unshard.getResult()))
        sharded[unshard.getResult()] = {unshard.getInput(),
                                        unshard.getSharding()};
    } else if (auto shard = dyn_cast<ShardOp>(op)) {
      replaceShard(shard);
    } else if (isTokenWise(&op) && wanted.contains(op.getResult(0))) {
      moveToDevices(&op);
    }
  }
  // What nobody reads as a whole any more goes, last users first.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Brings a value from one sharding to another that deals the sequence alike:
/// other dimensions are gathered or split on the devices.
Value RingKeepShardedPass::reshard(OpBuilder &builder, Location loc,
                                   const Sharded &value, ShardingAttr wanted) {
  ShardingAttr from = value.sharding;
  if (from.getSequence() != wanted.getSequence() ||
      from.getLayout() != wanted.getLayout() ||
      from.getMesh() != wanted.getMesh())
    return {};
  Value local = value.local;
  for (auto [dim, axes] :
       llvm::enumerate(llvm::zip_equal(from.getAxes(), wanted.getAxes()))) {
    auto [has, needs] = axes;
    if (has == needs)
      continue;
    RankedTensorType type = TTIRBuilder::typeOf(local);
    SmallVector<int64_t> shape(type.getShape());
    if (has != kNone) {
      auto axis = AxisAttr::get(builder.getContext(), has, from.getMesh());
      shape[dim] *= axis.getRanks();
      local = AllGatherOp::create(
          builder, loc, RankedTensorType::get(shape, type.getElementType()),
          local, dim, axis);
    }
    if (needs != kNone) {
      if (shape[dim] % wanted.getMesh()[needs] != 0)
        return {};
      shape[dim] /= wanted.getMesh()[needs];
      local = ttir::MeshPartitionOp::create(
          builder, loc, RankedTensorType::get(shape, type.getElementType()),
          local, builder.getIntegerAttr(builder.getIntegerType(32, true), dim),
          builder.getIntegerAttr(builder.getIntegerType(32, false), needs));
    }
  }
  return local;
}

/// shard(x) where x is on the devices already.
void RingKeepShardedPass::replaceShard(ShardOp shard) {
  auto found = sharded.find(shard.getInput());
  if (found == sharded.end() || shard.getReplicated())
    return;
  OpBuilder builder(shard);
  if (Value local =
          reshard(builder, shard.getLoc(), found->second, shard.getSharding()))
    shard.replaceAllUsesWith(local);
}

/// The operand of a token-wise op in the sharding that the op needs it in.
Value RingKeepShardedPass::operandFor(OpBuilder &builder, Operation *op,
                                      Value whole, ShardingAttr wanted) {
  auto found = sharded.find(whole);
  if (found != sharded.end())
    return reshard(builder, op->getLoc(), found->second, wanted);
  // A weight, or a tensor that comes from elsewhere: split as it is needed.
  RankedTensorType type = TTIRBuilder::typeOf(whole);
  auto shape = wanted.getShardShape(type.getShape());
  if (!shape)
    return {};
  return ShardOp::create(builder, op->getLoc(),
                         RankedTensorType::get(*shape, type.getElementType()),
                         whole, wanted, /*replicated=*/false);
}

/// op(whole...) -> the same on shards, where its rule allows it.
void RingKeepShardedPass::moveToDevices(Operation *op) {
  std::optional<TokenWiseRule> rule;
  for (Value operand : op->getOperands()) {
    auto found = sharded.find(operand);
    if (found == sharded.end())
      continue;
    rule = tokenWiseRule(op, operand, found->second.sharding);
    if (rule)
      break;
  }
  if (!rule)
    return;
  RankedTensorType whole = TTIRBuilder::typeOf(op->getResult(0));
  auto shape = rule->result.getShardShape(whole.getShape());
  if (!shape)
    return;
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (auto [operand, sharding] :
       llvm::zip_equal(op->getOperands(), rule->operands)) {
    Value local = operandFor(builder, op, operand, sharding);
    if (!local)
      return;
    operands.push_back(local);
  }
  auto type = RankedTensorType::get(*shape, whole.getElementType());
  Operation *local = cloneOnShards(builder, op, operands, type, rule->result);
  // Whoever still needs the whole gets it put together from the shards.
  Value again = UnshardOp::create(builder, op->getLoc(), whole,
                                  local->getResult(0), rule->result,
                                  /*replicated=*/false);
  op->getResult(0).replaceAllUsesWith(again);
  sharded[again] = {local->getResult(0), rule->result};
}

} // namespace
} // namespace mlir::ring
