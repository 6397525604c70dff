// SPDX-License-Identifier: Apache-2.0
//
// The data movement half of the kernel API: arguments, reads and writes,
// barriers, counters, and the fabric.

#include "Machine.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace ring::tile {

namespace {

uint32_t argumentOf(const std::vector<uint32_t> &words, uint32_t index,
                    const char *kind, At at) {
  if (index >= words.size())
    machine().fail(std::string("expects at most ") +
                       std::to_string(words.size()) + " " + kind +
                       " arguments to be asked for, but got index " +
                       std::to_string(index),
                   at);
  return words[index];
}

bool overlap(uint32_t a, uint32_t aBytes, uint32_t b, uint32_t bBytes) {
  return a < b + bBytes && b < a + aBytes;
}

} // namespace

uint32_t compileTimeArgument(uint32_t index, At at) {
  return argumentOf(machine().task().compileTime, index, "compile-time", at);
}
uint32_t commonArgument(uint32_t index, At at) {
  return argumentOf(machine().task().common, index, "common", at);
}
uint32_t runtimeArgument(uint32_t index, At at) {
  return argumentOf(machine().task().runtime, index, "runtime", at);
}
void assertion(bool holds, const char *text, At at) {
  if (!holds)
    machine().fail(std::string("assertion fails: ") + text, at);
}

uint32_t semaphoreAddress(uint32_t number, At at) {
  Machine &host = machine();
  if (number >= host.program.devices[host.task().device].semaphores.size())
    host.fail("expects a semaphore of the device, but got number " +
                  std::to_string(number),
              at);
  return host.core().base() + kLocalSemaphores + number * kSemaphoreStride;
}

const Transaction *Machine::pendingOn(uint32_t address, uint32_t bytes,
                                      bool reads) {
  for (const auto &transaction : underWay) {
    // What another core writes here fills as a read does.
    if (reads && transaction->kind == Transaction::Kind::Write &&
        coreOf(transaction->device, transaction->remote) == current->core &&
        overlap(current->core->base() + offsetOf(transaction->remote),
                transaction->bytes, address, bytes))
      return transaction.get();
    if (transaction->owner->core != current->core || !transaction->bytes)
      continue;
    const bool isRead = transaction->kind == Transaction::Kind::Read;
    if (isRead == reads && (isRead || !transaction->left) &&
        overlap(transaction->local, transaction->bytes, address, bytes))
      return transaction.get();
  }
  return nullptr;
}

void readAsync(uint64_t source, uint32_t target, uint32_t bytes, At at) {
  Machine &host = machine();
  const Machine::Stretch stretch =
      host.stretchOf(host.task().device, source, bytes, at);
  host.checkReserved(host.core(), target, bytes, "read", at);
  if (const Transaction *write = host.pendingOn(target, bytes, false))
    host.fail("reads into bytes that the write of line " +
                  std::to_string(write->at.line) + " has not yet taken",
              at);
  host.startRead(stretch, at);
  // Whoever looks before the barrier finds nonsense.
  std::memset(reinterpret_cast<void *>(static_cast<uintptr_t>(target)), 0xff,
              bytes);
  Transaction *read = host.start(Transaction::Kind::Read, at);
  read->remote = source;
  read->local = target;
  read->bytes = bytes;
  host.counters().dramBytes += bytes;
  host.counters().nocBytes += bytes;
  host.mayYield(at);
}

void writeAsync(uint32_t source, uint64_t target, uint32_t bytes, At at) {
  Machine &host = machine();
  if (Core *core = host.coreOf(host.task().device, target)) {
    host.checkReserved(*core, core->base() + host.offsetOf(target), bytes,
                       "write", at);
    if (const Transaction *read = host.pendingOn(source, bytes, true))
      host.fail("writes bytes that the read of line " +
                    std::to_string(read->at.line) + " has not yet brought",
                at);
    Transaction *write = host.start(Transaction::Kind::Write, at);
    write->remote = target;
    write->local = source;
    write->bytes = bytes;
    write->write = ++host.task().writes;
    host.counters().nocBytes += bytes;
    host.mayYield(at);
    return;
  }
  const Machine::Stretch stretch =
      host.stretchOf(host.task().device, target, bytes, at);
  if (const Transaction *read = host.pendingOn(source, bytes, true))
    host.fail("writes bytes that the read of line " +
                  std::to_string(read->at.line) + " has not yet brought",
              at);
  Task &task = host.task();
  host.startWrite(stretch, task.number, ++task.writes, at);
  Transaction *write = host.start(Transaction::Kind::Write, at);
  write->remote = target;
  write->local = source;
  write->bytes = bytes;
  write->write = task.writes;
  host.counters().dramBytes += bytes;
  host.counters().nocBytes += bytes;
  host.mayYield(at);
}

void raise(uint64_t semaphore, uint32_t by, At at) {
  Machine &host = machine();
  Transaction *transaction = host.start(Transaction::Kind::Raise, at);
  transaction->semaphore = semaphore;
  transaction->by = by;
  transaction->clock = host.task().clock;
  host.counters().nocBytes += 4;
  host.mayYield(at);
}

void barrier(Barrier kind, At at) {
  Machine &host = machine();
  Task &task = host.task();
  using Kind = Transaction::Kind;
  const bool reads = kind == Barrier::Reads || kind == Barrier::All;
  const bool writes = kind == Barrier::Writes || kind == Barrier::All;
  const bool atomics = kind == Barrier::Atomics || kind == Barrier::All;
  host.mayYield(at);
  // What is waited for takes effect now, in an order of chance.
  while (true) {
    std::vector<Transaction *> open;
    for (Transaction *transaction : task.pending) {
      const Kind what = transaction->kind;
      const bool isWrite = what == Kind::Write || what == Kind::Packet;
      const bool leaves = isWrite && !transaction->left &&
                          (kind == Barrier::WritesLeft ||
                           kind == Barrier::Writes || kind == Barrier::All);
      if ((reads && what == Kind::Read) || (writes && what == Kind::Write) ||
          (atomics && what == Kind::Raise) || leaves)
        open.push_back(transaction);
    }
    if (open.empty())
      break;
    host.advance(open[host.random() % open.size()]);
  }
  if (reads && !task.reads.empty()) {
    task.clock.passBarrier(task.number);
    for (PageState *page : task.reads)
      for (PageState::Reader &reader : page->readers)
        if (reader.task == task.number) {
          reader.pending = 0;
          reader.barrier = task.clock.barriersOf(task.number);
        }
    task.reads.clear();
  }
  if (writes)
    task.clock.knowWrites(task.number, task.writes);
}

void waitCounter(volatile uint32_t *counter, uint32_t value, bool atLeast,
                 At at) {
  Machine &host = machine();
  Core &core = host.core();
  const auto offset =
      static_cast<uint32_t>(reinterpret_cast<uintptr_t>(counter) - core.base());
  Semaphore *semaphore =
      offset < core.bytes ? host.semaphoreAt(core, offset) : nullptr;
  if (!semaphore)
    host.fail("expects a semaphore of the core to wait for", at);
  const uint32_t number = offset / kSemaphoreStride;
  std::ostringstream what;
  if (number < core.local.size())
    what << "semaphore " << number;
  else
    what << "global semaphore \""
         << host.program.globalSemaphores[number - core.local.size()].name
         << "\"";
  what << " to be " << (atLeast ? "at least " : "") << value;
  host.waitUntil(what.str(), at, [counter, value, atLeast] {
    return atLeast ? *counter >= value : *counter == value;
  });
  host.task().clock.join(semaphore->clock);
}

void setCounter(volatile uint32_t *counter, uint32_t value, At at) {
  Machine &host = machine();
  Core &core = host.core();
  const auto offset =
      static_cast<uint32_t>(reinterpret_cast<uintptr_t>(counter) - core.base());
  Semaphore *semaphore =
      offset < core.bytes ? host.semaphoreAt(core, offset) : nullptr;
  if (!semaphore)
    host.fail("expects a semaphore of the core to set", at);
  *counter = value;
  semaphore->clock.join(host.task().clock);
  ++core.version;
  host.mayYield(at);
}

void poll(At at) {
  // What a round of a kernel's loop does may let the next one do more, though
  // no counter changed. After a few rounds without a change it has nothing left
  // to do.
  constexpr uint32_t kRounds = 4;
  Machine &host = machine();
  Core &core = host.core();
  Task &task = host.task();
  const uint64_t seen = task.seen;
  if (core.version == seen && ++task.polls < kRounds) {
    host.mayYield(at);
  } else {
    std::ostringstream what;
    if (core.version == seen) {
      what << "a change of its counters, which are";
      for (size_t i = 0; i < core.local.size() + core.global.size(); ++i) {
        uint32_t value;
        std::memcpy(&value, core.l1 + i * kSemaphoreStride, sizeof(value));
        if (i >= core.local.size())
          what << " \""
               << host.program.globalSemaphores[i - core.local.size()].name
               << "\" " << value;
        else if (i < host.program.devices[task.device].semaphores.size())
          what << " " << i << ": " << value;
      }
    }
    host.waitUntil(what.str(), at,
                   [&core, seen] { return core.version != seen; });
  }
  for (const Semaphore &semaphore : core.local)
    task.clock.join(semaphore.clock);
  for (const Semaphore &semaphore : core.global)
    task.clock.join(semaphore.clock);
  if (core.version != seen)
    task.polls = 0;
  task.seen = core.version;
}

uint32_t openedConnection(uint32_t argument, At at) {
  Machine &host = machine();
  Task &task = host.task();
  if (argument < task.ownArguments || argument >= task.runtime.size())
    host.fail("expects the arguments of a connection from index " +
                  std::to_string(task.ownArguments) + " on, but got " +
                  std::to_string(argument),
              at);
  return task.runtime[argument];
}

void openConnection(uint32_t number, At) {
  machine().connections[number]->open = true;
}

void closeConnection(uint32_t number, At at) {
  Machine &host = machine();
  Connection &connection = *host.connections[number];
  for (const Transaction *packet : connection.underWay)
    if (!packet->left)
      host.fail("closes a connection while the packet of line " +
                    std::to_string(packet->at.line) + " has not left",
                at);
  connection.open = false;
}

bool hasPacketSpace(uint32_t number, At) {
  Machine &host = machine();
  return host.connections[number]->underWay.size() <
         host.options.limits.packetSlots;
}

volatile void *packetHeader(At at) {
  Machine &host = machine();
  Core &core = host.core();
  const uint32_t offset = kHeaderPool + core.headers++ * kHeaderBytes;
  if (offset + kHeaderBytes > kFirstBuffer)
    host.fail("expects at most " +
                  std::to_string((kFirstBuffer - kHeaderPool) / kHeaderBytes) +
                  " packet headers on a core",
              at);
  return core.l1 + offset;
}

void sendPacket(uint32_t number, const volatile void *header,
                const Packet &packet, At at) {
  Machine &host = machine();
  Connection &connection = *host.connections[number];
  Task &task = host.task();
  if (!connection.open || connection.owner != &task)
    host.fail("expects an open connection to send through", at);
  if (packet.hops != 1)
    host.fail("expects packets for the neighbour, but got " +
                  std::to_string(packet.hops) + " hops",
              at);
  if (packet.bytes > host.options.limits.packetBytes)
    host.fail("expects packets of at most " +
                  std::to_string(host.options.limits.packetBytes) +
                  " bytes, but got " + std::to_string(packet.bytes),
              at);
  for (const auto &other : host.underWay)
    if (other->header == header && !other->left)
      host.fail("uses a header again while the packet of line " +
                    std::to_string(other->at.line) + " has not left",
                at);
  host.waitUntil(
      "room for a packet to device " + std::to_string(connection.neighbour), at,
      [&host, &connection] {
        return connection.underWay.size() < host.options.limits.packetSlots;
      });
  if (packet.bytes) {
    if (const Transaction *read =
            host.pendingOn(packet.source, packet.bytes, true))
      host.fail("sends bytes that the read of line " +
                    std::to_string(read->at.line) + " has not yet brought",
                at);
    const Machine::Stretch stretch =
        host.stretchOf(connection.neighbour, packet.target, packet.bytes, at);
    host.startWrite(stretch, static_cast<uint32_t>(host.tasks.size()) + number,
                    ++connection.writes, at);
  }
  Transaction *transaction = host.start(Transaction::Kind::Packet, at);
  transaction->clock = task.clock;
  if (packet.bytes && packet.by && packet.flush &&
      connection.flushed + 1 == connection.writes)
    connection.flushed = connection.writes;
  transaction->clock.knowWrites(host.tasks.size() + number, connection.flushed);
  transaction->device = connection.neighbour;
  transaction->remote = packet.target;
  transaction->local = packet.source;
  transaction->bytes = packet.bytes;
  transaction->semaphore = packet.semaphore;
  transaction->by = packet.by;
  transaction->flush = packet.flush;
  transaction->connection = number;
  transaction->header = header;
  connection.underWay.push_back(transaction);
  host.counters().fabricBytes += packet.bytes;
  if (packet.bytes)
    host.result.devices[connection.neighbour].dramBytes += packet.bytes;
  host.mayYield(at);
}

} // namespace ring::tile
