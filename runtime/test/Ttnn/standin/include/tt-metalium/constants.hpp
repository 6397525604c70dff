// SPDX-License-Identifier: Apache-2.0
//
// Sizes of tiles.

#pragma once

#include <cstdint>

namespace tt::constants {

constexpr std::uint32_t TILE_HEIGHT = 32;
constexpr std::uint32_t TILE_WIDTH = 32;

} // namespace tt::constants
