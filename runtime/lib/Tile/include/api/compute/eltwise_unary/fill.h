// SPDX-License-Identifier: Apache-2.0
//
// Registers of one number, on the host.

#pragma once

#include "api/compute/common.h"

inline void fill_tile_init(At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initUnary(ring::tile::Unary::Fill, at);
}

inline void fill_tile(uint32_t idst, float param0,
                      At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::unaryTile(ring::tile::Unary::Fill, idst, param0, at);
}
