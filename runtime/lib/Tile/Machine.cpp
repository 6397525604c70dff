// SPDX-License-Identifier: Apache-2.0
//
// Sets a program up, and decides who runs when.

#include "Machine.h"

#include <cstring>
#include <sstream>

#include <sys/mman.h>

namespace ring::tile {

namespace {

thread_local Machine *active = nullptr;

/// Leaves a kernel that will not go on, so that what it holds is given back. It
/// never leaves the kernel's own stack.
struct Abandoned {};

std::string keyOf(const DeviceKernel &kernel) {
  std::string key = kernel.source;
  for (const std::string &define : kernel.defines)
    key += " " + define;
  return key;
}

} // namespace

Machine &machine() { return *active; }

LowMemory::~LowMemory() {
  if (memory)
    munmap(memory, size);
}

bool LowMemory::allocate(size_t bytes) {
#ifndef MAP_FIXED_NOREPLACE
  constexpr int flags = 0;
#else
  constexpr int flags = MAP_FIXED_NOREPLACE;
#endif
  // Kernels make pointers of 32-bit addresses. Above 2 GiB begin the regions
  // that sanitizers keep for themselves.
  for (uintptr_t hint = 0x10000000; hint + bytes < 0x70000000;
       hint += 0x1000000) {
    void *found =
        mmap(reinterpret_cast<void *>(hint), bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (found == MAP_FAILED)
      continue;
    if (reinterpret_cast<uintptr_t>(found) + bytes <= 0xffffffffu) {
      memory = static_cast<uint8_t *>(found);
      size = bytes;
      return true;
    }
    munmap(found, bytes);
  }
  return false;
}

Machine::Machine(const DeviceProgram &program, MeshMemory &memory,
                 const std::vector<uint32_t> &inputs,
                 const TileOptions &options)
    : program(program), options(options),
      random(options.seed * 0x9e3779b97f4a7c15u + 1) {
  result.devices.resize(program.devices.size());
  if (Status status = verify(program, options.limits); !status) {
    result.fault = status.message();
    return;
  }
  if (Status status = verifyMemory(program, memory, inputs); !status) {
    result.fault = status.message();
    return;
  }
  setUp(inputs, memory);
}

Machine::~Machine() = default;

void Machine::setUp(const std::vector<uint32_t> &inputs, MeshMemory &memory) {
  const size_t devices = program.devices.size();
  dram.resize(devices);
  for (size_t device = 0; device < devices; ++device) {
    for (size_t buffer = 0; buffer < program.buffers.size(); ++buffer) {
      DramBuffer state;
      state.pageBytes = program.buffers[buffer].pageBytes;
      state.bytes = &memory[device][buffer];
      state.pages.resize(program.buffers[buffer].pages);
      dram[device].push_back(std::move(state));
    }
    for (uint32_t buffer : inputs)
      for (PageState &page : dram[device][buffer].pages)
        page.written = true;
    setUpCores(static_cast<uint32_t>(device));
  }

  size_t bytes = 0;
  for (const auto &core : cores)
    bytes += (core->bytes + 4095) / 4096 * 4096;
  if (!memoryOfCores.allocate(std::max<size_t>(bytes, 4096))) {
    result.fault = "the tile machine expects memory below 2 GiB for the L1 of "
                   "its cores, but the system gives none";
    return;
  }
  size_t offset = 0;
  for (const auto &core : cores) {
    core->l1 = memoryOfCores.data() + offset;
    offset += (core->bytes + 4095) / 4096 * 4096;
  }
  for (uint32_t device = 0; device < devices; ++device)
    setUpTasks(device);

  switch (options.seed % 4) {
  case 0:
  case 1:
    mood = Mood::Even;
    break;
  case 2:
    mood = Mood::Priorities;
    break;
  default:
    mood = Mood::LateNetwork;
  }
  yieldOneIn = options.seed % 3 == 0 ? 2 : 8;
  networkPriority = static_cast<int64_t>(random() >> 1);
}

void Machine::setUpCores(uint32_t device) {
  const OneDevice &one = program.devices[device];
  auto coreOf = [&](DeviceCore place) -> Core & {
    if (Core *core = coreAt(device, place.x, place.y))
      return *core;
    auto core = std::make_unique<Core>();
    core->device = device;
    core->place = place;
    core->bytes = kFirstBuffer;
    core->buffers.resize(options.limits.circularBuffers);
    core->local.resize(options.limits.semaphores);
    core->global.resize(program.globalSemaphores.size());
    cores.push_back(std::move(core));
    return *cores.back();
  };
  for (const DeviceKernel &kernel : one.kernels)
    for (const KernelOnCore &share : kernel.cores)
      coreOf(share.core);
  for (const CircularBuffer &buffer : one.circularBuffers)
    for (DeviceCore place : buffer.cores) {
      Core &core = coreOf(place);
      BufferState &state = core.buffers[buffer.index];
      state.present = true;
      state.format = buffer.format;
      state.pages = buffer.pages;
      state.inPlace = buffer.inPlace;
      state.base = core.bytes;
      state.written.assign(buffer.pages, 0);
      core.bytes += buffer.pages * tileBytes(buffer.format);
    }
}

std::vector<uint32_t>
Machine::wordsOf(const std::vector<DeviceArgument> &arguments,
                 const Core &core) {
  std::vector<uint32_t> words;
  for (const DeviceArgument &argument : arguments)
    switch (argument.kind) {
    case DeviceArgument::Kind::Scalar:
    case DeviceArgument::Kind::LocalSemaphore:
    case DeviceArgument::Kind::CoreOnNoc:
      words.push_back(argument.value);
      break;
    case DeviceArgument::Kind::BufferAddress:
      words.push_back(0xd0000000u + argument.value);
      break;
    case DeviceArgument::Kind::BufferAccessor:
      words.push_back(2); // interleaved, in DRAM
      words.push_back(program.buffers[argument.value].pageBytes);
      break;
    case DeviceArgument::Kind::GlobalSemaphore:
      words.push_back(core.base() + kGlobalSemaphores +
                      argument.value * kSemaphoreStride);
      break;
    }
  return words;
}

void Machine::setUpTasks(uint32_t device) {
  for (const DeviceKernel &kernel : program.devices[device].kernels)
    for (const KernelOnCore &share : kernel.cores) {
      auto task = std::make_unique<Task>();
      task->number = static_cast<uint32_t>(tasks.size());
      task->device = device;
      task->kernel = &kernel;
      task->core = coreAt(device, share.core.x, share.core.y);
      const std::string key = keyOf(kernel);
      for (const KernelTable *table : {&options.kernels, &tileKernels()})
        if (auto found = table->find(key);
            !task->entry && found != table->end())
          task->entry = found->second;
      if (!task->entry) {
        result.fault = "the tile machine knows no kernel \"" + key + "\"";
        return;
      }
      task->compileTime = wordsOf(kernel.compileTime, *task->core);
      task->common = wordsOf(kernel.common, *task->core);
      task->runtime = wordsOf(share.arguments, *task->core);
      task->ownArguments = static_cast<uint32_t>(task->runtime.size());
      for (const FabricConnection &fabric : share.connections) {
        auto connection = std::make_unique<Connection>();
        connection->device = device;
        connection->neighbour = fabric.neighbour;
        connection->link = fabric.link;
        connection->owner = task.get();
        task->runtime.push_back(static_cast<uint32_t>(connections.size()));
        task->connections.push_back(static_cast<uint32_t>(connections.size()));
        connections.push_back(std::move(connection));
      }
      tasks.push_back(std::move(task));
    }
}

Core *Machine::coreAt(uint32_t device, uint32_t x, uint32_t y) {
  for (const auto &core : cores)
    if (core->device == device && core->place.x == x && core->place.y == y)
      return core.get();
  return nullptr;
}

std::string Machine::nameOf(const Core &core) const {
  std::ostringstream text;
  text << "device " << core.device << ", core " << core.place.x << "-"
       << core.place.y;
  return text.str();
}

std::string Machine::nameOf(const Task &task) const {
  return nameOf(*task.core) + ", " + task.kernel->source;
}

void Machine::enter(void *argument) {
  Task &task = *static_cast<Task *>(argument);
  try {
    task.entry();
    active->finishTask(task);
  } catch (const Abandoned &) {
    task.state = Task::State::Abandoned;
  }
  while (true)
    task.fiber.leave(true);
}

void Machine::leaveTask() {
  current->fiber.leave();
  if (abandoning)
    throw Abandoned();
}

void Machine::abandonTasks() {
  abandoning = true;
  for (const auto &task : tasks) {
    const bool isOver = task->state == Task::State::Finished ||
                        task->state == Task::State::Abandoned;
    if (isOver || !task->entered)
      continue;
    current = task.get();
    task->fiber.resume();
  }
  current = nullptr;
}

void Machine::fail(const std::string &what, At at) {
  std::ostringstream text;
  text << nameOf(*current);
  if (at.file) {
    const char *slash = std::strrchr(at.file, '/');
    text << " (" << (slash ? slash + 1 : at.file) << ":" << at.line << ")";
  }
  text << ": " << what;
  if (result.fault.empty())
    result.fault = text.str();
  failed = true;
  throw Abandoned();
}

void Machine::waitUntil(const std::string &what, At at,
                        std::function<bool()> condition) {
  if (condition()) {
    mayYield(at);
    return;
  }
  Task &task = *current;
  task.state = Task::State::Waiting;
  task.condition = std::move(condition);
  task.waitsFor = what;
  task.at = at;
  leaveTask();
}

void Machine::mayYield(At at) {
  if (random() % yieldOneIn)
    return;
  current->at = at;
  leaveTask();
}

void Machine::launch(uint32_t device) {
  ++launched[device];
  for (const auto &core : cores) {
    if (core->device != device)
      continue;
    core->headers = 0;
    const auto &semaphores = program.devices[device].semaphores;
    for (size_t i = 0; i < semaphores.size(); ++i) {
      uint32_t initial = semaphores[i].initial;
      std::memcpy(core->l1 + kLocalSemaphores + i * kSemaphoreStride, &initial,
                  sizeof(initial));
      core->local[i].clock = Clock();
    }
    for (BufferState &buffer : core->buffers) {
      buffer.pushed = buffer.popped = buffer.reserved = buffer.waited = 0;
      buffer.written.assign(buffer.pages, 0);
      buffer.producer = buffer.consumer = Clock();
    }
  }
  for (const auto &task : tasks) {
    if (task->device != device)
      continue;
    task->clock.join(ended[device]);
    task->seen = ~uint64_t{0};
    task->state = Task::State::Ready;
    task->condition = nullptr;
    task->priority = static_cast<int64_t>(random() >> 1);
    if (task->kernel->processor == Processor::Compute)
      task->math = std::make_unique<MathUnit>(task->kernel->compute);
    task->fiber.start(enter, task.get());
    task->entered = false;
    ++running[device];
  }
}

void Machine::finishTask(Task &task) {
  const At nowhere = {nullptr, 0};
  for (const Transaction *transaction : task.pending)
    if (transaction->kind != Transaction::Kind::Packet || !transaction->left)
      fail("expects a kernel to end with nothing under way, but a transaction "
           "of line " +
               std::to_string(transaction->at.line) + " is",
           nowhere);
  for (uint32_t connection : task.connections)
    if (connections[connection]->open)
      fail("expects a kernel to close its connections, but one is open",
           nowhere);
  task.state = Task::State::Finished;
  ended[task.device].join(task.clock);
  --running[task.device];
}

bool Machine::isReady(Task &task) {
  return task.state == Task::State::Ready ||
         (task.state == Task::State::Waiting && task.condition());
}

bool Machine::step() {
  std::vector<Task *> ready;
  for (const auto &task : tasks)
    if (isReady(*task))
      ready.push_back(task.get());
  if (ready.empty() && underWay.empty())
    return false;

  // The network is one more that may go first.
  Task *next = nullptr;
  switch (mood) {
  case Mood::Even: {
    const size_t network = std::min<size_t>(underWay.size(), 4);
    const size_t choice = random() % (ready.size() + network);
    if (choice < ready.size())
      next = ready[choice];
    break;
  }
  case Mood::Priorities: {
    for (Task *task : ready)
      if (!next || task->priority > next->priority)
        next = task;
    if (next && !underWay.empty() && networkPriority > next->priority)
      next = nullptr;
    if (random() % 16 == 0) {
      networkPriority = static_cast<int64_t>(random() >> 1);
      if (next)
        next->priority = static_cast<int64_t>(random() >> 1);
    }
    break;
  }
  case Mood::LateNetwork:
    if (!ready.empty())
      next = ready[random() % ready.size()];
    break;
  }
  if (!next) {
    advance(underWay[random() % underWay.size()].get());
    return true;
  }
  next->state = Task::State::Ready;
  next->condition = nullptr;
  current = next;
  ++result.switches;
  next->entered = true;
  next->fiber.resume();
  current = nullptr;
  if (!failed && !running[next->device] &&
      launched[next->device] < options.launches)
    launch(next->device);
  return true;
}

void Machine::reportStandstill() {
  std::ostringstream text;
  text << "standstill:";
  size_t named = 0, waiting = 0;
  for (const auto &task : tasks) {
    if (task->state != Task::State::Waiting)
      continue;
    if (++waiting && named < 12) {
      const char *slash =
          task->at.file ? std::strrchr(task->at.file, '/') : nullptr;
      text << (named++ ? "; " : " ") << nameOf(*task) << " ("
           << (slash ? slash + 1 : "?") << ":" << task->at.line
           << ") waits for " << task->waitsFor;
    }
  }
  if (waiting > named)
    text << "; and " << waiting - named << " more";
  result.fault = text.str();
}

void Machine::checkEnd() {
  for (const auto &core : cores)
    for (size_t i = 0; i < program.globalSemaphores.size(); ++i) {
      uint32_t value;
      std::memcpy(&value, core->l1 + kGlobalSemaphores + i * kSemaphoreStride,
                  4);
      if (value && result.fault.empty())
        result.fault = nameOf(*core) + ": expects global semaphore \"" +
                       program.globalSemaphores[i].name +
                       "\" to be 0 after the last launch, but it is " +
                       std::to_string(value);
    }
}

TileResult Machine::run() {
  if (!result.fault.empty())
    return result;
  Machine *before = active;
  active = this;
  running.assign(program.devices.size(), 0);
  launched.assign(program.devices.size(), 0);
  ended.assign(program.devices.size(), Clock());
  for (uint32_t device = 0; device < program.devices.size(); ++device)
    launch(device);
  while (!failed && step())
    ;
  if (!failed) {
    for (const auto &task : tasks)
      if (task->state == Task::State::Waiting) {
        reportStandstill();
        break;
      }
    if (result.fault.empty())
      checkEnd();
  }
  abandonTasks();
  active = before;
  return result;
}

} // namespace ring::tile

namespace ring::rt {

TileResult runOnTiles(const DeviceProgram &program, MeshMemory &memory,
                      const std::vector<uint32_t> &inputs,
                      const TileOptions &options) {
  tile::Machine machine(program, memory, inputs, options);
  return machine.run();
}

} // namespace ring::rt
