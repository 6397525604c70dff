// SPDX-License-Identifier: Apache-2.0
//
// Who sends what to whom. A program says it all before it runs, so every rank
// works the same table out for itself and no message needs a header.

#ifndef RING_RUNTIME_MPI_TRANSFERPLAN_H
#define RING_RUNTIME_MPI_TRANSFERPLAN_H

#include "ring-runtime/Program.h"

#include <map>

namespace ring::rt {

/// Deals streams to ranks: devices in contiguous blocks, the host to rank 0.
class RankDeal {
public:
  RankDeal(int64_t devices, int ranks) : devices(devices), ranks(ranks) {}

  /// The rank that runs a stream.
  int rankOf(int64_t stream) const;
  /// The streams of a rank, in order. A rank may have none.
  std::vector<int64_t> streamsOf(int rank) const;

private:
  /// The first device of a rank. Example, 5 devices on 3 ranks: 0, 1, 3, 5.
  int64_t firstOf(int rank) const { return devices * rank / ranks; }

  int64_t devices;
  int ranks;
};

/// A message: the other rank, and the tag of the first operand. The operands
/// that follow have the tags that follow.
struct Message {
  int rank = 0;
  int tag = 0;
};

/// The messages of one rank.
class TransferPlan {
public:
  /// Fails if the messages between two ranks are more than there are tags.
  static Result<TransferPlan> of(const Program &program, const RankDeal &deal,
                                 int self, int tagLimit);

  /// Where the operands go that a stream of this rank posts.
  const std::vector<Message> &sendsOf(size_t instruction, int64_t stream) const;
  /// Where the operands come from that another rank's stream posts; null if
  /// nobody here reads them.
  const Message *receiveOf(size_t instruction, int64_t source) const;

  /// The operands of an exchange that peers read: a transfer's tensors, and of
  /// other exchanges as many as there are results. What follows (buffers, the
  /// second operand of point_to_point) stays on its device.
  static size_t operandsSent(const Program &program, size_t instruction);

  /// The program input that an exchange takes from the host to the devices, or
  /// its inputs' number if it is none. All ranks have the inputs, so these are
  /// not sent.
  static size_t inputShared(const Program &program, size_t instruction);

private:
  using Key = std::pair<size_t, int64_t>; ///< instruction and stream

  std::map<Key, std::vector<Message>> sends;
  std::map<Key, Message> receives;
};

} // namespace ring::rt

#endif // RING_RUNTIME_MPI_TRANSFERPLAN_H
