// SPDX-License-Identifier: Apache-2.0
//
// The tables of AttentionArguments.h as a kernel has them: in its common
// arguments. Included behind the header of the kernel's own API.

#ifndef RING_DEVICE_COMMONWORDS_H
#define RING_DEVICE_COMMONWORDS_H

#include "AttentionArguments.h"

struct CommonWords {
  uint32_t operator()(uint32_t index) const {
    return get_common_arg_val<uint32_t>(static_cast<int>(index));
  }
};

using Tables = AttentionTables<CommonWords>;

#endif // RING_DEVICE_COMMONWORDS_H
