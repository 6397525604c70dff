// SPDX-License-Identifier: Apache-2.0
// Devices that share a processor share its memory: what only moves is read
// where it lies, and what is there twice is packed once. So most of what a chip
// would copy costs nothing, and some things cost where they are read.

#ifndef RING_LIB_PLANNER_SHAREDMEMORY_H
#define RING_LIB_PLANNER_SHAREDMEMORY_H

#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Machine/ChipModel.h"
#include "ring/Planner/PlannerMachine.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::ring {

class SharedMemory {
public:
  /// `isLocal`: the function's arguments are a device's own.
  SharedMemory(const PlannerMachine &machine, bool isLocal)
      : machine(machine), isLocal(isLocal) {}

  /// What an op that neither attends nor exchanges takes.
  double secondsOf(Operation *op);
  /// What a block needs before it can be computed: keys are packed by whoever
  /// meets them first, and the two chunks of a zigzag are put together.
  template <typename BlockOp>
  double secondsToAttend(BlockOp op, const machine::AttentionCall &call) {
    BlockAttr block = op.getBlockAttr();
    auto inChunks = [](LayoutAttr layout) {
      return layout && (layout.getKind() == LayoutKind::Zigzag ||
                        layout.getKind() == LayoutKind::Mirrored);
    };
    double seconds = packSeconds(op.getKey(), call);
    if (block && inChunks(block.getQueries()))
      seconds += joinSeconds(op.getQuery());
    if (block && inChunks(block.getKeys()))
      seconds += joinSeconds(op.getKey()) + joinSeconds(op.getValue());
    return seconds;
  }
  /// Whether nobody copies what an exchange brings: it lies in a tensor that
  /// was sharded, or goes straight to its place in the result.
  bool isReadInPlace(TransferOpInterface op);

private:
  /// Whether a value lies, row by row, in a tensor that all devices see.
  bool liesInWhole(Value value);
  /// Whether a value is only read on its way out of the devices.
  bool leaves(Value value);
  /// What travelled to become this value.
  Value originOf(Value value) const;
  /// How many devices have the same value.
  double sharersOf(Value value) const;
  double packSeconds(Value keys, const machine::AttentionCall &call);
  double joinSeconds(Value rows);
  double copySeconds(double bytes) const;

  const PlannerMachine &machine;
  bool isLocal;
  llvm::DenseMap<Value, bool> inWhole;
  llvm::DenseSet<Value> packed, joined;
};

} // namespace mlir::ring

#endif // RING_LIB_PLANNER_SHAREDMEMORY_H
