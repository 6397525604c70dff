// SPDX-License-Identifier: Apache-2.0
//
// This process among the ranks: joining, leaving, and telling the others when
// something goes wrong. MPI is one per process, so this is too.

#ifndef RING_RUNTIME_MPI_MPISESSION_H
#define RING_RUNTIME_MPI_MPISESSION_H

#include "ring-runtime/Status.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <vector>

namespace ring::rt {

/// The connection with the other ranks. MPI is asked for one thread at a time:
/// whoever calls it holds `mutex`.
class MpiSession {
public:
  /// Joins the other ranks; the first call waits for all of them, and ends the
  /// process if they do not come. The process leaves when it exits, and takes
  /// the others with it unless a run has gone well and none has failed.
  static Result<MpiSession *> join();

  int rank = 0;
  int ranks = 1;
  int ranksHere = 1;  ///< on this machine
  int tagLimit = 0;   ///< tags are 0 to tagLimit - 1
  MPI_Comm transfers; ///< between devices
  MPI_Comm results;   ///< agreement before a run, results after it
  MPI_Comm signs;     ///< of life, while a run lasts
  std::mutex mutex;   ///< guards all calls of MPI
  std::mutex running; ///< one run at a time

  /// Tells all other ranks that this one cannot go on.
  void announceFailure(const Status &why);
  /// Whether MPI was started here, so that nobody else calls it.
  bool ownsMpi() const { return initialized; }
  /// Says that a run has gone well on this rank.
  void noteSuccess() { succeeded = true; }
  /// Ends the run on this rank, if nothing else has. Needs `mutex`.
  void noteFailure(Status why) {
    if (health)
      health = std::move(why);
  }
  /// Fails if this rank or another has announced a failure. Needs `mutex`.
  Status stillWell();

  /// Keeps memory that MPI may still read or write until the process ends.
  /// Needs `mutex`.
  void keep(std::shared_ptr<void> memory) { kept.push_back(std::move(memory)); }

  /// Waits for all requests without keeping a core busy. Fails when another
  /// rank does.
  Status waitAll(std::vector<MPI_Request> &requests);

  MpiSession(const MpiSession &) = delete;
  ~MpiSession();

private:
  MpiSession();

  /// A failure as it is sent.
  struct Notice {
    std::array<char, 1024> text = {};
    /// Set where a device's memory did not suffice.
    bool isShortage = false;
    std::array<char, 256> what = {};
    int64_t bytes = 0, inUse = 0, limit = 0;

    Notice() = default;
    explicit Notice(const Status &why);
    Status status() const;
  };

  Status joined = Status::success();
  bool initialized = false; ///< by us, so that we finalize too
  bool succeeded = false;   ///< with a run, so that nobody waits for this rank
  MPI_Comm notices = MPI_COMM_NULL;
  MPI_Request listening = MPI_REQUEST_NULL;
  Notice notice;
  Status health = Status::success();
  std::vector<std::shared_ptr<void>> kept;
};

/// Starts sending or receiving bytes. What is longer than MPI can count goes
/// in pieces with the same tag, which arrive in order.
void startSend(const void *data, int64_t size, int rank, int tag, MPI_Comm comm,
               std::vector<MPI_Request> &requests);
void startReceive(void *data, int64_t size, int rank, int tag, MPI_Comm comm,
                  std::vector<MPI_Request> &requests);

} // namespace ring::rt

#endif // RING_RUNTIME_MPI_MPISESSION_H
