// SPDX-License-Identifier: Apache-2.0
//
// Joining, leaving, waiting.

#include "Mpi/MpiSession.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace ring::rt {

namespace {

/// What mpirun gives back when a run has failed: ring-exec's "the run failed",
/// and "a device's memory did not suffice".
constexpr int kRunFailed = 3, kOutOfMemory = 4;

constexpr std::chrono::microseconds kBetweenTests(50);

/// The most bytes of one message; MPI counts them in an int.
constexpr int64_t kMessageBytes = int64_t(1) << 30;

/// Ends the process unless it is destroyed in time. Ranks are started together,
/// and MPI_Init waits without end for one that runs something else instead.
class JoinWatch {
public:
  JoinWatch() : thread([this] { watch(); }) {}
  ~JoinWatch() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      joined = true;
    }
    changed.notify_one();
    thread.join();
  }

private:
  void watch() {
    constexpr std::chrono::seconds kPatience(30);
    std::unique_lock<std::mutex> lock(mutex);
    if (changed.wait_for(lock, kPatience, [this] { return joined; }))
      return;
    std::fprintf(stderr,
                 "expects all ranks to join with the backend 'mpi' within "
                 "%lld s, but some have not\n",
                 static_cast<long long>(kPatience.count()));
    _exit(kRunFailed);
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool joined = false;
  std::thread thread; ///< last: it uses the others
};

bool allDone(std::vector<MPI_Request> &requests) {
  int done = 0;
  MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
              MPI_STATUSES_IGNORE);
  return done != 0;
}

} // namespace

Result<MpiSession *> MpiSession::join() {
  static MpiSession session;
  if (!session.joined)
    return session.joined;
  return &session;
}

MpiSession::MpiSession() {
  int already = 0;
  MPI_Initialized(&already);
  int provided = MPI_THREAD_SINGLE;
  if (already) {
    MPI_Query_thread(&provided);
  } else {
    JoinWatch watch;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    initialized = true;
  }
  if (provided < MPI_THREAD_SERIALIZED) {
    joined = error("expects an MPI that threads may call in turn "
                   "(MPI_THREAD_SERIALIZED), but got level ",
                   provided);
    return;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &transfers);
  MPI_Comm_dup(MPI_COMM_WORLD, &results);
  MPI_Comm_dup(MPI_COMM_WORLD, &notices);
  MPI_Comm_dup(MPI_COMM_WORLD, &signs);
  MPI_Comm_rank(transfers, &rank);
  MPI_Comm_size(transfers, &ranks);
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                      &machine);
  MPI_Comm_size(machine, &ranksHere);
  MPI_Comm_free(&machine);
  int *largest = nullptr;
  int known = 0;
  MPI_Comm_get_attr(transfers, MPI_TAG_UB, static_cast<void *>(&largest),
                    &known);
  constexpr int kSmallestAllowed = 32767;
  tagLimit = known ? *largest : kSmallestAllowed;
  MPI_Irecv(&notice, sizeof(Notice), MPI_CHAR, MPI_ANY_SOURCE, 0, notices,
            &listening);
}

MpiSession::~MpiSession() {
  if (!initialized)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!joined || !stillWell())
      MPI_Abort(MPI_COMM_WORLD, health.shortage() ? kOutOfMemory : kRunFailed);
  }
  // Others may wait for a run that this rank has not come to. To exit without
  // finalizing ends them, and keeps the exit code.
  if (!succeeded)
    return;
  // MPI_Finalize waits for everybody and keeps a core busy; rank 0 may still
  // be writing or checking results.
  std::vector<MPI_Request> barrier(1);
  MPI_Ibarrier(results, barrier.data());
  if (!waitAll(barrier))
    MPI_Abort(MPI_COMM_WORLD, kRunFailed);
  MPI_Cancel(&listening);
  MPI_Wait(&listening, MPI_STATUS_IGNORE);
  MPI_Finalize();
}

template <size_t size>
static void copyText(const std::string &text, std::array<char, size> &into) {
  std::strncpy(into.data(), text.c_str(), size - 1);
}

MpiSession::Notice::Notice(const Status &why) {
  copyText(why.message(), text);
  if (const MemoryShortage *shortage = why.shortage()) {
    isShortage = true;
    copyText(shortage->what, what);
    bytes = shortage->bytes;
    inUse = shortage->inUse;
    limit = shortage->limit;
  }
}

Status MpiSession::Notice::status() const {
  Status why = Status::failure(text.data());
  if (isShortage)
    why = why.dueTo({what.data(), bytes, inUse, limit});
  return why.in("another rank failed");
}

void MpiSession::announceFailure(const Status &why) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!health)
    return;
  health = why;
  auto sent = std::make_shared<Notice>(why);
  keep(sent);
  std::vector<MPI_Request> requests;
  for (int other = 0; other < ranks; ++other)
    if (other != rank)
      startSend(sent.get(), sizeof(Notice), other, 0, notices, requests);
  // Somebody who is gone takes no notice, and is not waited for.
  constexpr std::chrono::seconds kPatience(2);
  auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!allDone(requests) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(kBetweenTests);
}

Status MpiSession::stillWell() {
  if (!health)
    return health;
  int heard = 0;
  MPI_Test(&listening, &heard, MPI_STATUS_IGNORE);
  if (heard)
    health = notice.status();
  return health;
}

Status MpiSession::waitAll(std::vector<MPI_Request> &requests) {
  while (true) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (allDone(requests))
        return Status::success();
      if (Status status = stillWell(); !status)
        return status;
    }
    std::this_thread::sleep_for(kBetweenTests);
  }
}

void startSend(const void *data, int64_t size, int rank, int tag, MPI_Comm comm,
               std::vector<MPI_Request> &requests) {
  for (int64_t begin = 0; begin < size; begin += kMessageBytes) {
    int bytes = static_cast<int>(std::min(kMessageBytes, size - begin));
    requests.emplace_back();
    MPI_Isend(static_cast<const uint8_t *>(data) + begin, bytes, MPI_BYTE, rank,
              tag, comm, &requests.back());
  }
}

void startReceive(void *data, int64_t size, int rank, int tag, MPI_Comm comm,
                  std::vector<MPI_Request> &requests) {
  for (int64_t begin = 0; begin < size; begin += kMessageBytes) {
    int bytes = static_cast<int>(std::min(kMessageBytes, size - begin));
    requests.emplace_back();
    MPI_Irecv(static_cast<uint8_t *>(data) + begin, bytes, MPI_BYTE, rank, tag,
              comm, &requests.back());
  }
}

} // namespace ring::rt
