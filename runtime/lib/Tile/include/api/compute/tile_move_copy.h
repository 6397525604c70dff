// SPDX-License-Identifier: Apache-2.0
//
// Tiles to registers, on the host.

#pragma once

#include "api/compute/common.h"

inline void copy_tile_init(uint32_t cbid,
                           At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initCopy(cbid, at);
}

inline void copy_tile(uint32_t in_cb_id, uint32_t in_tile_index,
                      uint32_t dst_tile_index,
                      At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::copyTile(in_cb_id, in_tile_index, dst_tile_index, at);
}
