// SPDX-License-Identifier: Apache-2.0
//
// Packet headers on the host: a place in the core's L1, told apart by address.

#pragma once

#include "KernelApi.h"

struct HostPacketHeader {
  uint32_t words[16];
};
#define PACKET_HEADER_TYPE HostPacketHeader

class PacketHeaderPool {
public:
  static volatile PACKET_HEADER_TYPE *
  allocate_header(uint8_t = 1,
                  ring::tile::At at = {__builtin_FILE(), __builtin_LINE()}) {
    return static_cast<volatile PACKET_HEADER_TYPE *>(
        ring::tile::packetHeader(at));
  }
};
