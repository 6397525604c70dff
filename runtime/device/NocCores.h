// SPDX-License-Identifier: Apache-2.0
//
// Cores and semaphores as arguments name them: a core has x in the low half of
// a word and y in the high half, a semaphore its number. Included behind the
// header of the data movement API.

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

/// The address of a semaphore of this device, the same on every core. A host
/// that has none to give away defines where others are that it made.
inline uint32_t semaphoreAt(uint32_t number) {
#ifdef RING_SEMAPHORES_ADDRESS
  return RING_SEMAPHORES_ADDRESS + 16 * number;
#else
  return get_semaphore(number);
#endif
}

#endif // RING_DEVICE_NOCCORES_H
