// SPDX-License-Identifier: Apache-2.0
//
// What long work says of itself: an estimate before, progress during. Progress
// only to somebody who looks: where stderr is no terminal, nothing is written
// but the estimate of what takes minutes, unless it is asked for.

#ifndef RING_RUNTIME_PROGRESS_H
#define RING_RUNTIME_PROGRESS_H

#include "ring-runtime/Runtime.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace ring::rt::tooling {

/// "0.3 s", "12 s", "31 min", "4 hours", "3 days".
std::string describeDuration(double seconds);

/// Shows on stderr what a tool is at.
class Progress {
public:
  /// Shows something where stderr is a terminal, or where it is `asked` for.
  Progress(const char *tool, bool asked);
  ~Progress();

  bool isShown() const { return shown; }
  /// A line that stays, in a log too.
  void say(const std::string &text);
  /// Begins a piece of work, which ends the one before; `estimate` in seconds,
  /// 0 where nobody knows.
  void begin(const std::string &what, double estimate = 0);
  /// How much of it is done. From any thread.
  void advance(int64_t done, int64_t all);
  /// Ends it, and takes its line away.
  void end();
  /// `advance`, for RunOptions::progress; empty where nothing is shown.
  std::function<void(int64_t, int64_t)> callback();

private:
  void watch();
  void draw();
  void clear();

  const char *tool;
  bool asked;
  bool terminal;
  bool shown;
  std::string work;
  double expected = 0;
  std::chrono::steady_clock::time_point started;
  std::atomic<int64_t> done{0}, all{0};
  std::thread watcher;
  std::mutex mutex;
  std::condition_variable wake;
  bool ended = true;
  bool hasLine = false;
};

/// What a program computes and moves, over all its devices and the host.
struct ProgramWork {
  double flops = 0;
  double bytes = 0; ///< read and written by instructions
};
ProgramWork workOf(const Program &program);

/// Seconds that a program will take here on the CPU mesh with so many threads
/// (0: one a core), by its operations and the speed of a trial that is run now,
/// some milliseconds long. Rough: within about two.
double estimateRun(const ProgramWork &work, int threads);
/// The same for the reference, which computes in double precision on one core.
double estimateReference(const ProgramWork &work);

} // namespace ring::rt::tooling

#endif // RING_RUNTIME_PROGRESS_H
