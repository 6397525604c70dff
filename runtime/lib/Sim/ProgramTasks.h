// SPDX-License-Identifier: Apache-2.0
//
// A program as tasks of the event engine: every device goes through the
// instructions in order, as on the CPU backend. A transfer runs from its start
// on, beside what its device computes, until its wait.

#ifndef RING_RUNTIME_SIM_PROGRAMTASKS_H
#define RING_RUNTIME_SIM_PROGRAMTASKS_H

#include "Ops/Op.h"
#include "Sim/OpTimes.h"
#include "Sim/WholeTensors.h"
#include "ring-runtime/Runtime.h"
#include "ring/Machine/EventEngine.h"
#include "ring/Machine/Timeline.h"

namespace ring::rt {

/// What a task is in the program.
struct TaskNote {
  size_t instruction = 0;
  int64_t stream = 0;
  bool transfer = false;
  bool whole = false; ///< on a whole tensor, which every chip computes
  OpCost cost;
};

/// Whether a program has blocks of attention between the start and the wait of
/// a transfer.
bool attendsBesideTransfers(const Program &program);

/// Builds the tasks. Streams are the devices, then the host.
class ProgramTasks {
public:
  ProgramTasks(const Program &program, const machine::Machine &machine,
               std::vector<machine::Axis> axes,
               const machine::CoreSplit &split);

  /// Adds everything.
  Status build();

  const machine::EventEngine &tasks() const { return engine; }
  const std::vector<TaskNote> &notes() const { return taskNotes; }
  const machine::MeshLinks &links() const { return meshLinks; }
  /// Operations, bytes and counts by stream; times are not known yet.
  std::vector<DeviceStatistics> &statistics() { return counts; }
  /// How far published figures bear out the times of attention.
  const std::optional<machine::EarnedError> &error() const {
    return times.error();
  }
  /// Bytes by source and target.
  const std::map<std::pair<int64_t, int64_t>, int64_t> &traffic() const {
    return bytesBetween;
  }
  const WholeTensors &wholeTensors() const { return whole; }
  /// Ops that do something but take no time here, by name, and how many ops do
  /// anything.
  const std::map<std::string, int64_t> &untimed() const { return untimedOps; }
  int64_t working() const { return workingOps; }

private:
  friend class FusedAttention;
  using Tasks = std::vector<machine::TaskId>;

  bool takesPart(size_t index, int64_t stream) const;
  bool writes(size_t index, int64_t stream) const;
  int64_t streams() const { return program.deviceCount() + 1; }
  int64_t host() const { return program.deviceCount(); }

  void addInstruction(size_t index);
  void addCompute(size_t index, const Op &op, const OpTypes &types);
  /// Between whole tensors and shards.
  void addCrossing(size_t index, const OpTypes &types);
  /// Every chip puts a whole tensor together, axis by axis.
  void gatherWhole(size_t index, const OpTypes &types);
  /// What a device has to do with what an exchange brought it.
  void addArrived(size_t index, const Op &op, const OpTypes &types,
                  int64_t device);
  /// The transfers of an exchange, by receiver.
  std::vector<Tasks> carry(size_t index, const Op &op, const OpTypes &types);
  /// How long an op takes before it sends anything.
  double startSeconds() const {
    return machine.processor ? 0 : machine.links.start;
  }
  machine::TaskId addTask(size_t index, int64_t stream, machine::TaskKind kind,
                          double seconds, const Tasks &after,
                          const std::vector<machine::ResourceId> &holds,
                          const OpCost &cost = {});
  /// Charges what is done with whole tensors.
  void computeWhole(size_t index, const OpCost &cost);
  /// Says that an instruction takes no time though it should.
  void leaveUntimed(size_t index);
  /// Computes on a stream after everything it has done.
  machine::TaskId compute(size_t index, int64_t stream, const OpCost &cost);
  /// Lets a stream go on only after `after`.
  void join(size_t index, int64_t stream, const Tasks &after);
  void count(const std::string &name, const OpTypes &types, int64_t stream,
             double flops);
  void countTransfer(int64_t source, int64_t target, int64_t bytes);
  double packetOf(const OpTypes &types) const;
  /// Lets a stream go on only when nothing that it sends or receives is under
  /// way.
  void finishTransfers(size_t index, int64_t stream);

  const Program &program;
  const machine::Machine &machine;
  machine::EventEngine engine;
  machine::MeshLinks meshLinks;
  WholeTensors whole;
  bool alternates;
  OpTimes times;
  /// By stream; all devices have the same one if they share a processor.
  std::vector<machine::ResourceId> computeOf;
  std::vector<TaskNote> taskNotes;
  std::vector<DeviceStatistics> counts;
  std::map<std::pair<int64_t, int64_t>, int64_t> bytesBetween;
  std::vector<Tasks> last; ///< by stream: what must have ended
  std::map<size_t, std::vector<Tasks>> underWay; ///< by start, then receiver
  std::map<size_t, std::vector<Tasks>> leaving;  ///< by start, then sender
  /// Bytes that an exchange only gives another place on their device.
  std::vector<double> movedOnDevice;
  /// Whole tensors are computed on one chip if the devices have nothing to do.
  bool hostIsChip = false;
  std::map<std::string, int64_t> untimedOps;
  int64_t workingOps = 0;
};

} // namespace ring::rt

#endif // RING_RUNTIME_SIM_PROGRAMTASKS_H
