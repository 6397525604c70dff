// SPDX-License-Identifier: Apache-2.0
//
// Queueing, starting, testing.

#include "Mpi/MpiCarrier.h"

#include <chrono>
#include <thread>

namespace ring::rt {

MpiCarrier::~MpiCarrier() {
  // After a failure messages may still be under way.
  std::lock_guard<std::mutex> lock(session.mutex);
  for (std::shared_ptr<Parcel> &parcel : owners)
    session.keep(std::move(parcel));
}

int64_t MpiCarrier::operandBytes(size_t instruction, size_t i) const {
  int32_t value = program.instructions()[instruction].inputs[i];
  return heldBytes(program.values()[value]);
}

void MpiCarrier::enqueue(std::shared_ptr<Parcel> parcel) {
  ++underWay;
  std::lock_guard<std::mutex> lock(queueing);
  queued.push_back(std::move(parcel));
}

void MpiCarrier::send(size_t instruction, int64_t stream,
                      const std::vector<StorageRef> &operands) {
  const std::vector<Message> &messages = plan.sendsOf(instruction, stream);
  if (messages.empty())
    return;
  size_t count = TransferPlan::operandsSent(program, instruction);
  for (const Message &message : messages) {
    auto parcel = std::make_shared<Parcel>();
    parcel->instruction = instruction;
    parcel->stream = stream;
    parcel->message = message;
    parcel->operands.assign(operands.begin(), operands.begin() + count);
    parcel->incoming = false;
    enqueue(std::move(parcel));
  }
  poll();
}

Status MpiCarrier::expect(size_t instruction, int64_t source) {
  const Message *message = plan.receiveOf(instruction, source);
  if (!message)
    return Status::success();
  {
    std::lock_guard<std::mutex> lock(queueing);
    if (!asked.insert({instruction, source}).second)
      return Status::success();
  }
  auto parcel = std::make_shared<Parcel>();
  parcel->instruction = instruction;
  parcel->stream = source;
  parcel->message = *message;
  parcel->incoming = true;
  size_t count = TransferPlan::operandsSent(program, instruction);
  for (size_t i = 0; i < count; ++i) {
    int64_t bytes = operandBytes(instruction, i);
    parcel->operands.push_back(Storage::allocate(bytes));
    if (!parcel->operands.back())
      return error("there is no memory for ", bytes, " bytes of device ",
                   source);
  }
  ++expected;
  enqueue(std::move(parcel));
  poll();
  return Status::success();
}

void MpiCarrier::startQueued() {
  std::vector<std::shared_ptr<Parcel>> starting;
  {
    std::lock_guard<std::mutex> lock(queueing);
    starting.swap(queued);
  }
  for (const std::shared_ptr<Parcel> &parcel : starting) {
    size_t before = requests.size();
    for (size_t i = 0; i < parcel->operands.size(); ++i) {
      Storage &storage = *parcel->operands[i];
      int64_t bytes = operandBytes(parcel->instruction, i);
      int rank = parcel->message.rank;
      int tag = parcel->message.tag + static_cast<int>(i);
      if (parcel->incoming)
        startReceive(storage.mutableData(), bytes, rank, tag, session.transfers,
                     requests);
      else
        startSend(storage.data(), bytes, rank, tag, session.transfers,
                  requests);
    }
    parcel->open = static_cast<int64_t>(requests.size() - before);
    owners.resize(requests.size(), parcel);
  }
}

void MpiCarrier::testStarted(std::vector<std::shared_ptr<Parcel>> &arrived) {
  finished.resize(requests.size());
  int count = 0;
  MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count,
               finished.data(), MPI_STATUSES_IGNORE);
  if (count <= 0) // nothing, or MPI_UNDEFINED where there are no requests
    return;
  for (int i = 0; i < count; ++i) {
    Parcel &parcel = *owners[finished[i]];
    if (--parcel.open > 0)
      continue;
    if (parcel.incoming)
      arrived.push_back(owners[finished[i]]);
    else
      --underWay;
  }
  // MPI sets what is finished to null; keep the others, in order.
  size_t kept = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == MPI_REQUEST_NULL)
      continue;
    requests[kept] = requests[i];
    owners[kept++] = std::move(owners[i]);
  }
  requests.resize(kept);
  owners.resize(kept);
}

void MpiCarrier::poll() {
  if (failed)
    return;
  std::vector<std::shared_ptr<Parcel>> arrived;
  {
    std::unique_lock<std::mutex> lock(session.mutex, std::try_to_lock);
    if (!lock)
      return; // somebody else is at it
    if (underWay > 0) {
      startQueued();
      testStarted(arrived);
    }
    if (Status status = session.stillWell(); !status) {
      std::lock_guard<std::mutex> guard(queueing);
      health = status;
      failed = true;
    }
  }
  for (const std::shared_ptr<Parcel> &parcel : arrived) {
    take(parcel->instruction, parcel->stream, std::move(parcel->operands));
    --underWay;
    --expected;
  }
}

Status MpiCarrier::failure() const {
  if (!failed)
    return Status::success();
  std::lock_guard<std::mutex> lock(queueing);
  return health;
}

Status MpiCarrier::drain() {
  constexpr std::chrono::microseconds kBetweenPolls(20);
  while (underWay > 0 && !failed) {
    poll();
    std::this_thread::sleep_for(kBetweenPolls);
  }
  return failure();
}

} // namespace ring::rt
