// SPDX-License-Identifier: Apache-2.0
//
// Exponentials of registers, on the host.

#pragma once

#include "api/compute/common.h"

template <bool approx = false>
inline void exp_tile_init(At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initUnary(
      approx ? ring::tile::Unary::ExpApproximate : ring::tile::Unary::Exp, at);
}

template <bool approx = false>
inline void exp_tile(uint32_t idst,
                     At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::unaryTile(approx ? ring::tile::Unary::ExpApproximate
                               : ring::tile::Unary::Exp,
                        idst, 0, at);
}

template <bool approx = false>
inline void exp_packthread_tile_init(At at = {__builtin_FILE(),
                                              __builtin_LINE()}) {
  ring::tile::initUnary(approx ? ring::tile::Unary::ExpApproximate
                               : ring::tile::Unary::Exp,
                        at, ring::tile::Thread::Pack);
}

template <bool approx = false>
inline void exp_packthread_tile(uint32_t idst,
                                At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::unaryTile(approx ? ring::tile::Unary::ExpApproximate
                               : ring::tile::Unary::Exp,
                        idst, 0, at, ring::tile::Thread::Pack);
}
