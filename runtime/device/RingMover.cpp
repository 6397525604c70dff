// SPDX-License-Identifier: Apache-2.0
//
// Moves keys and values round the ring, in both directions, on a core of its
// own beside the compute. A page is read from DRAM and sent as one packet,
// which raises the neighbour's count of arrivals when it has landed. A store of
// the neighbour is overwritten only after a credit said that all its readers
// are done. The counts that allow each of these come as arguments
// (MoverArguments.h).
//
// The counters that other devices raise must be 0 when the next launch starts,
// and no host resets them. Arrivals are set to 0 just before the last credit is
// sent: until that credit is there, nobody sends more. Credits are set to 0
// when all have come back.

#include "api/dataflow/dataflow_api.h"
#include "tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_worker_adapters.hpp"
#include "tt_metal/fabric/hw/inc/linear/api.h"
#include "tt_metal/fabric/hw/inc/packet_header_pool.h"

#include "AttentionArguments.h"
#include "AttentionBuffers.h"
#include "MoverArguments.h"
#include "NocCores.h"
#include "OwnWords.h"
#include "RingConnections.h"

namespace {

namespace fabric = tt::tt_fabric::linear::experimental;
using tt::tt_fabric::NocUnicastAtomicIncCommandHeader;
using tt::tt_fabric::NocUnicastAtomicIncFusedCommandHeader;
using Counter = volatile tt_l1_ptr uint32_t *;

uint32_t word(uint32_t index) { return ownWord(index); }

Counter counterAt(uint32_t address) {
  return reinterpret_cast<Counter>(address);
}

/// One direction: how far it has come, and the counters as they were when they
/// were last looked at. Whatever is decided in one round of the loop is decided
/// by that look.
struct Lane {
  uint32_t words = 0; ///< index of the direction's first argument
  uint32_t arrived = 0, credited = 0;
  uint32_t reads = 0; ///< of the oldest arrival that is still held

  uint32_t send = 0;                       ///< the send that is under way
  uint32_t tensor = 0, head = 0, page = 0; ///< its next page
  uint32_t pagesSent = 0;                  ///< of it
  uint32_t announced = 0, released = 0;    ///< arrivals

  uint32_t at(uint32_t field) const { return word(words + field); }
  Send current() const {
    return decodeSend(word, words + kDirectionWords + send * kSendWords);
  }
  Arrival arrival(uint32_t number) const {
    return decodeArrival(word, words + kDirectionWords +
                                   at(kSends) * kSendWords +
                                   number * kArrivalWords);
  }
  uint32_t end() const {
    return words + kDirectionWords + at(kSends) * kSendWords +
           at(kIncoming) * kArrivalWords;
  }

  void look() {
    arrived = *counterAt(at(kArrived));
    credited = *counterAt(at(kCredited));
    if (released < at(kIncoming))
      reads = *counterAt(semaphoreAt(arrival(released).readsOf));
  }
  bool mayAnnounce() const {
    return announced < at(kIncoming) && arrived >= arrival(announced).landed;
  }
  bool maySend() const {
    if (send == at(kSends))
      return false;
    const Send next = current();
    return credited >= next.credits &&
           arrived >= next.packets + next.packetsPerPage * pagesSent;
  }
  bool isDone() const {
    return send == at(kSends) && released == at(kIncoming) &&
           credited >= at(kSends);
  }
};

} // namespace

void kernel_main() {
  constexpr auto keyArgs = TensorAccessorArgs<0>();
  constexpr auto valueArgs =
      TensorAccessorArgs<keyArgs.next_compile_time_args_offset()>();

  const uint32_t core = word(kOwnCore);
  const uint32_t stores = kMoverWords;
  const uint32_t consumers = stores + word(kMoverStores) * kStoreWords;
  Lane lanes[2];
  lanes[0].words = consumers + word(kConsumers);
  lanes[1].words = lanes[0].end();
  RingConnections connections =
      makeConnections(kWordsInL1 ? 0 : lanes[1].end());
  volatile tt_l1_ptr PACKET_HEADER_TYPE *headers[2] = {
      PacketHeaderPool::allocate_header(), PacketHeaderPool::allocate_header()};
  connections.open();
  const uint32_t keyBytes = word(kKeyPageBytes);
  const uint32_t valueBytes = word(kValuePageBytes);
  cb_reserve_back(kPages, (keyBytes > valueBytes ? keyBytes : valueBytes) /
                              get_tile_size(kPages));
  const uint32_t pageAddress = get_write_ptr(kPages);

  // Tells the consumers that everything up to an arrival is there.
  auto announce = [&](Lane &lane) {
    if (lane.arrival(lane.announced).reads)
      for (uint32_t i = 0; i < word(kConsumers); ++i)
        noc_semaphore_inc(
            onCore(word(consumers + i), semaphoreAt(lane.at(kAnnounced))), 1);
    ++lane.announced;
  };

  // Sends the next page of the send that is under way.
  auto sendPage = [&](Lane &lane, uint32_t direction) {
    const bool values = lane.tensor;
    const uint32_t rowPages = word(values ? kValueRowPages : kKeyRowPages);
    const uint32_t bytes = values ? valueBytes : keyBytes;
    const Send send = lane.current();
    const uint32_t from = stores + send.from * kStoreWords;
    const uint32_t to = stores + send.to * kStoreWords;
    const uint32_t fromPage =
        (lane.head * word(from + 2) + send.fromRow) * rowPages + lane.page;
    const uint32_t toPage =
        (lane.head * word(to + 2) + send.toRow) * rowPages + lane.page;
    uint64_t source, target;
    if (values) {
      source = TensorAccessor(valueArgs, word(from + 1)).get_noc_addr(fromPage);
      target =
          TensorAccessor(valueArgs, word(to + 1)).get_noc_addr(toPage, 0, 0);
    } else {
      source = TensorAccessor(keyArgs, word(from)).get_noc_addr(fromPage);
      target = TensorAccessor(keyArgs, word(to)).get_noc_addr(toPage, 0, 0);
    }
    noc_async_read(source, pageAddress, bytes);
    noc_async_read_barrier();
    fabric::fabric_unicast_noc_fused_unicast_with_atomic_inc(
        &connections[direction], headers[direction], pageAddress, bytes,
        NocUnicastAtomicIncFusedCommandHeader{
            target,
            safe_get_noc_addr(nocX(core), nocY(core), lane.at(kArrived), 0), 1,
            true},
        static_cast<uint8_t>(1));
    noc_async_writes_flushed();

    ++lane.pagesSent;
    if (++lane.page < send.rows * rowPages)
      return;
    lane.page = 0;
    if (++lane.head < word(kHeads))
      return;
    lane.head = 0;
    if (++lane.tensor < 2)
      return;
    lane.tensor = lane.pagesSent = 0;
    ++lane.send;
  };

  // Gives the oldest arrival's store back to its sender, if nobody needs it.
  auto release = [&](Lane &lane, uint32_t direction) {
    if (lane.released == lane.announced)
      return false;
    const Arrival oldest = lane.arrival(lane.released);
    if (lane.send < oldest.sends || lane.reads < oldest.reads)
      return false;
    if (++lane.released == lane.at(kIncoming))
      noc_semaphore_set(counterAt(lane.at(kArrived)), 0);
    fabric::fabric_unicast_noc_unicast_atomic_inc(
        &connections[1 - direction], headers[1 - direction],
        NocUnicastAtomicIncCommandHeader{
            safe_get_noc_addr(nocX(core), nocY(core), lane.at(kCredited), 0), 1,
            false},
        static_cast<uint8_t>(1));
    noc_async_writes_flushed();
    return true;
  };

  while (true) {
    invalidate_l1_cache();
    lanes[0].look();
    lanes[1].look();
    if (lanes[0].isDone() && lanes[1].isDone())
      break;
    for (uint32_t direction = 0; direction < 2; ++direction) {
      Lane &lane = lanes[direction];
      if (release(lane, direction))
        continue;
      if (lane.mayAnnounce())
        announce(lane);
      if (lane.maySend() && connections[direction].edm_has_space_for_packet())
        sendPage(lane, direction);
    }
  }
  for (Lane &lane : lanes)
    noc_semaphore_set(counterAt(lane.at(kCredited)), 0);
  noc_async_full_barrier();
  connections.close();
}
