// SPDX-License-Identifier: Apache-2.0
// Bytes of a scheduled block, by one sweep over the lifetimes of its tensors.

#include "ring/Analysis/ScheduleFootprint.h"
#include "ring/Analysis/AttentionTraits.h"
#include "ring/Dialect/Ring/IR/TensorSize.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>

namespace mlir::ring {
namespace {

/// Bytes that are there during intervals of ops. Each interval is noted as a
/// step up and a step down; the peak is the largest running sum.
///
///   add(0, 2, 10); add(2, 3, 5)   steps +10 . +5 -10 -5   sums 10 10 15 5 0
class Occupancy {
public:
  explicit Occupancy(size_t numOps) : steps(numOps + 1) {}

  /// From op `first` to op `last`, both included.
  void add(unsigned first, unsigned last, int64_t bytes) {
    steps[first] += bytes;
    steps[last + 1] -= bytes;
  }

  int64_t peak() const {
    int64_t sum = 0, peak = 0;
    for (int64_t step : steps) {
      sum += step;
      peak = std::max(peak, sum);
    }
    return peak;
  }

private:
  SmallVector<int64_t> steps;
};

class FootprintSweep {
public:
  explicit FootprintSweep(Block &block) : block(block) {
    for (Operation &op : block)
      positionOf.try_emplace(&op, positionOf.size());
  }

  ScheduleFootprint run() {
    ScheduleFootprint footprint;
    block.walk([&](TransferOpInterface op) {
      footprint.bytesSent[op.getAxis()] += op.countBytesSent();
    });
    findKeysAndValues();

    Occupancy buffers(positionOf.size()), keysAndValues(positionOf.size());
    DenseSet<Value> seen;
    for (Operation &op : block) {
      if (auto buffer = dyn_cast<BufferOp>(op)) {
        ++footprint.numBuffers;
        footprint.bufferBytes +=
            sizeInBytes(buffer.getBuffer().getType().getTensorType());
      }
      auto start = dyn_cast<StartOpInterface>(op);
      if (!start)
        continue;
      ++footprint.numStarts;
      unsigned first = positionOf.lookup(start);
      for (auto [landing, last] :
           llvm::zip_equal(start.getLandings(), lastReads(start))) {
        auto type = cast<BufferType>(landing.getType()).getTensorType();
        buffers.add(first, last, sizeInBytes(type));
        if (forAttention.contains(start) && seen.insert(landing).second)
          keysAndValues.add(0, positionOf.size() - 1, sizeInBytes(type));
      }
    }
    for (Value value : ownKeysAndValues)
      keysAndValues.add(firstPosition(value), lastRead(value),
                        sizeInBytes(cast<RankedTensorType>(value.getType())));
    footprint.peakBufferBytes = buffers.peak();
    footprint.peakKeyValueBytes = keysAndValues.peak();
    return footprint;
  }

private:
  static WaitOp waitOf(Operation *start) {
    for (Operation *user : start->getResult(0).getUsers())
      if (auto wait = dyn_cast<WaitOp>(user))
        return wait;
    return {};
  }

  /// Finds the starts that bring keys and values, and the keys and values that
  /// did not arrive by one. Backwards: what a transfer brings is known before
  /// the transfer that brought its payload.
  void findKeysAndValues() {
    DenseSet<Value> attendedTo;
    for (Operation &op : llvm::reverse(block)) {
      op.walk([&](AttendOpInterface attend) {
        note(attend.getKey(), attendedTo);
        if (!areReadInKeys(attend.getValue()))
          note(attend.getValue(), attendedTo);
      });
      // Keys that are put together from what arrived, or that a transfer
      // without a start brings: both are there.
      if (isPure(&op) && llvm::any_of(op.getResults(), [&](Value result) {
            return attendedTo.contains(result);
          }))
        for (Value operand : op.getOperands())
          if (isa<TransferOpInterface>(op) || operand.getDefiningOp<WaitOp>())
            note(operand, attendedTo);
      auto start = dyn_cast<StartOpInterface>(op);
      WaitOp wait = start ? waitOf(start) : WaitOp();
      if (!wait || llvm::none_of(wait.getResults(), [&](Value result) {
            return attendedTo.contains(result);
          }))
        continue;
      forAttention.insert(start);
      for (Value payload : start.getPayload())
        note(payload, attendedTo);
    }
  }

  void note(Value value, DenseSet<Value> &attendedTo) {
    bool isNew = attendedTo.insert(value).second;
    if (isNew && !value.getDefiningOp<WaitOp>() &&
        value.getParentBlock() == &block)
      ownKeysAndValues.push_back(value);
  }

  unsigned firstPosition(Value value) {
    if (Operation *def = value.getDefiningOp())
      return positionOf.lookup(def);
    unsigned first = positionOf.size() - 1;
    for (Operation *user : value.getUsers())
      first = std::min(first, positionOfUser(user));
    return first;
  }

  /// The last op that reads `value`; a start reads until its wait.
  unsigned lastRead(Value value) {
    unsigned last = 0;
    for (Operation *user : value.getUsers()) {
      WaitOp wait = isa<StartOpInterface>(user) ? waitOf(user) : WaitOp();
      last = std::max(last, positionOfUser(wait ? wait : user));
    }
    return last;
  }

  /// For every buffer of a start, the last op that reads what arrived in it,
  /// at the earliest the wait.
  SmallVector<unsigned> lastReads(StartOpInterface start) {
    WaitOp wait = waitOf(start);
    if (!wait)
      return SmallVector<unsigned>(start.getLandings().size(),
                                   positionOf.size() - 1);
    SmallVector<unsigned> last;
    for (Value result : wait.getResults())
      last.push_back(std::max(lastRead(result), positionOfUser(wait)));
    return last;
  }

  unsigned positionOfUser(Operation *user) {
    return positionOf.lookup(block.findAncestorOpInBlock(*user));
  }

  Block &block;
  DenseMap<Operation *, unsigned> positionOf;
  DenseSet<Operation *> forAttention;
  SmallVector<Value> ownKeysAndValues;
};

} // namespace

ScheduleFootprint ScheduleFootprint::of(Block &block) {
  return FootprintSweep(block).run();
}

} // namespace mlir::ring
