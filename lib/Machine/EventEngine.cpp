// SPDX-License-Identifier: Apache-2.0
//
// The run. Tasks come off a heap in the order in which they become ready. A
// task that becomes ready later can never start before one that was taken, so
// every resource is given in the order of readiness.

#include "ring/Machine/EventEngine.h"

#include <algorithm>
#include <cassert>
#include <queue>

namespace ring::machine {

TaskId EventEngine::addTask(int64_t device, TaskKind kind, double seconds,
                            const std::vector<TaskId> &after,
                            const std::vector<ResourceId> &held) {
  assert(device >= 0 && device < devices && "expects a device of the engine");
  TaskId id = static_cast<TaskId>(tasks.size());
  tasks.push_back({seconds, static_cast<int32_t>(device), kind,
                   static_cast<int32_t>(holds.size()),
                   static_cast<int32_t>(held.size())});
  holds.insert(holds.end(), held.begin(), held.end());
  for (TaskId before : after)
    addDependency(id, before);
  return id;
}

void EventEngine::addDependency(TaskId task, TaskId after) {
  assert(after >= 0 && after < task && "expects a task that was added before");
  edges.push_back({after, task});
}

namespace {

constexpr TaskId kNone = -1;

/// A task that may start, as the heap orders them.
struct Ready {
  double time;
  TaskId task;
  bool operator<(const Ready &other) const {
    return time != other.time ? time > other.time : task > other.task;
  }
};

} // namespace

EngineResult EventEngine::run() const {
  size_t count = tasks.size();
  EngineResult result;
  result.tasks.resize(count);
  result.busy.assign(resources, 0);
  result.deviceSeconds.assign(devices, 0);
  result.exposed.assign(devices, 0);
  result.waiting.assign(devices, 0);

  // Successors in one array, by task.
  std::vector<int32_t> first(count + 1, 0), pending(count, 0);
  for (const Edge &edge : edges) {
    ++first[edge.before + 1];
    ++pending[edge.after];
  }
  for (size_t i = 0; i < count; ++i)
    first[i + 1] += first[i];
  std::vector<TaskId> successors(edges.size());
  std::vector<int32_t> filled(first.begin(), first.end() - 1);
  for (const Edge &edge : edges)
    successors[filled[edge.before]++] = edge.after;

  std::vector<double> ready(count, 0), freeAt(resources, 0);
  std::vector<TaskId> cause(count, kNone), lastHolder(resources, kNone);
  std::vector<TaskId> lastCompute(devices, kNone);
  std::priority_queue<Ready> queue;
  for (size_t i = 0; i < count; ++i)
    if (pending[i] == 0)
      queue.push({0, static_cast<TaskId>(i)});

  TaskId last = kNone;
  while (!queue.empty()) {
    TaskId id = queue.top().task;
    queue.pop();
    const Task &task = tasks[id];
    double start = ready[id];
    for (int32_t i = 0; i < task.holdCount; ++i) {
      ResourceId held = holds[task.firstHold + i];
      if (freeAt[held] > start) {
        start = freeAt[held];
        cause[id] = lastHolder[held];
      }
    }
    double end = start + task.seconds;
    result.tasks[id] = {start, end};
    for (int32_t i = 0; i < task.holdCount; ++i) {
      ResourceId held = holds[task.firstHold + i];
      freeAt[held] = end;
      lastHolder[held] = id;
      result.busy[held] += task.seconds;
    }

    if (task.kind == TaskKind::Compute) {
      TaskId before = lastCompute[task.device];
      double idleFrom = before == kNone ? 0 : result.tasks[before].end;
      double gap = std::max(0.0, start - idleFrom);
      // Transfers that waited for each other are one; what the first of them
      // waited for is no longer communication.
      double since = start;
      for (TaskId by = cause[id];
           by != kNone && tasks[by].kind != TaskKind::Compute &&
           since > idleFrom;
           by = cause[by])
        if (tasks[by].kind == TaskKind::Transfer)
          since = result.tasks[by].start;
      double moving = std::min(gap, start - since);
      result.exposed[task.device] += moving;
      result.waiting[task.device] += gap - moving;
      lastCompute[task.device] = id;
    }
    double &deviceEnd = result.deviceSeconds[task.device];
    deviceEnd = std::max(deviceEnd, end);
    if (last == kNone || end > result.tasks[last].end)
      last = id;

    for (int32_t i = first[id]; i < first[id + 1]; ++i) {
      TaskId next = successors[i];
      if (end > ready[next] || cause[next] == kNone) {
        ready[next] = std::max(ready[next], end);
        cause[next] = id;
      }
      if (--pending[next] == 0)
        queue.push({ready[next], next});
    }
  }
  if (last == kNone)
    return result;
  // What is still under way when a device has computed all hides behind
  // nothing.
  for (int64_t i = 0; i < devices; ++i)
    if (lastCompute[i] != kNone)
      result.exposed[i] +=
          result.deviceSeconds[i] - result.tasks[lastCompute[i]].end;
  result.seconds = result.tasks[last].end;
  for (TaskId id = last; id != kNone; id = cause[id])
    result.criticalPath.push_back(id);
  std::reverse(result.criticalPath.begin(), result.criticalPath.end());
  return result;
}

} // namespace ring::machine
