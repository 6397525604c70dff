// SPDX-License-Identifier: Apache-2.0
//
// Registers to tiles, on the host.

#pragma once

#include "api/compute/common.h"

template <bool out_of_order_output = false>
inline void pack_tile(uint32_t ifrom_dst, uint32_t icb,
                      uint32_t output_tile_index = 0,
                      At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::packTile(ifrom_dst, icb, output_tile_index, !out_of_order_output,
                       at);
}

inline void pack_reconfig_l1_acc(const uint32_t l1_acc_en,
                                 At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::accumulateInL1(l1_acc_en, at);
}
