// SPDX-License-Identifier: Apache-2.0
//
// The shape of a tile.

#pragma once

#include <array>
#include <cstdint>

namespace tt::tt_metal {

struct Tile {
  Tile(std::array<uint32_t, 2> tile_shape = {32, 32},
       bool transpose_tile = false);
};

} // namespace tt::tt_metal
