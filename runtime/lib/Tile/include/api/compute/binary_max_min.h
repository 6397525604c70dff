// SPDX-License-Identifier: Apache-2.0
//
// The larger of two registers, on the host.

#pragma once

#include "api/compute/common.h"

inline void binary_max_tile_init(At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initUnary(ring::tile::Unary::Max, at);
}

inline void binary_max_tile(uint32_t idst0, uint32_t idst1, uint32_t odst,
                            At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::binaryRegisters(ring::tile::Unary::Max, idst0, idst1, odst, at);
}
