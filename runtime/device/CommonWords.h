// SPDX-License-Identifier: Apache-2.0
//
// The constants and tables of AttentionArguments.h as a kernel has them: in its
// compile-time and common arguments. Included behind the header of the kernel's
// own API.

#ifndef RING_DEVICE_COMMONWORDS_H
#define RING_DEVICE_COMMONWORDS_H

#include "AttentionArguments.h"
#include "OwnWords.h"

struct CommonWords {
  uint32_t operator()(uint32_t index) const { return commonWord(index); }
};

/// A constant. Who cannot hand over numbers as compile-time arguments defines
/// RING_CONSTANTS, all of them in order; accessors are then the only ones.
#ifdef RING_CONSTANTS
template <Constant Index>
constexpr uint32_t constant() {
  constexpr uint32_t words[kConstants] = {RING_CONSTANTS};
  return words[Index];
}
constexpr uint32_t kFirstAccessor = 0;
#else
template <Constant Index>
uint32_t constant() {
  return get_compile_time_arg_val(Index);
}
constexpr uint32_t kFirstAccessor = kConstants;
#endif

using Tables = AttentionTables<CommonWords>;

#endif // RING_DEVICE_COMMONWORDS_H
