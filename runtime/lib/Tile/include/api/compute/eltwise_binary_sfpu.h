// SPDX-License-Identifier: Apache-2.0
//
// Registers with registers, on the host.

#pragma once

#include "api/compute/common.h"

inline void add_binary_tile_init(At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initUnary(ring::tile::Unary::AddTiles, at);
}

inline void add_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst,
                            At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::binaryRegisters(ring::tile::Unary::AddTiles, idst0, idst1, odst,
                              at);
}
