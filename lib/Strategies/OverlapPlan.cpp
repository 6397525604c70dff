// SPDX-License-Identifier: Apache-2.0
// Times and buffers of transfers, in three passes over the transfers of a
// block: backwards for the waits, forwards for what travels as one, forwards
// for the starts and the buffers.

#include "ring/Strategies/OverlapPlan.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <limits>
#include <tuple>

namespace mlir::ring {
namespace {

constexpr unsigned kNever = std::numeric_limits<unsigned>::max();

/// The distance of a shift, the short way round: -P/2 < by <= P/2.
///
///   by 3 on a ring of 4 is -1; by 2 stays 2
int64_t shortWay(ShiftOp op) {
  int64_t ranks = op.getAxis().getRanks();
  int64_t by = (op.getByAttr().getInt() % ranks + ranks) % ranks;
  return 2 * by > ranks ? by - ranks : by;
}

/// A buffer and the time when its present contents are no longer needed.
struct Buffer {
  BufferType type;
  /// The stream that it serves: transfers of one kind, axis and direction.
  unsigned stream;
  /// The slot after the last op that reads it.
  unsigned readUntil = 0;
  /// The last wait of a transfer that sends it on, and that transfer.
  unsigned sentUntil = 0;
  unsigned sentBy = 0;

  /// The first slot in which `transfer` may write to it. Within one slot the
  /// steps of transfers come in the transfers' order, so a wait of a later one
  /// counts only in the next slot.
  unsigned freeFor(unsigned transfer) const {
    return std::max(readUntil, sentBy < transfer ? sentUntil : sentUntil + 1);
  }
};

class Planner {
public:
  Planner(Block &block, OverlapPlan &plan) : block(block), plan(plan) {}

  void run() {
    number();
    findWaits();
    plan.preparations = preparations;
    pack();
    for (unsigned index = 0; index < plan.transfers.size(); ++index)
      place(index);
    // In one slot, starts that need nothing of it come first; after them a
    // transfer comes after those that it depends on.
    auto order = [&](const OverlapStep &step) {
      bool comesFirst = !step.isWait && needsNoWait[step.transfer];
      return std::make_tuple(step.slot, !comesFirst, step.transfer,
                             step.isWait);
    };
    llvm::sort(plan.steps, [&](const OverlapStep &a, const OverlapStep &b) {
      return order(a) < order(b);
    });
  }

private:
  /// Numbers the ops, counts the attention blocks before each and collects the
  /// transfers.
  void number() {
    unsigned index = 0, blocks = 0;
    for (Operation &op : block) {
      slotOf[&op] = index++;
      blocksBefore.push_back(blocks);
      if (isa<AttendOpInterface>(op))
        ++blocks;
      if (getStartName(&op) || mayPrepare(op))
        candidates.push_back(&op);
    }
    blocksBefore.push_back(blocks);
  }

  unsigned slotOfUser(Operation *user) {
    return slotOf.lookup(block.findAncestorOpInBlock(*user));
  }

  /// Whether `op` may be moved up to where its operands arrive: a cheap op
  /// without effects, such as a slice, on data that a transfer brings.
  bool mayPrepare(Operation &op) {
    return isPure(&op) && op.getNumRegions() == 0 && op.getNumResults() > 0 &&
           !isa<AttendOpInterface, TransferOpInterface>(op) &&
           llvm::any_of(op.getOperands(),
                        [&](Value operand) {
                          Operation *def = operand.getDefiningOp();
                          return def && def->getBlock() == &block &&
                                 (getStartName(def) ||
                                  preparations.contains(def));
                        }) &&
           preparations.insert(&op).second;
  }

  /// Decides when each transfer is waited for, and which ops do nothing but
  /// prepare transfers. Users come after what they use, so backwards every user
  /// is decided already.
  void findWaits() {
    for (Operation *op : llvm::reverse(candidates)) {
      unsigned computed = kNever, sentOn = kNever, travelsOn = kNever;
      for (Operation *user : op->getUsers()) {
        auto found = waitOf.find(user);
        if (found == waitOf.end()) {
          computed = std::min(computed, slotOfUser(user));
        } else if (found->second != kNever) {
          sentOn = std::min(sentOn, found->second);
          travelsOn = std::min(travelsOn, slotOf.lookup(user));
        }
      }
      if (!preparations.contains(op))
        waitOf[op] =
            computed == kNever ? travelsOn : std::min(computed, sentOn);
      else if (computed == kNever && sentOn != kNever)
        waitOf[op] = sentOn;
      else
        preparations.erase(op);
    }
    llvm::erase_if(candidates, [&](Operation *op) {
      auto found = waitOf.find(op);
      if (found == waitOf.end() || preparations.contains(op))
        return true;
      if (found->second == kNever)
        plan.dead.push_back(op);
      return found->second == kNever;
    });
  }

  /// When the operands of an op are there: the first such slot, the slot of the
  /// last wait among what it depends on, and the number of transfers up to the
  /// last one of those.
  struct Readiness {
    unsigned slot = 0, lastWait = 0, numTransfers = 0;
  };

  Readiness readinessOf(Operation *op) {
    Readiness ready;
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def)
        continue;
      Readiness one;
      if (auto found = transferOf.find(def); found != transferOf.end())
        one = {plan.transfers[found->second].wait,
               plan.transfers[found->second].wait, found->second + 1};
      else if (preparations.contains(def))
        one = readinessOfPreparation(def);
      else
        one = {slotOf.lookup(def) + 1, 0, 0};
      ready.slot = std::max(ready.slot, one.slot);
      ready.lastWait = std::max(ready.lastWait, one.lastWait);
      ready.numTransfers = std::max(ready.numTransfers, one.numTransfers);
    }
    return ready;
  }

  Readiness readinessOfPreparation(Operation *op) {
    auto found = preparedAt.find(op);
    if (found == preparedAt.end())
      found = preparedAt.try_emplace(op, readinessOf(op)).first;
    return found->second;
  }

  /// Makes a transfer of every op, or adds a shift to one that goes the same
  /// way at the same time.
  void pack() {
    using Key = std::tuple<Attribute, int64_t, int64_t, unsigned, unsigned>;
    DenseMap<Key, unsigned> packs;
    for (Operation *op : candidates) {
      unsigned wait = waitOf.lookup(op);
      auto [ready, lastWait, after] = readinessOf(op);
      lastWaitBefore[op] = lastWait;
      if (auto shift = dyn_cast<ShiftOp>(op)) {
        Key key(shift.getAxis(), shortWay(shift),
                shift.getReaching().value_or(0), blocksBefore[ready],
                blocksBefore[wait]);
        auto [found, isNew] = packs.try_emplace(key, plan.transfers.size());
        if (!isNew && join(op, found->second, ready, after, wait))
          continue;
        found->second = plan.transfers.size();
      }
      transferOf[op] = plan.transfers.size();
      plan.transfers.push_back({{op}, ready, 0, wait, {}});
    }
  }

  /// Adds `op` to transfer `index` if it can start before either is needed.
  bool join(Operation *op, unsigned index, unsigned ready, unsigned after,
            unsigned wait) {
    PlannedTransfer &transfer = plan.transfers[index];
    unsigned bothReady = std::max(ready, transfer.ready);
    unsigned firstWait = std::min(wait, transfer.wait);
    if (after > index || bothReady > firstWait)
      return false;
    transfer.ops.push_back(op);
    transfer.ready = bothReady;
    transfer.wait = firstWait;
    transferOf[op] = index;
    return true;
  }

  unsigned streamOf(Operation *op) {
    int64_t direction = 0;
    if (auto shift = dyn_cast<ShiftOp>(op))
      direction = shortWay(shift) < 0 ? -1 : 1;
    auto key = std::make_tuple(
        op->getName().getAsOpaquePointer(),
        Attribute(cast<TransferOpInterface>(op).getAxis()), direction);
    return streams.try_emplace(key, streams.size()).first->second;
  }

  /// Finds the start and the buffers of transfer `index`. All that it depends
  /// on has its place already.
  void place(unsigned index) {
    PlannedTransfer &transfer = plan.transfers[index];
    unsigned stream = streamOf(transfer.ops.front());
    transfer.start = transfer.ready;

    SmallVector<Value> results;
    DenseMap<Type, unsigned> numOfType;
    for (Operation *op : transfer.ops)
      for (Value result : op->getResults()) {
        results.push_back(result);
        ++numOfType[result.getType()];
      }
    for (Value result : results)
      transfer.buffers.push_back(chooseBuffer(
          index, result, stream,
          kBuffersPerTraveller * numOfType.lookup(result.getType())));
    unsigned lastWait = 0;
    for (unsigned number : transfer.buffers)
      lastWait = std::max(lastWait, buffers[number].sentUntil);
    for (auto [result, number] : llvm::zip_equal(results, transfer.buffers))
      occupy(buffers[number], result, stream);

    for (Operation *op : transfer.ops)
      lastWait = std::max(lastWait, lastWaitBefore.lookup(op));
    needsNoWait.push_back(lastWait < transfer.start);
    plan.steps.push_back({transfer.start, index, /*isWait=*/false});
    plan.steps.push_back({transfer.wait, index, /*isWait=*/true});
  }

  /// The buffer for one result: one that is free when the data is ready; else
  /// a new one, as long as the stream holds fewer than `limit`; else the one
  /// that is free first, for which the start waits; and if that is after the
  /// results are needed, a new one after all.
  unsigned chooseBuffer(unsigned index, Value result, unsigned stream,
                        unsigned limit) {
    PlannedTransfer &transfer = plan.transfers[index];
    auto tensor = cast<RankedTensorType>(result.getType());
    auto type = BufferType::get(result.getContext(), tensor.getShape(),
                                tensor.getElementType());
    SmallVector<unsigned> &ofType = buffersOf[type];
    unsigned first = kNever, firstFree = kNever, held = 0;
    for (unsigned number : ofType) {
      if (llvm::is_contained(transfer.buffers, number)) {
        ++held;
        continue;
      }
      unsigned free = buffers[number].freeFor(index);
      if (free <= transfer.start)
        return number;
      held += buffers[number].stream == stream;
      if (free < firstFree) {
        firstFree = free;
        first = number;
      }
    }
    if (held >= limit && firstFree <= transfer.wait) {
      transfer.start = firstFree;
      return first;
    }
    ofType.push_back(buffers.size());
    buffers.push_back({type, stream});
    plan.buffers.push_back(type);
    return buffers.size() - 1;
  }

  /// Notes until when `result` is in `buffer`.
  void occupy(Buffer &buffer, Value result, unsigned stream) {
    buffer.stream = stream;
    buffer.readUntil = buffer.sentUntil = buffer.sentBy = 0;
    // Without any use it is there until its wait.
    unsigned own = transferOf.lookup(result.getDefiningOp());
    buffer.readUntil = plan.transfers[own].wait + 1;
    noteReads(buffer, result);
  }

  /// Notes the ops that read `value` and the transfers that send it, prepared
  /// or as it is.
  void noteReads(Buffer &buffer, Value value) {
    for (Operation *user : value.getUsers()) {
      if (preparations.contains(user)) {
        for (Value prepared : user->getResults())
          noteReads(buffer, prepared);
        continue;
      }
      auto found = transferOf.find(user);
      if (found == transferOf.end()) {
        if (!waitOf.contains(user))
          buffer.readUntil = std::max(buffer.readUntil, slotOfUser(user) + 1);
        continue;
      }
      unsigned until = plan.transfers[found->second].wait;
      if (until > buffer.sentUntil) {
        buffer.sentUntil = until;
        buffer.sentBy = found->second;
      } else if (until == buffer.sentUntil) {
        buffer.sentBy = std::max(buffer.sentBy, found->second);
      }
    }
  }

  Block &block;
  OverlapPlan &plan;
  DenseMap<Operation *, unsigned> slotOf;
  /// For every slot, how many ops before it attend.
  SmallVector<unsigned> blocksBefore;
  /// Transfers, and before their waits are found also preparations.
  SmallVector<Operation *> candidates;
  /// Ops that only prepare what transfers send. They run where the transfer
  /// starts, so what they read counts as sent by it.
  DenseSet<Operation *> preparations;
  DenseMap<Operation *, Readiness> preparedAt;
  /// The slot of every candidate's wait, kNever for a dead one.
  DenseMap<Operation *, unsigned> waitOf;
  DenseMap<Operation *, unsigned> transferOf;
  /// The last wait among what the operands of a transfer depend on.
  DenseMap<Operation *, unsigned> lastWaitBefore;
  /// For every transfer, whether it needs no wait of the slot it starts in.
  SmallVector<bool> needsNoWait;
  DenseMap<std::tuple<const void *, Attribute, int64_t>, unsigned> streams;
  SmallVector<Buffer> buffers;
  DenseMap<Type, SmallVector<unsigned>> buffersOf;
};

} // namespace

std::optional<OperationName> getStartName(Operation *op) {
  if (!isa<TransferOpInterface>(op) || isa<StartOpInterface>(op))
    return std::nullopt;
  // Rows that only change their places on a device are no transfer.
  if (auto route = dyn_cast<RouteOp>(op); route && route.getTransfers().empty())
    return std::nullopt;
  // What a wait gives has no encoding, so what arrives must have none.
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getEncoding())
      return std::nullopt;
  }
  std::string name = (op->getName().getDialectNamespace() + ".start_" +
                      op->getName().stripDialect())
                         .str();
  return RegisteredOperationName::lookup(name, op->getContext());
}

OverlapPlan OverlapPlan::of(Block &block) {
  OverlapPlan plan;
  Planner(block, plan).run();
  return plan;
}

} // namespace mlir::ring
