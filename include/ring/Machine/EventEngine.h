// SPDX-License-Identifier: Apache-2.0
//
// A discrete-event run of tasks on resources. It knows nothing of attention:
// tasks have a length, resources they hold and tasks they wait for. The same
// tasks give the same times in every run.

#ifndef RING_MACHINE_EVENTENGINE_H
#define RING_MACHINE_EVENTENGINE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ring::machine {

using TaskId = int32_t;
using ResourceId = int32_t;

/// What a task is to a device's timeline.
enum class TaskKind : uint8_t {
  Compute,
  Transfer,
  Other ///< neither counts as computing nor as communicating
};

/// When a task ran.
struct TaskTimes {
  double start = 0;
  double end = 0;
};

/// What a run gives.
struct EngineResult {
  std::vector<TaskTimes> tasks;      ///< by task
  std::vector<double> busy;          ///< by resource
  double seconds = 0;                ///< to the end of the last task
  std::vector<TaskId> criticalPath;  ///< from the first to the last task
  std::vector<double> deviceSeconds; ///< to the end of its last task
  /// By device: its compute stood still while a transfer that it needed next
  /// was on its way.
  std::vector<double> exposed;
  /// By device: stood still for anything else, such as a peer that is late.
  std::vector<double> waiting;
};

/// Tasks and resources, added in any order that puts a task behind those it
/// waits for.
class EventEngine {
public:
  explicit EventEngine(int64_t devices) : devices(devices) {}

  /// A resource that one task at a time holds.
  ResourceId addResource() { return resources++; }

  /// Adds a task of `device`. It starts when all of `after` have ended and all
  /// of `holds` are free; who is ready first goes first, and of equals who was
  /// added first.
  TaskId addTask(int64_t device, TaskKind kind, double seconds,
                 const std::vector<TaskId> &after,
                 const std::vector<ResourceId> &holds);
  /// Makes `task` wait for one more, which was added before it.
  void addDependency(TaskId task, TaskId after);

  size_t taskCount() const { return tasks.size(); }
  /// The resources that a task holds.
  std::vector<ResourceId> heldBy(TaskId task) const {
    auto first = holds.begin() + tasks[task].firstHold;
    return {first, first + tasks[task].holdCount};
  }

  /// Runs everything.
  EngineResult run() const;

private:
  struct Task {
    double seconds;
    int32_t device;
    TaskKind kind;
    int32_t firstHold;
    int32_t holdCount;
  };
  struct Edge {
    TaskId before;
    TaskId after;
  };

  int64_t devices;
  ResourceId resources = 0;
  std::vector<Task> tasks;
  std::vector<ResourceId> holds;
  std::vector<Edge> edges;
};

} // namespace ring::machine

#endif // RING_MACHINE_EVENTENGINE_H
