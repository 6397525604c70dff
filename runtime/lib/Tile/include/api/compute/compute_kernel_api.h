// SPDX-License-Identifier: Apache-2.0
//
// Logarithms of registers, on the host.

#pragma once

#include "api/compute/common.h"

inline void log_tile_init(At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initUnary(ring::tile::Unary::Log, at);
}

inline void log_tile(uint32_t idst,
                     At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::unaryTile(ring::tile::Unary::Log, idst, 0, at);
}
