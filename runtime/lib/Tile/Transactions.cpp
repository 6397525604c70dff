// SPDX-License-Identifier: Apache-2.0
//
// What is under way: reads and writes of DRAM, raised counters, packets. Each
// takes effect when the scheduler says so, in any order that the hardware
// allows: packets of one connection stay in order, everything else may pass
// everything else.

#include "Machine.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace ring::tile {

namespace {
// An address on the NoC: what it is of, and where in it.
constexpr uint64_t kDram = uint64_t{2} << 62;
constexpr uint64_t kCore = uint64_t{1} << 62;
constexpr uint64_t kOffset = (uint64_t{1} << 40) - 1;
} // namespace

uint64_t dramAddress(uint32_t base, uint32_t page, uint32_t offset, At at) {
  Machine &host = machine();
  const uint32_t buffer = base - 0xd0000000u;
  if (buffer >= host.program.buffers.size())
    host.fail(
        "expects the address of a buffer, but got " + std::to_string(base), at);
  const DeviceBuffer &described = host.program.buffers[buffer];
  if (page >= described.pages)
    host.fail("expects a page below " + std::to_string(described.pages) +
                  " of buffer \"" + described.name + "\", but got " +
                  std::to_string(page),
              at);
  return kDram | uint64_t{buffer} << 40 |
         (uint64_t{page} * described.pageBytes + offset);
}

uint64_t coreAddress(uint32_t x, uint32_t y, uint32_t address, At at) {
  Machine &host = machine();
  const uint32_t offset = address - host.core().base();
  if (offset >= host.core().bytes)
    host.fail("expects an address in L1, but got " + std::to_string(address),
              at);
  if (!host.coreAt(host.task().device, x, y))
    host.fail("expects a core of the program, but got " + std::to_string(x) +
                  "-" + std::to_string(y),
              at);
  return kCore | uint64_t{x} << 48 | uint64_t{y} << 40 | offset;
}

Core *Machine::coreOf(uint32_t device, uint64_t address) {
  if (address & kDram || !(address & kCore))
    return nullptr;
  return coreAt(device, static_cast<uint32_t>(address >> 48 & 0xff),
                static_cast<uint32_t>(address >> 40 & 0xff));
}

uint32_t Machine::offsetOf(uint64_t address) {
  return static_cast<uint32_t>(address & kOffset);
}

Machine::Stretch Machine::stretchOf(uint32_t device, uint64_t address,
                                    uint32_t bytes, At at) {
  if (!(address & kDram))
    fail("expects an address in DRAM, but got one on a core", at);
  const auto number = static_cast<uint32_t>(address >> 40 & 0xffff);
  DramBuffer &buffer = dram[device][number];
  const uint64_t offset = address & kOffset;
  const auto page = static_cast<uint32_t>(offset / buffer.pageBytes);
  if (page >= buffer.pages.size() || !bytes ||
      (offset + bytes - 1) / buffer.pageBytes != page) {
    std::ostringstream text;
    text << "expects a stretch within one page of " << buffer.pageBytes
         << " bytes of buffer \"" << program.buffers[number].name
         << "\", but got " << bytes << " bytes from byte "
         << offset % buffer.pageBytes << " of page " << page << " of "
         << buffer.pages.size();
    fail(text.str(), at);
  }
  return {&buffer, number, page, buffer.bytes->data() + offset};
}

std::string Machine::nameOfWriter(uint32_t writer) const {
  return nameOf(writer < tasks.size()
                    ? *tasks[writer]
                    : *connections[writer - tasks.size()]->owner);
}

void Machine::startRead(const Stretch &stretch, At at) {
  PageState &page = stretch.buffer->pages[stretch.page];
  const std::string where = "page " + std::to_string(stretch.page) +
                            " of buffer \"" +
                            program.buffers[stretch.number].name + "\"";
  if (!page.written && !page.landing)
    fail("reads " + where + ", which nobody has written", at);
  if (page.writer != PageState::kHost &&
      current->clock.writesOf(page.writer) < page.write)
    fail("reads " + where + " without knowing that the write of " +
             nameOfWriter(page.writer) + " has landed",
         at);
  for (PageState::Reader &reader : page.readers)
    if (reader.task == current->number) {
      ++reader.pending;
      current->reads.push_back(&page);
      return;
    }
  page.readers.push_back({current->number, 0, 1});
  current->reads.push_back(&page);
}

void Machine::startWrite(const Stretch &stretch, uint32_t writer,
                         uint32_t write, At at) {
  PageState &page = stretch.buffer->pages[stretch.page];
  const std::string where = "page " + std::to_string(stretch.page) +
                            " of buffer \"" +
                            program.buffers[stretch.number].name + "\"";
  for (const PageState::Reader &reader : page.readers) {
    if (reader.pending)
      fail("overwrites " + where + " while it is read by " +
               nameOf(*tasks[reader.task]),
           at);
    if (current->clock.barriersOf(reader.task) < reader.barrier)
      fail("overwrites " + where + " without knowing that " +
               nameOf(*tasks[reader.task]) + " has read it",
           at);
  }
  if (page.writer != PageState::kHost &&
      current->clock.writesOf(page.writer) < page.write)
    fail("overwrites " + where + ", which may be unread: the write of " +
             nameOfWriter(page.writer) + " was never acknowledged",
         at);
  page.readers.clear();
  page.writer = writer;
  page.write = write;
  page.landing = true;
}

Transaction *Machine::start(Transaction::Kind kind, At at) {
  underWay.push_back(std::make_unique<Transaction>());
  Transaction *transaction = underWay.back().get();
  transaction->kind = kind;
  transaction->owner = current;
  transaction->at = at;
  transaction->device = current->device;
  current->pending.push_back(transaction);
  return transaction;
}

void Machine::depart(Transaction &transaction) {
  const auto *source = reinterpret_cast<const uint8_t *>(
      static_cast<uintptr_t>(transaction.local));
  transaction.data.assign(source, source + transaction.bytes);
  transaction.left = true;
}

Semaphore *Machine::semaphoreAt(Core &core, uint32_t offset) {
  if (offset % kSemaphoreStride)
    return nullptr;
  const uint32_t number = offset / kSemaphoreStride;
  if (number < core.local.size())
    return &core.local[number];
  const uint32_t global = number - kGlobalSemaphores / kSemaphoreStride;
  return global < core.global.size() ? &core.global[global] : nullptr;
}

void Machine::raiseCounter(uint32_t device, uint64_t address, uint32_t by,
                           const Clock &clock, At) {
  Core &core = *coreAt(device, static_cast<uint32_t>(address >> 48 & 0xff),
                       static_cast<uint32_t>(address >> 40 & 0xff));
  const auto offset = static_cast<uint32_t>(address & 0xffffffffu);
  uint32_t value;
  std::memcpy(&value, core.l1 + offset, sizeof(value));
  value += by;
  std::memcpy(core.l1 + offset, &value, sizeof(value));
  semaphoreAt(core, offset)->clock.join(clock);
  ++core.version;
}

void Machine::advance(Transaction *transaction) {
  if (transaction->kind == Transaction::Kind::Packet) {
    if (!transaction->left) {
      depart(*transaction);
      return;
    }
    // Packets land in order, and not before they have left.
    transaction = connections[transaction->connection]->underWay.front();
    if (!transaction->left) {
      depart(*transaction);
      return;
    }
  } else if (transaction->kind == Transaction::Kind::Write &&
             !transaction->left) {
    depart(*transaction);
    return;
  }

  Task &owner = *transaction->owner;
  auto land = [&](PageState &page) {
    page.written = true;
    page.landing = false;
  };
  switch (transaction->kind) {
  case Transaction::Kind::Read: {
    const uint64_t offset = transaction->remote & kOffset;
    DramBuffer &buffer =
        dram[transaction->device][transaction->remote >> 40 & 0xffff];
    std::memcpy(
        reinterpret_cast<void *>(static_cast<uintptr_t>(transaction->local)),
        buffer.bytes->data() + offset, transaction->bytes);
    markWritten(*owner.core, transaction->local, transaction->bytes);
    break;
  }
  case Transaction::Kind::Raise:
    raiseCounter(transaction->device, transaction->semaphore, transaction->by,
                 transaction->clock, transaction->at);
    break;
  case Transaction::Kind::Packet:
    // Without a flush the counter may overtake the data.
    if (transaction->by && !transaction->raised && !transaction->flush &&
        transaction->bytes && random() % 2) {
      raiseCounter(transaction->device, transaction->semaphore, transaction->by,
                   transaction->clock, transaction->at);
      transaction->raised = true;
      return;
    }
    [[fallthrough]];
  case Transaction::Kind::Write: {
    if (Core *core = coreOf(transaction->device, transaction->remote);
        core && transaction->kind == Transaction::Kind::Write) {
      const uint32_t offset = offsetOf(transaction->remote);
      std::memcpy(core->l1 + offset, transaction->data.data(),
                  transaction->bytes);
      markWritten(*core, core->base() + offset, transaction->bytes);
      ++core->version;
    } else if (transaction->bytes) {
      const uint64_t offset = transaction->remote & kOffset;
      DramBuffer &buffer =
          dram[transaction->device][transaction->remote >> 40 & 0xffff];
      std::memcpy(buffer.bytes->data() + offset, transaction->data.data(),
                  transaction->bytes);
      land(buffer.pages[offset / buffer.pageBytes]);
    }
    if (transaction->kind == Transaction::Kind::Packet) {
      if (transaction->by && !transaction->raised)
        raiseCounter(transaction->device, transaction->semaphore,
                     transaction->by, transaction->clock, transaction->at);
      connections[transaction->connection]->underWay.pop_front();
    }
    break;
  }
  }

  ++owner.core->version;
  owner.pending.erase(
      std::find(owner.pending.begin(), owner.pending.end(), transaction));
  auto found =
      std::find_if(underWay.begin(), underWay.end(), [&](const auto &other) {
        return other.get() == transaction;
      });
  std::swap(*found, underWay.back());
  underWay.pop_back();
}

} // namespace ring::tile
