// SPDX-License-Identifier: Apache-2.0
//
// Posts as MPI messages. Nothing here waits: requests are queued by whoever
// posts, and started and tested by whoever polls next.

#ifndef RING_RUNTIME_MPI_MPICARRIER_H
#define RING_RUNTIME_MPI_MPICARRIER_H

#include "Mesh/PostCarrier.h"
#include "Mpi/MpiSession.h"
#include "Mpi/TransferPlan.h"

#include <atomic>
#include <memory>
#include <set>

namespace ring::rt {

/// Carries the posts of one run between ranks.
class MpiCarrier final : public PostCarrier {
public:
  MpiCarrier(const Program &program, TransferPlan plan, MpiSession &session)
      : program(program), plan(std::move(plan)), session(session) {}
  ~MpiCarrier() override;

  void deliverTo(Deliver deliver) override { take = std::move(deliver); }
  void send(size_t instruction, int64_t stream,
            const std::vector<StorageRef> &operands) override;
  Status expect(size_t instruction, int64_t source) override;
  void poll() override;
  bool expectsMore() const override { return expected > 0; }
  Status failure() const override;

  /// Waits until the other ranks have taken everything that was sent.
  Status drain();

private:
  /// The operands of one post on their way to or from one rank.
  struct Parcel {
    size_t instruction;
    int64_t stream; ///< that posted
    Message message;
    std::vector<StorageRef> operands;
    bool incoming;
    int64_t open = 0; ///< requests
  };

  void enqueue(std::shared_ptr<Parcel> parcel);
  void startQueued();
  void testStarted(std::vector<std::shared_ptr<Parcel>> &arrived);
  int64_t operandBytes(size_t instruction, size_t i) const;

  const Program &program;
  const TransferPlan plan;
  MpiSession &session;
  Deliver take;

  mutable std::mutex queueing; ///< guards the next three
  std::vector<std::shared_ptr<Parcel>> queued;
  std::set<std::pair<size_t, int64_t>> asked; ///< instruction and source
  Status health = Status::success();

  // Guarded by the session's mutex, entry by entry.
  std::vector<MPI_Request> requests;
  std::vector<std::shared_ptr<Parcel>> owners;
  std::vector<int> finished;

  std::atomic<int64_t> underWay{0}; ///< parcels
  std::atomic<int64_t> expected{0}; ///< of these, to be delivered here
  std::atomic<bool> failed{false};
};

} // namespace ring::rt

#endif // RING_RUNTIME_MPI_MPICARRIER_H
