// SPDX-License-Identifier: Apache-2.0
//
// Posting and reading.

#include "Mesh/PostBoard.h"

namespace ring::rt {

PostBoard::PostBoard(size_t instructions, int64_t streams,
                     std::function<void(size_t)> wake)
    : slots(instructions), streams(streams), wake(std::move(wake)) {}

PostBoard::Slot &PostBoard::slotOf(size_t instruction) {
  std::unique_ptr<Slot> &slot = slots[instruction];
  if (!slot) {
    slot = std::make_unique<Slot>();
    slot->operands.resize(streams);
    slot->posted.assign(streams, false);
    slot->readers = -1;
  }
  return *slot;
}

void PostBoard::post(size_t instruction, int64_t stream,
                     std::vector<StorageRef> operands, int64_t readers) {
  std::vector<int64_t> woken;
  {
    std::lock_guard<std::mutex> lock(mutex);
    Slot &slot = slotOf(instruction);
    if (slot.readers < 0)
      slot.readers = readers;
    slot.operands[stream] = std::move(operands);
    slot.posted[stream] = true;
    auto [begin, end] = slot.waiting.equal_range(stream);
    for (auto entry = begin; entry != end; ++entry)
      woken.push_back(entry->second);
    slot.waiting.erase(begin, end);
  }
  for (int64_t reader : woken)
    wake(static_cast<size_t>(reader));
}

size_t PostBoard::firstMissing(size_t instruction,
                               const std::vector<int64_t> &sources, size_t from,
                               int64_t reader) {
  std::lock_guard<std::mutex> lock(mutex);
  Slot &slot = slotOf(instruction);
  for (size_t i = from; i < sources.size(); ++i)
    if (!slot.posted[sources[i]]) {
      slot.waiting.emplace(sources[i], reader);
      return i;
    }
  return sources.size();
}

void PostBoard::finishReading(size_t instruction) {
  // Declared before the lock, so that storage is freed after it is released.
  std::unique_ptr<Slot> finished;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Slot> &slot = slots[instruction];
  if (slot && --slot->readers == 0)
    finished = std::move(slot);
}

} // namespace ring::rt
