// SPDX-License-Identifier: Apache-2.0
//
// Registers times a number, on the host.

#pragma once

#include "api/compute/common.h"

#include <cstring>

inline void binop_with_scalar_tile_init(At at = {__builtin_FILE(),
                                                 __builtin_LINE()}) {
  ring::tile::initUnary(ring::tile::Unary::Scalar, at);
}

inline void mul_unary_tile(uint32_t idst, uint32_t param1,
                           At at = {__builtin_FILE(), __builtin_LINE()}) {
  float factor;
  std::memcpy(&factor, &param1, sizeof(factor));
  ring::tile::unaryTile(ring::tile::Unary::Scalar, idst, factor, at);
}
