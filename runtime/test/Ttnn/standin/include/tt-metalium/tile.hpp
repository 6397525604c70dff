// SPDX-License-Identifier: Apache-2.0
//
// The shape of a tile.

#pragma once

#include <tt-metalium/constants.hpp>

#include <array>
#include <cstdint>

namespace tt::tt_metal {

struct Tile {
  Tile(std::array<uint32_t, 2> tile_shape = {constants::TILE_HEIGHT,
                                             constants::TILE_WIDTH},
       bool transpose_tile = false);
};

} // namespace tt::tt_metal
