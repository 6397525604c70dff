// SPDX-License-Identifier: Apache-2.0
//
// A distributed attention in the abstract: steps of compute and of transfers,
// without a program. The planner compares strategies with it in microseconds,
// also for thousands of chips.

#ifndef RING_MACHINE_SCHEDULE_H
#define RING_MACHINE_SCHEDULE_H

#include "ring/Machine/ChipModel.h"
#include "ring/Machine/LinkModel.h"

namespace ring::machine {

/// Bytes that every rank sends at the same time.
struct StepTransfer {
  enum class Kind { Shift, AllGather, AllToAll, AllReduce };
  Kind kind = Kind::Shift;
  size_t axis = 0;  ///< among the schedule's axes
  double bytes = 0; ///< of one rank's tensor
  int64_t hops = 1; ///< of a shift; negative: back
  /// Of a shift forward, the first rank that gets anything. From 1 on it is an
  /// open chain, whose last rank sends nothing to the first.
  int64_t reaching = 0;
  /// What the data is: from the start there, what the last transfer of the same
  /// kind, axis and way brought, or what the compute of the steps before gave.
  enum class Data { Given, Forwarded, Computed };
  Data data = Data::Forwarded;
  /// How many steps later the compute needs what arrives: 1 is the next step, 0
  /// this one.
  int64_t neededAfter = 1;
  /// Of a collective among devices that share a processor: who gets the rows
  /// reads them where the others have them, and nothing is copied.
  bool inPlace = false;
};

/// The part of the ranks of an axis that gets something of a transfer.
inline double shareReached(const StepTransfer &transfer, const Axis &axis) {
  return static_cast<double>(axis.ranks - transfer.reaching) /
         static_cast<double>(axis.ranks);
}

/// A step: transfers start, then every rank computes.
struct ScheduleStep {
  /// Seconds of compute: none, one entry that all ranks share, or one per rank
  /// of the first axis.
  std::vector<double> compute;
  std::vector<StepTransfer> transfers;
  /// How often the step is repeated in a row, with the same transfers.
  int64_t repeat = 1;
};

/// A whole attention.
struct Schedule {
  std::vector<Axis> axes;
  std::vector<ScheduleStep> steps;
  TransferOptions transfer;
  /// Transfers run beside the compute. Without, a step's compute waits for the
  /// transfers of the step.
  bool overlaps = true;
};

/// What a schedule costs.
struct ScheduleTime {
  double seconds = 0;
  double computeSeconds = 0;  ///< of the busiest rank
  double transferSeconds = 0; ///< of the busiest link
  double exposedSeconds = 0;  ///< compute stood still for transfers
  double waitingSeconds = 0;  ///< compute stood still for late peers
  double bytesSent = 0;       ///< by one rank, in the mean
};

/// Runs a schedule. Ranks with the same compute in all steps on a closed ring
/// of equal links are one class, of which one is run.
ScheduleTime simulate(const Schedule &schedule);

} // namespace ring::machine

#endif // RING_MACHINE_SCHEDULE_H
