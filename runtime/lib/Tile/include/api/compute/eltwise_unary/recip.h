// SPDX-License-Identifier: Apache-2.0
//
// Reciprocals of registers, on the host.

#pragma once

#include "api/compute/common.h"

inline void recip_tile_init(At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initUnary(ring::tile::Unary::Reciprocal, at);
}

inline void recip_tile(uint32_t idst,
                       At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::unaryTile(ring::tile::Unary::Reciprocal, idst, 0, at);
}
