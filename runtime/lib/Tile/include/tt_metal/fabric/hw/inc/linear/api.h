// SPDX-License-Identifier: Apache-2.0
//
// Packets along a line or ring of devices, on the host.

#pragma once

#include "tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_worker_adapters.hpp"
#include "tt_metal/fabric/hw/inc/packet_header_pool.h"

/// An address on a core of whichever device a packet reaches.
inline uint64_t safe_get_noc_addr(uint8_t dest_noc_x, uint8_t dest_noc_y,
                                  uint32_t dest_bank_addr, uint8_t = noc_index,
                                  ring::tile::At at = {__builtin_FILE(),
                                                       __builtin_LINE()}) {
  return ring::tile::coreAddress(dest_noc_x, dest_noc_y, dest_bank_addr, at);
}

namespace tt::tt_fabric::linear::experimental {

template <typename Sender>
void fabric_unicast_noc_unicast_write(
    Sender *client_interface, volatile PACKET_HEADER_TYPE *packet_header,
    uint32_t src_addr, uint32_t size, NocUnicastCommandHeader command,
    uint8_t num_hops,
    ring::tile::At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::sendPacket(
      client_interface->number, packet_header,
      {src_addr, size, command.noc_address, 0, 0, false, num_hops}, at);
}

template <typename Sender>
void fabric_unicast_noc_unicast_atomic_inc(
    Sender *client_interface, volatile PACKET_HEADER_TYPE *packet_header,
    NocUnicastAtomicIncCommandHeader command, uint8_t num_hops,
    ring::tile::At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::sendPacket(
      client_interface->number, packet_header,
      {0, 0, 0, command.noc_address, command.val, command.flush, num_hops}, at);
}

template <typename Sender>
void fabric_unicast_noc_fused_unicast_with_atomic_inc(
    Sender *client_interface, volatile PACKET_HEADER_TYPE *packet_header,
    uint32_t src_addr, uint32_t size,
    NocUnicastAtomicIncFusedCommandHeader command, uint8_t num_hops,
    ring::tile::At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::sendPacket(client_interface->number, packet_header,
                         {src_addr, size, command.noc_address,
                          command.semaphore_noc_address, command.val,
                          command.flush, num_hops},
                         at);
}

} // namespace tt::tt_fabric::linear::experimental
