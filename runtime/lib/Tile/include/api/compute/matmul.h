// SPDX-License-Identifier: Apache-2.0
//
// Products of tiles, on the host.

#pragma once

#include "api/compute/common.h"

inline void matmul_block_init(uint32_t in0_cb_id, uint32_t in1_cb_id,
                              const uint32_t transpose = 0, uint32_t ct_dim = 1,
                              uint32_t rt_dim = 1, uint32_t kt_dim = 1,
                              At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::initProduct(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim,
                          kt_dim, at);
}

inline void matmul_block(uint32_t in0_cb_id, uint32_t in1_cb_id,
                         uint32_t in0_tile_index, uint32_t in1_tile_index,
                         uint32_t idst, const uint32_t transpose,
                         uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim,
                         At at = {__builtin_FILE(), __builtin_LINE()}) {
  ring::tile::productBlock(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index,
                           idst, transpose, ct_dim, rt_dim, kt_dim, at);
}
