// SPDX-License-Identifier: Apache-2.0
//
// A sign of life from every rank to every other. A rank that dies is noticed by
// mpirun; one that is stopped, or whose machine hangs, is noticed by nobody
// else.

#ifndef RING_RUNTIME_MPI_RANKWATCH_H
#define RING_RUNTIME_MPI_RANKWATCH_H

#include "Mpi/MpiSession.h"

#include <chrono>
#include <condition_variable>
#include <thread>

namespace ring::rt {

/// Sends and hears signs of life in a thread of its own, from its making to its
/// end. A rank that was heard once and then falls silent fails the session; one
/// that says goodbye, because its part of the run is done, does not.
class RankWatch {
public:
  explicit RankWatch(MpiSession &session);
  ~RankWatch();
  RankWatch(const RankWatch &) = delete;
  RankWatch &operator=(const RankWatch &) = delete;

private:
  using Clock = std::chrono::steady_clock;

  /// What is known of another rank.
  struct Other {
    bool present = false; ///< heard, and no goodbye since
    Clock::time_point heard;
    MPI_Request sign = MPI_REQUEST_NULL; ///< the last one sent to it
  };

  void watch();
  void say(const char &word);
  void hear();
  void findSilent();

  MpiSession &session;
  std::vector<Other> others; ///< by rank
  std::mutex mutex;          ///< guards `over`
  std::condition_variable ends;
  bool over = false;
  std::thread thread;
};

} // namespace ring::rt

#endif // RING_RUNTIME_MPI_RANKWATCH_H
