// SPDX-License-Identifier: Apache-2.0
//
// The mesh while it runs: cores with L1 and circular buffers, DRAM, what is
// under way between them, and the tasks that are the kernels.

#ifndef RING_TILE_MACHINE_H
#define RING_TILE_MACHINE_H

#include "Clock.h"
#include "Fiber.h"
#include "KernelApi.h"
#include "MathUnit.h"

#include "ring-runtime/TileMachine.h"

#include <deque>
#include <functional>
#include <memory>
#include <random>

namespace ring::tile {

using namespace ring::rt;

struct Task;

/// A circular buffer of one core. Counts only rise; a page is count % pages.
struct BufferState {
  bool present = false;
  TileFormat format = TileFormat::BF16;
  uint32_t pages = 0;
  uint32_t base = 0; ///< offset in the core's L1
  bool inPlace = false;
  uint32_t pushed = 0, popped = 0;
  uint32_t reserved = 0, waited = 0;
  std::vector<uint8_t> written; ///< since the page was reserved
  Clock producer, consumer;

  uint32_t pageBytes() const { return tileBytes(format); }
};

/// A counter in L1.
struct Semaphore {
  Clock clock; ///< of all who raised it
};

/// Memory that 32-bit addresses reach, as those of L1 are on a device.
class LowMemory {
public:
  LowMemory() = default;
  LowMemory(const LowMemory &) = delete;
  LowMemory &operator=(const LowMemory &) = delete;
  ~LowMemory();
  /// False if the system has none.
  bool allocate(size_t bytes);
  uint8_t *data() const { return memory; }

private:
  uint8_t *memory = nullptr;
  size_t size = 0;
};

struct Core {
  uint32_t device = 0;
  DeviceCore place;
  uint8_t *l1 = nullptr;
  uint32_t bytes = 0;
  std::vector<BufferState> buffers;
  std::vector<Semaphore> local, global;
  uint32_t headers = 0; ///< packet headers taken
  uint64_t version = 0; ///< of what a kernel that polls may see

  uint32_t base() const {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(l1));
  }
};

// Where things are in L1; the same on every core.
constexpr uint32_t kSemaphoreStride = 16;
constexpr uint32_t kLocalSemaphores = 0;
constexpr uint32_t kGlobalSemaphores = 16 * kSemaphoreStride;
constexpr uint32_t kHeaderBytes = 64;
constexpr uint32_t kHeaderPool = 1024;
constexpr uint32_t kFirstBuffer = 2048;

/// Who touched a page of DRAM last.
struct PageState {
  static constexpr uint32_t kHost = ~0u;
  bool written = false;
  uint32_t writer = kHost; ///< task, or behind them connection
  uint32_t write = 0;      ///< which of its writes
  bool landing = false;    ///< the write is under way
  struct Reader {
    uint32_t task;
    uint32_t barrier; ///< by which it had the data
    uint32_t pending; ///< reads under way
  };
  std::vector<Reader> readers; ///< since the write
};

struct DramBuffer {
  uint32_t pageBytes = 0;
  PageBytes *bytes = nullptr;
  std::vector<PageState> pages;
};

/// Something that was started and takes effect later.
struct Transaction {
  enum class Kind { Read, Write, Raise, Packet };
  Kind kind = Kind::Read;
  Task *owner = nullptr;
  At at = {nullptr, 0};
  uint64_t remote = 0; ///< address of DRAM, or of a semaphore
  uint32_t local = 0;  ///< address in the owner's L1
  uint32_t bytes = 0;
  bool left = false; ///< writes: the data is no longer taken from L1
  std::vector<uint8_t> data;
  Clock clock;        ///< what whoever notices it learns
  uint32_t write = 0; ///< number of the write
  // Packets and raises.
  uint32_t device = 0; ///< where it takes effect
  uint64_t semaphore = 0;
  uint32_t by = 0;
  bool flush = false;
  uint32_t connection = 0;
  const volatile void *header = nullptr;
  bool raised = false; ///< the counter went ahead of the data
};

/// A worker's way to a router.
struct Connection {
  uint32_t device = 0, neighbour = 0, link = 0;
  Task *owner = nullptr;
  bool open = false;
  std::deque<Transaction *> underWay; ///< in order
  uint32_t writes = 0;                ///< started
  uint32_t flushed = 0; ///< up to which a counter was raised behind the write
};

/// A kernel on a core.
struct Task {
  uint32_t number = 0;
  uint32_t device = 0;
  const DeviceKernel *kernel = nullptr;
  Core *core = nullptr;
  KernelEntry entry = nullptr;
  std::vector<uint32_t> compileTime, common, runtime;
  std::vector<uint32_t> connections;
  uint32_t ownArguments = 0; ///< connections follow
  Fiber fiber;
  Clock clock;
  uint32_t writes = 0; ///< started
  uint32_t launch = 0;
  enum class State { Ready, Waiting, Finished, Abandoned } state = State::Ready;
  bool entered = false; ///< has begun to run
  std::function<bool()> condition;
  std::string waitsFor;
  At at = {nullptr, 0};
  uint64_t seen = 0;  ///< the core's version when it last polled
  uint32_t polls = 0; ///< since that version
  int64_t priority = 0;
  std::vector<Transaction *> pending;
  std::vector<PageState *> reads; ///< since the last barrier
  std::unique_ptr<MathUnit> math;
};

class Machine {
public:
  Machine(const DeviceProgram &program, MeshMemory &memory,
          const std::vector<uint32_t> &inputs, const TileOptions &options);
  ~Machine();
  TileResult run();

  // For the kernel API, on behalf of the task that runs.
  Task &task() { return *current; }
  Core &core() { return *current->core; }
  TileCounters &counters() { return result.devices[current->device]; }
  /// Gives up the run: nothing of it goes on.
  [[noreturn]] void fail(const std::string &what, At at);
  /// Leaves the task until `condition` holds.
  void waitUntil(const std::string &what, At at,
                 std::function<bool()> condition);
  /// Lets others go first, if the seed wants so.
  void mayYield(At at);

  BufferState &bufferOf(uint32_t index, At at);
  /// The page of a reserved or waited group at an L1 address of the core.
  std::string nameOf(const Task &task) const;
  std::string nameOf(const Core &core) const;
  Core *coreAt(uint32_t device, uint32_t x, uint32_t y);

  /// A stretch of DRAM that lies in one page.
  struct Stretch {
    DramBuffer *buffer;
    uint32_t number, page;
    uint8_t *bytes;
  };
  Stretch stretchOf(uint32_t device, uint64_t address, uint32_t bytes, At at);
  /// Notes an access of the task that runs, or gives up if the clocks do not
  /// put it behind what it must follow.
  void startRead(const Stretch &stretch, At at);
  void startWrite(const Stretch &stretch, uint32_t writer, uint32_t write,
                  At at);
  std::string nameOfWriter(uint32_t writer) const;

  Transaction *start(Transaction::Kind kind, At at);
  /// Takes a write's data out of L1.
  void depart(Transaction &transaction);
  /// Lets a transaction, or what must be before it, take effect by one phase.
  void advance(Transaction *transaction);
  void raiseCounter(uint32_t device, uint64_t address, uint32_t by,
                    const Clock &clock, At at);
  Semaphore *semaphoreAt(Core &core, uint32_t offset);
  /// Gives up if a stretch of a core's L1 is not in reserved pages.
  void checkReserved(const Core &core, uint32_t address, uint32_t bytes,
                     const char *verb, At at);
  /// The core that an address on the NoC is of, and where in its L1; none for
  /// one of DRAM.
  Core *coreOf(uint32_t device, uint64_t address);
  static uint32_t offsetOf(uint64_t address);
  /// The first transaction of the core that has to do with a stretch of its L1:
  /// reads that will write it, or writes that have not yet taken it.
  const Transaction *pendingOn(uint32_t address, uint32_t bytes, bool reads);
  void markWritten(Core &core, uint32_t address, uint32_t bytes);

  const DeviceProgram &program;
  const TileOptions &options;
  std::mt19937_64 random;
  std::vector<std::vector<DramBuffer>> dram; ///< by device, buffer
  std::vector<std::unique_ptr<Core>> cores;
  std::vector<std::unique_ptr<Connection>> connections;
  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<std::unique_ptr<Transaction>> underWay;
  TileResult result;

private:
  void setUp(const std::vector<uint32_t> &inputs, MeshMemory &memory);
  void setUpCores(uint32_t device);
  void setUpTasks(uint32_t device);
  std::vector<uint32_t> wordsOf(const std::vector<DeviceArgument> &arguments,
                                const Core &core);
  void launch(uint32_t device);
  void finishTask(Task &task);
  /// Goes back to the scheduler until it resumes the task that runs.
  void leaveTask();
  /// Ends what is left of a run that failed or stands still.
  void abandonTasks();
  bool isReady(Task &task);
  /// True while something can happen.
  bool step();
  void reportStandstill();
  void checkEnd();
  static void enter(void *task);

  LowMemory memoryOfCores;
  Task *current = nullptr;
  bool failed = false, abandoning = false;
  std::vector<uint32_t> running; ///< tasks of a device that have not ended
  std::vector<uint32_t> launched;
  std::vector<Clock> ended; ///< what a device's last launch knew
  enum class Mood { Even, Priorities, LateNetwork } mood = Mood::Even;
  int64_t networkPriority = 0;
  uint32_t yieldOneIn = 8;
};

/// The machine whose task runs on this thread.
Machine &machine();

} // namespace ring::tile

#endif // RING_TILE_MACHINE_H
