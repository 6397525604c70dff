// SPDX-License-Identifier: Apache-2.0
//
// Signs of life are messages of one byte. One that was not taken yet is not
// followed by another, so that a rank which is stopped gets one, not many.

#include "Mpi/RankWatch.h"

namespace ring::rt {

namespace {

constexpr std::chrono::milliseconds kBetweenSigns(500);
/// Far longer than a busy machine keeps a thread from running.
constexpr std::chrono::seconds kSilence(10);
constexpr char kHere = 1, kGoodbye = 0;

} // namespace

RankWatch::RankWatch(MpiSession &session)
    : session(session), others(session.ranks) {
  if (session.ranks > 1)
    thread = std::thread([this] { watch(); });
}

RankWatch::~RankWatch() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    over = true;
  }
  ends.notify_one();
  thread.join();
  std::lock_guard<std::mutex> lock(session.mutex);
  // Whoever has not taken the last sign takes no goodbye either: it is stopped,
  // or gone. The word is static, so nothing has to outlive this.
  say(kGoodbye);
  for (Other &other : others)
    if (other.sign != MPI_REQUEST_NULL)
      MPI_Request_free(&other.sign);
}

void RankWatch::watch() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!over) {
    lock.unlock();
    {
      std::lock_guard<std::mutex> guard(session.mutex);
      say(kHere);
      hear();
      findSilent();
    }
    lock.lock();
    ends.wait_for(lock, kBetweenSigns, [&] { return over; });
  }
}

void RankWatch::say(const char &word) {
  for (int rank = 0; rank < session.ranks; ++rank) {
    if (rank == session.rank)
      continue;
    int taken = 0;
    MPI_Test(&others[rank].sign, &taken, MPI_STATUS_IGNORE);
    if (taken)
      MPI_Isend(&word, 1, MPI_CHAR, rank, 0, session.signs, &others[rank].sign);
  }
}

void RankWatch::hear() {
  while (true) {
    int arrived = 0;
    MPI_Status from;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, session.signs, &arrived, &from);
    if (!arrived)
      return;
    char word = kGoodbye;
    MPI_Recv(&word, 1, MPI_CHAR, from.MPI_SOURCE, 0, session.signs,
             MPI_STATUS_IGNORE);
    others[from.MPI_SOURCE].present = word == kHere;
    others[from.MPI_SOURCE].heard = Clock::now();
  }
}

void RankWatch::findSilent() {
  for (int rank = 0; rank < session.ranks; ++rank)
    if (others[rank].present && Clock::now() - others[rank].heard > kSilence)
      session.noteFailure(error("rank ", rank, " has not been heard of for ",
                                kSilence.count(),
                                " s: it is stopped or hangs"));
}

} // namespace ring::rt
