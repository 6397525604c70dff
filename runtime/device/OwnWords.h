// SPDX-License-Identifier: Apache-2.0
//
// The arguments that a core has to itself, and where words come from at all.
// Included behind the header of the kernel's own API.

#ifndef RING_DEVICE_OWNWORDS_H
#define RING_DEVICE_OWNWORDS_H

#include <cstdint>

// A host that hands all devices and cores the same arguments puts their words
// into L1, and defines where: how many common ones there are, these, and then a
// core's own.
#ifdef RING_WORDS_ADDRESS
constexpr bool kWordsInL1 = true;
inline uint32_t wordInL1(uint32_t index) {
  return reinterpret_cast<volatile uint32_t *>(RING_WORDS_ADDRESS)[index];
}
inline uint32_t commonWord(uint32_t index) { return wordInL1(1 + index); }
inline uint32_t ownWord(uint32_t index) {
  return wordInL1(1 + wordInL1(0) + index);
}
#else
constexpr bool kWordsInL1 = false;
inline uint32_t commonWord(uint32_t index) {
  return get_common_arg_val<uint32_t>(static_cast<int>(index));
}
inline uint32_t ownWord(uint32_t index) {
  return get_arg_val<uint32_t>(static_cast<int>(index));
}
#endif

#endif // RING_DEVICE_OWNWORDS_H
