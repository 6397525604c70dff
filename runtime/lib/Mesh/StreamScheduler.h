// SPDX-License-Identifier: Apache-2.0
//
// Runs any number of instruction streams on a few threads. A stream that must
// wait gives its thread back; a big kernel is spread over threads that have
// nothing else to do.

#ifndef RING_RUNTIME_MESH_STREAMSCHEDULER_H
#define RING_RUNTIME_MESH_STREAMSCHEDULER_H

#include "Memory/Storage.h"
#include "Mesh/PostCarrier.h"
#include "ring-runtime/Status.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace ring::rt {

/// One device's instructions, or the host's.
class Stream {
public:
  /// What became of a stream that was given a thread.
  enum class Outcome {
    Finished,
    Blocked, ///< whoever brings what it waits for calls StreamScheduler::wake
    Failed
  };

  virtual ~Stream() = default;
  /// Runs until the end or until something is missing.
  virtual Outcome advance() = 0;
  /// Why it failed.
  virtual Status failure() const = 0;
  /// What it waits for, for a report of a standstill.
  virtual std::string waitingFor() const = 0;
};

/// One pool of threads for all streams of a run.
class StreamScheduler {
public:
  /// `threads` >= 1, the calling one included. Where other processes take
  /// part, the threads poll `carrier` between work items and while they are
  /// idle.
  explicit StreamScheduler(int threads, PostCarrier *carrier = nullptr);

  /// Runs all streams to their ends. Fails with the failure of the first stream
  /// that failed (by number), or with what each waits for if none can go on.
  Status run(const std::vector<Stream *> &streams);

  /// Lets a blocked stream look again. Waking one that runs or has work makes
  /// it look again later: no wake is lost.
  void wake(size_t stream);

  /// See RunServices::parallelFor.
  Status parallelFor(int64_t items, int64_t grain, int64_t scratchBytes,
                     const std::function<void(int64_t, int64_t, void *)> &body);

  /// See RunServices::help.
  bool help();

  int threadCount() const { return threads; }

private:
  /// A kernel that other threads may join.
  struct Job {
    std::atomic<int64_t> next{0};
    int64_t items = 0;
    int64_t grain = 1;
    int64_t scratchBytes = 0;
    const std::function<void(int64_t, int64_t, void *)> *body = nullptr;
    int helpers = 0; ///< guarded by the scheduler's mutex
  };

  enum class State { Ready, Running, Blocked, Done };

  void work(int worker);
  void runStream(size_t stream, std::unique_lock<std::mutex> &lock);
  Status takeItems(Job &job, int worker);
  Job *openJob();
  bool helpAs(int worker, std::unique_lock<std::mutex> &lock);
  void idleOnce(std::unique_lock<std::mutex> &lock);
  void stopIfNobodyCanGoOn();

  int threads;
  PostCarrier *carrier;
  std::mutex mutex;
  std::condition_variable changed;  ///< something to do, or the end
  std::condition_variable released; ///< a helper left a job
  std::vector<Stream *> streams;
  std::vector<State> states;
  std::vector<bool> wakePending;
  std::deque<size_t> ready;
  std::vector<Job *> jobs;
  size_t unfinished = 0;
  int idle = 0;
  int running = 0; ///< streams that have a thread
  bool stopped = false;
  bool standstill = false;
  std::vector<Bytes> scratch; ///< by worker
  std::vector<int64_t> scratchSize;
};

} // namespace ring::rt

#endif // RING_RUNTIME_MESH_STREAMSCHEDULER_H
