// SPDX-License-Identifier: Apache-2.0
//
// Tiles with tiles, on the host.

#pragma once

#include "api/compute/common.h"

inline void sub_init(uint32_t icb0, uint32_t icb1,
                     At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initBinary(ring::tile::Binary::Subtract,
                         ring::tile::Broadcast::None, icb0, icb1, at);
}

inline void sub_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0,
                      uint32_t itile1, uint32_t idst,
                      At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::binaryTiles(ring::tile::Binary::Subtract,
                          ring::tile::Broadcast::None, icb0, icb1, itile0,
                          itile1, idst, at);
}

inline void mul_init(uint32_t icb0, uint32_t icb1,
                     At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initBinary(ring::tile::Binary::Multiply,
                         ring::tile::Broadcast::None, icb0, icb1, at);
}

inline void mul_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0,
                      uint32_t itile1, uint32_t idst,
                      At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::binaryTiles(ring::tile::Binary::Multiply,
                          ring::tile::Broadcast::None, icb0, icb1, itile0,
                          itile1, idst, at);
}

inline void add_init(uint32_t icb0, uint32_t icb1,
                     At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initBinary(ring::tile::Binary::Add, ring::tile::Broadcast::None,
                         icb0, icb1, at);
}

inline void add_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0,
                      uint32_t itile1, uint32_t idst,
                      At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::binaryTiles(ring::tile::Binary::Add, ring::tile::Broadcast::None,
                          icb0, icb1, itile0, itile1, idst, at);
}
