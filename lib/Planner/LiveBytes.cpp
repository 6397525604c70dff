// SPDX-License-Identifier: Apache-2.0
// One sweep over the lifetimes of a device's values.

#include "LiveBytes.h"
#include "ring/Analysis/AttentionTraits.h"
#include "ring/Dialect/Ring/IR/TensorSize.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

/// Bytes that are there by type; a state has a maximum and a sum beside every
/// row of f32.
int64_t sizeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return sizeInBytes(tensor);
  if (auto buffer = dyn_cast<BufferType>(type))
    return sizeInBytes(buffer.getTensorType());
  auto state = dyn_cast<StateType>(type);
  if (!state)
    return 0;
  ArrayRef<int64_t> shape = state.getShape();
  return 4 * shape[0] * shape[1] * shape[2] * (shape[3] + 2);
}

class Lifetimes {
public:
  Lifetimes(Block &block, bool isLocal)
      : block(block), local(valuesOnDevices(block, isLocal)) {
    for (Operation &op : block)
      positions.try_emplace(&op, positions.size());
  }

  int64_t peak() {
    SmallVector<int64_t> steps(positions.size() + 1);
    auto hold = [&](unsigned first, unsigned last, int64_t bytes) {
      steps[first] += bytes;
      steps[last + 1] -= bytes;
    };
    for (BlockArgument argument : block.getArguments())
      if (local.contains(argument))
        hold(0, lastRead(argument), sizeOf(argument.getType()));
    for (Operation &op : block) {
      if (isa<BufferOp>(op)) {
        hold(0, positions.size() - 1, sizeOf(op.getResult(0).getType()));
        continue;
      }
      // What arrived is in a buffer, and values may be in their keys.
      bool isNew = !isa<WaitOp>(op) &&
                   !(op.getNumResults() == 1 && areReadInKeys(op.getResult(0)));
      bool inPlace = dyingOperand(&op);
      for (Value result : op.getResults()) {
        if (!local.contains(result) && !isConstantOnDevices(result))
          continue;
        unsigned begin = positions.lookup(&op) + (inPlace ? 1 : 0);
        if (isNew)
          hold(begin, std::max(lastRead(result), begin),
               sizeOf(result.getType()));
      }
    }
    int64_t sum = 0, most = 0;
    for (int64_t step : steps)
      most = std::max(most, sum += step);
    return most;
  }

private:
  /// Whether a device computes with a constant that it has as it is.
  bool isConstantOnDevices(Value value) const {
    return value.getDefiningOp()->getNumOperands() == 0 &&
           llvm::any_of(value.getUsers(), [&](Operation *user) {
             return !isa<ShardOp, UnshardOp, ttir::MeshShardOp>(user) &&
                    user->getNumResults() > 0 &&
                    local.contains(user->getResult(0));
           });
  }

  /// Whether the result takes the place of an operand that nobody reads later.
  bool dyingOperand(Operation *op) {
    bool overwrites =
        isa<AccumulateOp, MergeOp, ttir::ReshapeOp, ttir::AddOp>(op);
    if (!overwrites)
      return false;
    Value operand = isa<AccumulateOp>(op)
                        ? Value(cast<AccumulateOp>(op).getState())
                        : op->getOperand(0);
    return local.contains(operand) &&
           lastRead(operand) == positions.lookup(op) &&
           sizeOf(operand.getType()) == sizeOf(op->getResult(0).getType());
  }

  /// The last op that reads `value`; a transfer reads until its wait.
  unsigned lastRead(Value value) const {
    unsigned last =
        value.getDefiningOp() ? positions.lookup(value.getDefiningOp()) : 0;
    for (Operation *user : value.getUsers()) {
      last = std::max(last, positions.lookup(user));
      if (isa<StartOpInterface>(user))
        for (Operation *wait : user->getUsers())
          last = std::max(last, positions.lookup(wait));
    }
    return last;
  }

  Block &block;
  llvm::DenseSet<Value> local;
  llvm::DenseMap<Operation *, unsigned> positions;
};

} // namespace

double bytesOf(Value value) {
  return isa<BufferType>(value.getType())
             ? 0
             : static_cast<double>(sizeOf(value.getType()));
}

llvm::DenseSet<Value> valuesOnDevices(Block &block, bool isLocal) {
  llvm::DenseSet<Value> local;
  if (isLocal)
    local.insert(block.args_begin(), block.args_end());
  for (Operation &op : block) {
    auto unshard = dyn_cast<UnshardOp>(op);
    if (auto shard = dyn_cast<ttir::MeshShardOp>(op)) {
      if (shard.getShardDirection() ==
          tt::ttcore::MeshShardDirection::FullToShard)
        local.insert(shard.getResult());
      continue;
    }
    bool onDevices = isa<ShardOp, WaitOp, InitOp, EmptyOp>(op) ||
                     llvm::any_of(op.getOperands(), [&](Value operand) {
                       return local.contains(operand);
                     });
    if (unshard ? unshard.getReplicated() : onDevices)
      local.insert(op.result_begin(), op.result_end());
  }
  return local;
}

int64_t liveBytes(Block &block, bool isLocal) {
  return Lifetimes(block, isLocal).peak();
}

} // namespace mlir::ring
