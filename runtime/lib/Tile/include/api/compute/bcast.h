// SPDX-License-Identifier: Apache-2.0
//
// Tiles with a column for all columns, on the host.

#pragma once

#include "api/compute/common.h"

inline void sub_bcast_cols_init(uint32_t icb0, uint32_t icb1,
                                At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initBinary(ring::tile::Binary::Subtract,
                         ring::tile::Broadcast::Columns, icb0, icb1, at);
}

inline void sub_tiles_bcast_cols(uint32_t icb0, uint32_t icb1, uint32_t itile0,
                                 uint32_t itile1, uint32_t idst,
                                 At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::binaryTiles(ring::tile::Binary::Subtract,
                          ring::tile::Broadcast::Columns, icb0, icb1, itile0,
                          itile1, idst, at);
}

inline void mul_bcast_cols_init(uint32_t icb0, uint32_t icb1,
                                At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initBinary(ring::tile::Binary::Multiply,
                         ring::tile::Broadcast::Columns, icb0, icb1, at);
}

inline void mul_tiles_bcast_cols(uint32_t icb0, uint32_t icb1, uint32_t itile0,
                                 uint32_t itile1, uint32_t idst,
                                 At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::binaryTiles(ring::tile::Binary::Multiply,
                          ring::tile::Broadcast::Columns, icb0, icb1, itile0,
                          itile1, idst, at);
}
