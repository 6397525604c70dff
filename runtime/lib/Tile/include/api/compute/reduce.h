// SPDX-License-Identifier: Apache-2.0
//
// Maxima of the rows or columns of tiles, on the host.

#pragma once

#include "api/compute/common.h"

enum PoolType { SUM, AVG, MAX };
enum ReduceDim { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };

template <PoolType reduce_type, ReduceDim reduce_dim>
inline void reduce_init(uint32_t icb, uint32_t icb_scaler, uint32_t ocb,
                        At at = {__builtin_FILE(), __builtin_LINE()}) {
  static_assert(reduce_type == PoolType::MAX && reduce_dim != REDUCE_SCALAR,
                "only maxima of rows or columns");
  ring::tile::initMaximum(reduce_dim == REDUCE_ROW
                              ? ring::tile::Maxima::OfRows
                              : ring::tile::Maxima::OfColumns,
                          icb, icb_scaler, ocb, at);
}

inline void reduce_uninit(uint32_t icb = 0,
                          At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::endMaximum(icb, at);
}

template <PoolType reduce_type, ReduceDim reduce_dim>
inline void reduce_tile(uint32_t icb, uint32_t icb_scaler, uint32_t itile,
                        uint32_t itile_scaler, uint32_t idst,
                        At at = {__builtin_FILE(), __builtin_LINE()}) {
  static_assert(reduce_type == PoolType::MAX && reduce_dim != REDUCE_SCALAR,
                "only maxima of rows or columns");
  ring::tile::maximumOfTile(reduce_dim == REDUCE_ROW
                                ? ring::tile::Maxima::OfRows
                                : ring::tile::Maxima::OfColumns,
                            icb, icb_scaler, itile, itile_scaler, idst, at);
}
