// SPDX-License-Identifier: Apache-2.0
//
// From a program and a machine to the same result that other backends give, and
// a prediction beside it.

#include "Sim/SimBackend.h"

#include "Mesh/LocalStreams.h"
#include "Sim/MemoryWalk.h"
#include "Sim/ProgramTasks.h"
#include "ring/Machine/MachineFile.h"
#include "ring/Machine/MeshOnMachine.h"
#include "ring/Machine/PredictionText.h"

#include <algorithm>
#include <thread>

namespace ring::rt {

namespace {

/// Fills a result from the times of the tasks.
class Report {
public:
  Report(const Program &program, const machine::Machine &machine,
         ProgramTasks &tasks, const machine::EngineResult &times)
      : program(program), machine(machine), tasks(tasks), times(times) {}

  RunResult make(bool trace) {
    result.prediction.emplace();
    prediction().machine = machine.name;
    result.seconds = times.seconds;
    result.devices.assign(tasks.statistics().begin(),
                          tasks.statistics().end() - 1);
    result.host = tasks.statistics().back();
    prediction().devices.resize(result.devices.size());
    nameLinks();
    addTasks(trace);
    if (trace)
      addLinkLoads();
    addDevices();
    addUtilisation();
    addSteps();
    addHost();
    prediction().ops = tasks.working();
    prediction().untimed = tasks.untimed();
    addNote();
    return std::move(result);
  }

private:
  Prediction &prediction() { return *result.prediction; }
  DeviceStatistics &statisticsOf(int64_t stream) {
    return stream < program.deviceCount() ? result.devices[stream]
                                          : result.host;
  }

  void nameLinks() {
    const machine::MeshLinks &links = tasks.links();
    if (links.linksPerDevice() == 0)
      return;
    for (bool leavesHost : {false, true})
      for (int64_t device = 0; device < program.deviceCount(); ++device)
        for (size_t axis = 0; axis < program.mesh().size(); ++axis)
          for (bool forward : {true, false})
            if (!leavesHost || links.hasOutwardLinks())
              prediction().links.push_back(
                  {device, static_cast<int64_t>(axis), forward, leavesHost});
  }

  void addTasks(bool trace) {
    const std::vector<TaskNote> &notes = tasks.notes();
    for (size_t i = 0; i < notes.size(); ++i) {
      const TaskNote &note = notes[i];
      const machine::TaskTimes &at = times.tasks[i];
      double seconds = at.end - at.start;
      DeviceStatistics &device = statisticsOf(note.stream);
      const std::string &name = program.instructions()[note.instruction].op;
      if (!note.transfer && seconds > 0) {
        device.busySeconds += seconds;
        if (!note.whole)
          device.ops[nameOf(note, name)].seconds += seconds;
        else if (note.stream == 0)
          result.host.ops[name].seconds += seconds;
        if (note.stream < program.deviceCount())
          prediction().devices[note.stream].dramSeconds +=
              note.cost.dramSeconds;
        prediction().fitsL1 &= note.cost.fits;
      }
      if (trace && seconds > 0)
        addEvents(note, tasks.tasks().heldBy(static_cast<int32_t>(i)), at);
    }
  }

  /// The name under which a task is counted: that of its composite, if any.
  std::string nameOf(const TaskNote &note, const std::string &op) const {
    for (const Composite &composite : program.composites())
      if (note.cost.attends && composite.first == note.instruction &&
          tasks.statistics()[note.stream].ops.count(composite.name))
        return composite.name;
    return op;
  }

  void addEvents(const TaskNote &note,
                 const std::vector<machine::ResourceId> &holds,
                 const machine::TaskTimes &at) {
    TraceEvent event{note.stream, note.instruction, at.start, at.end, 0};
    if (!note.transfer) {
      result.trace.push_back(event);
      return;
    }
    // The links were added before all other resources.
    for (machine::ResourceId held : holds) {
      event.lane = 1 + static_cast<size_t>(held);
      event.device = prediction().links[held].device;
      result.trace.push_back(event);
    }
  }

  /// What goes between two devices, and how busy the link between neighbours
  /// is, also where it only passes on.
  void addLinkLoads() {
    std::map<std::pair<int64_t, int64_t>, LinkLoad> loads;
    for (const auto &[ends, bytes] : tasks.traffic())
      if (ends.first < program.deviceCount() &&
          ends.second < program.deviceCount())
        loads[ends] = {ends.first, ends.second, bytes};
    for (size_t i = 0; i < prediction().links.size(); ++i) {
      const PredictedLink &link = prediction().links[i];
      double busy = times.busy[i];
      if (busy <= 0)
        continue;
      auto axis = static_cast<size_t>(link.axis);
      int64_t apart =
          link.leavesHost ? tasks.links().axis(axis).perHost : int64_t(1);
      int64_t target = tasks.links().neighbour(link.device, axis,
                                               link.forward ? apart : -apart);
      LinkLoad &load = loads[{link.device, target}];
      load.source = link.device;
      load.target = target;
      load.busySeconds = std::max(load.busySeconds, busy);
    }
    for (const auto &[ends, load] : loads)
      result.links.push_back(load);
  }

  void addDevices() {
    for (int64_t i = 0; i < program.deviceCount(); ++i) {
      result.devices[i].seconds = times.deviceSeconds[i];
      PredictedDevice &device = prediction().devices[i];
      device.computeSeconds = result.devices[i].busySeconds;
      device.exposedSeconds = times.exposed[i];
      device.waitingSeconds = times.waiting[i];
      if (times.deviceSeconds[i] > times.deviceSeconds[prediction().lastDevice])
        prediction().lastDevice = static_cast<size_t>(i);
    }
    for (size_t i = 0; i < prediction().links.size(); ++i) {
      double &busiest =
          prediction().devices[prediction().links[i].device].linkSeconds;
      busiest = std::max(busiest, times.busy[i]);
    }
    result.host.seconds = times.deviceSeconds.back();
  }

  void addUtilisation() {
    double flops = 0;
    int64_t cores = 0, streams = 0;
    std::vector<bool> computes(program.deviceCount() + 1, false);
    for (const TaskNote &note : tasks.notes())
      if (note.cost.attends && !(note.whole && note.stream > 0)) {
        flops += note.cost.flops;
        cores = std::max(cores, note.cost.cores);
        computes[note.stream] = true;
      }
    // All devices of the mesh count, also those without work; without work on
    // any of them it is one chip.
    bool onDevices = std::count(computes.begin(), computes.end() - 1, true) > 0;
    streams = onDevices ? program.deviceCount() : 1;
    if (times.seconds <= 0 || flops <= 0)
      return;
    double peak = machine.processor
                      ? machine.processor->peak
                      : static_cast<double>(streams * cores) *
                            machine.chip.clock * machine::kUtilisationFlops;
    prediction().utilisation = flops / (peak * times.seconds);
  }

  void addHost() {
    if (machine.processor)
      return;
    PredictedHost &host = prediction().host;
    host.bytesIn = tasks.wholeTensors().bytesIn();
    host.bytesOut = tasks.wholeTensors().bytesOut();
    host.seconds = machine.hostSeconds(host.bytesIn + host.bytesOut,
                                       program.deviceCount());
    host.bandwidth = machine.hostBandwidth;
    host.bandwidthAssumed = machine.hostBandwidthAssumed;
  }

  /// Attentions of one place of the source are one layer.
  void addSteps() {
    int64_t shown = static_cast<int64_t>(prediction().lastDevice);
    bool any = false;
    for (const TaskNote &note : tasks.notes())
      any |= note.cost.attends && note.stream == shown;
    if (!any)
      shown = program.deviceCount();
    std::vector<std::string> layers;
    double before = 0;
    for (size_t i = 0; i < tasks.notes().size(); ++i) {
      const TaskNote &note = tasks.notes()[i];
      if (note.transfer || note.stream != shown ||
          times.tasks[i].end <= times.tasks[i].start)
        continue;
      double idle = std::max(0.0, times.tasks[i].start - before);
      before = times.tasks[i].end;
      if (!note.cost.attends)
        continue;
      const Instruction &step = program.instructions()[note.instruction];
      auto layer = std::find(layers.begin(), layers.end(), step.location);
      if (layer == layers.end())
        layer = layers.insert(layers.end(), step.location);
      prediction().steps.push_back(
          {note.instruction, static_cast<size_t>(layer - layers.begin()),
           times.tasks[i].start, times.tasks[i].end, idle, note.cost.flops,
           note.cost.utilisation, note.cost.bound});
    }
  }

  /// The line that stands for the run.
  void addNote() {
    double attends = 0, all = 0;
    for (size_t i = 0; i < tasks.notes().size(); ++i) {
      const TaskNote &note = tasks.notes()[i];
      if (note.transfer)
        continue;
      double seconds = times.tasks[i].end - times.tasks[i].start;
      all += seconds;
      attends += note.cost.attends ? seconds : 0;
    }
    machine::PredictedTime time;
    time.seconds = times.seconds;
    time.utilisation = prediction().utilisation;
    if (!prediction().devices.empty())
      time.exposedSeconds =
          prediction().devices[prediction().lastDevice].exposedSeconds;
    for (const PredictedDevice &device : prediction().devices)
      time.transferSeconds = std::max(time.transferSeconds, device.linkSeconds);
    time.error = tasks.error().value_or(machine::EarnedError{false, 0});
    time.error.speakFor(attends, all);
    // Nobody published what goes on between hosts.
    for (const auto &[ends, bytes] : tasks.traffic())
      time.error.covered &=
          !tasks.links().areOnTwoHosts(ends.first, ends.second);
    prediction().note = machine::formatPrediction(time);
  }

  const Program &program;
  const machine::Machine &machine;
  ProgramTasks &tasks;
  const machine::EngineResult &times;
  RunResult result;
};

/// What a program may run at the same time a chip can do in several ways, of
/// which the fastest one counts, as for the planner.
Result<RunResult> simulateFastest(const Program &program,
                                  const machine::Machine &machine,
                                  const std::vector<machine::Axis> &axes,
                                  bool trace) {
  std::vector<machine::CoreSplit> splits = {{}};
  if (!machine.processor && attendsBesideTransfers(program))
    splits = machine::coreSplits(machine.chip);
  std::optional<RunResult> fastest;
  for (const machine::CoreSplit &split : splits) {
    ProgramTasks tasks(program, machine, axes, split);
    if (Status status = tasks.build(); !status)
      return status;
    machine::EngineResult times = tasks.tasks().run();
    if (fastest && times.seconds >= fastest->seconds)
      continue;
    fastest = Report(program, machine, tasks, times).make(trace);
    fastest->prediction->transfers = split.words;
  }
  return std::move(*fastest);
}

/// Gives the events of the streams what they hold. Most instructions take no
/// time and have no event; the next one has the most of them.
void noteHeldBytes(const MemoryUse &device, const MemoryUse &host,
                   int64_t devices, std::vector<TraceEvent> &trace) {
  std::map<int64_t, std::vector<TraceEvent *>> events;
  for (TraceEvent &event : trace)
    if (event.lane == 0)
      events[event.device].push_back(&event);
  for (auto &[stream, list] : events) {
    const std::vector<int64_t> &held =
        (stream < devices ? device : host).heldBytes;
    std::stable_sort(list.begin(), list.end(),
                     [](const TraceEvent *a, const TraceEvent *b) {
                       return a->instruction < b->instruction;
                     });
    size_t next = 0;
    int64_t last = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      size_t end = i + 1 < list.size() ? list[i]->instruction + 1 : held.size();
      int64_t most = next < end ? 0 : last;
      for (; next < end; ++next)
        most = std::max(most, held[next]);
      list[i]->heldBytes = last = most;
    }
  }
}

} // namespace

Result<RunResult> SimBackend::run(const Program &program,
                                  const std::vector<PortTensors> &inputs,
                                  const RunOptions &options) {
  if (!inputs.empty())
    return error("expects no inputs for a simulation, but got ", inputs.size());
  if (Status status = checkOptions(options); !status)
    return status;
  machine::MachineOrError machine = machine::loadMachine(options.machine);
  machine::MeshOnMachine mesh = layMesh(*machine, program.mesh());
  if (!mesh.error.empty())
    return Status::failure(mesh.error);

  bool onChips = !machine->processor;
  int threads =
      threadsOr(options, static_cast<int>(std::thread::hardware_concurrency()));
  Result<MemoryUse> device =
      walkMemory(program, /*host=*/false, options.deviceMemory,
                 onChips ? 0 : threads, onChips);
  if (!device)
    return device.status();
  Result<MemoryUse> host =
      walkMemory(program, /*host=*/true, 0, onChips ? 0 : threads, onChips);
  if (!host)
    return host.status();

  Result<RunResult> fastest =
      simulateFastest(program, *machine, mesh.axes, options.trace);
  if (!fastest)
    return fastest;
  RunResult result = std::move(*fastest);
  for (DeviceStatistics &statistics : result.devices) {
    statistics.peakBytes = device->peakBytes;
    statistics.peakKeyValueBytes = device->peakKeyValueBytes;
    statistics.scratchBytes = device->scratchBytes;
  }
  result.host.peakBytes = host->peakBytes;
  result.host.peakKeyValueBytes = host->peakKeyValueBytes;
  result.host.scratchBytes = host->scratchBytes;
  noteHeldBytes(*device, *host, program.deviceCount(), result.trace);
  Prediction &prediction = *result.prediction;
  prediction.chips = mesh.chips;
  prediction.dramBytes = machine->chip.dramBytes;
  prediction.fitsDram = !onChips || device->peakBytes <= prediction.dramBytes;
  if (options.progress)
    options.progress(1, 1);
  return result;
}

} // namespace ring::rt
