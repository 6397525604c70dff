// SPDX-License-Identifier: Apache-2.0
//
// Cores as arguments name them: x in the low half of a word, y in the high
// half. Included behind the header of the data movement API.

#ifndef RING_DEVICE_NOCCORES_H
#define RING_DEVICE_NOCCORES_H

// On the NoC, unless RING_LOGICAL_CORES is defined: then a word names the
// logical place, for hosts that cannot ask the device for its coordinates, and
// the firmware's own tables have them.
#ifdef RING_LOGICAL_CORES
inline uint32_t nocX(uint32_t core) {
  return worker_logical_col_to_virtual_col[core & 0xffff];
}
inline uint32_t nocY(uint32_t core) {
  return worker_logical_row_to_virtual_row[core >> 16];
}
#else
inline uint32_t nocX(uint32_t core) { return core & 0xffff; }
inline uint32_t nocY(uint32_t core) { return core >> 16; }
#endif

/// An address on a core of this device.
inline uint64_t onCore(uint32_t core, uint32_t address) {
  return get_noc_addr(nocX(core), nocY(core), address);
}

#endif // RING_DEVICE_NOCCORES_H
