// SPDX-License-Identifier: Apache-2.0
// When each transfer of a block starts, when it is waited for and which buffer
// it arrives in: what ring-overlap then writes out.

#ifndef RING_STRATEGIES_OVERLAPPLAN_H
#define RING_STRATEGIES_OVERLAPPLAN_H

#include "ring/Dialect/Ring/IR/RingOps.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace mlir::ring {

/// How many buffers one travelling tensor takes in one direction: into one a
/// transfer arrives while the other is read and sent on.
inline constexpr unsigned kBuffersPerTraveller = 2;

/// The op name of the start form of a transfer (`ring.start_shift` for
/// `ring.shift`), or nothing for an op that has no start form.
std::optional<OperationName> getStartName(Operation *op);

/// One transfer with its times and buffers.
///
/// Time is counted in slots: slot `s` is the point just before op `s` of the
/// block, counted from 0 in the order before anything moves.
struct PlannedTransfer {
  /// The transfer; several shifts that travel as one.
  SmallVector<Operation *, 2> ops;
  /// The slot from which on the data is there. The start is not before it.
  unsigned ready = 0;
  unsigned start = 0;
  unsigned wait = 0;
  /// For every result of every op, in order, the number of its buffer.
  SmallVector<unsigned, 2> buffers;
};

/// A start or a wait of a transfer.
struct OverlapStep {
  unsigned slot;
  unsigned transfer;
  bool isWait;
};

/// A schedule for all transfers of a block that have a start form.
///
/// - A wait stands before the first op that computes with what arrives, or,
///   if it only travels on, where it was sent on.
/// - A start stands where the data is there and a buffer is free. Data that
///   arrived is there after its wait.
/// - What only prepares a transfer, a slice of what arrived, runs where that
///   transfer starts and is no computation in this sense.
/// - Shifts over the same distance that are ready and needed between the same
///   two attention blocks travel as one.
/// - A buffer is free after the last read of what arrived in it, and after the
///   wait of the last transfer that sends it on: the wait of a transfer says
///   that a device's own data has left, too.
///
/// A ring of any length, and any number of rings after one another, therefore
/// needs two buffers for every travelling tensor and direction:
///
/// ```
///   start 1: own -> A | block 0 reads own
///   wait 1, start 2: A -> B | block 1 reads A
///   wait 2, start 3: B -> A | block 2 reads B         (A was sent: wait 2)
/// ```
///
/// so at most three shards of K and V are there at a time: the own one and two
/// that travel. More buffers are taken only where results must be there at the
/// same time.
///
/// Takes time linear in the ops of the block and their uses.
struct OverlapPlan {
  static OverlapPlan of(Block &block);

  /// In an order in which each depends only on earlier ones.
  SmallVector<PlannedTransfer> transfers;
  SmallVector<BufferType> buffers;
  /// In program order.
  SmallVector<OverlapStep> steps;
  /// Ops without effects, such as slices, that only prepare what a transfer
  /// sends out of what another one brought. They belong right before the first
  /// start that needs them.
  llvm::DenseSet<Operation *> preparations;
  /// Transfers whose results nobody uses, in program order.
  SmallVector<Operation *> dead;
};

} // namespace mlir::ring

#endif // RING_STRATEGIES_OVERLAPPLAN_H
