// SPDX-License-Identifier: Apache-2.0
//
// A worker's connection to a router, on the host.

#pragma once

#include "KernelApi.h"
#include "api/dataflow/dataflow_api.h"

#include <cstddef>

namespace tt::tt_fabric {

class WorkerToFabricEdmSender {
public:
  template <ProgrammableCoreType>
  static WorkerToFabricEdmSender
  build_from_args(std::size_t &arg_idx,
                  ring::tile::At at = {__builtin_FILE(), __builtin_LINE()}) {
    WorkerToFabricEdmSender sender;
    sender.number =
        ring::tile::openedConnection(static_cast<uint32_t>(arg_idx++), at);
    return sender;
  }
  void open(ring::tile::At at = {__builtin_FILE(), __builtin_LINE()}) {
    ring::tile::openConnection(number, at);
  }
  void close(ring::tile::At at = {__builtin_FILE(), __builtin_LINE()}) {
    ring::tile::closeConnection(number, at);
  }
  template <uint8_t = 1>
  bool edm_has_space_for_packet(ring::tile::At at = {__builtin_FILE(),
                                                     __builtin_LINE()}) const {
    return ring::tile::hasPacketSpace(number, at);
  }

  uint32_t number = 0;
};

struct NocUnicastCommandHeader {
  uint64_t noc_address;
};
struct NocUnicastAtomicIncCommandHeader {
  NocUnicastAtomicIncCommandHeader(uint64_t noc_address, uint32_t val,
                                   bool flush = true)
      : noc_address(noc_address), val(val), flush(flush) {}
  uint64_t noc_address;
  uint32_t val;
  bool flush;
};
struct NocUnicastAtomicIncFusedCommandHeader {
  NocUnicastAtomicIncFusedCommandHeader(uint64_t noc_address,
                                        uint64_t semaphore_noc_address,
                                        uint32_t val, bool flush = true)
      : noc_address(noc_address), semaphore_noc_address(semaphore_noc_address),
        val(val), flush(flush) {}
  uint64_t noc_address;
  uint64_t semaphore_noc_address;
  uint32_t val;
  bool flush;
};

} // namespace tt::tt_fabric
