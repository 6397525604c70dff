// SPDX-License-Identifier: Apache-2.0
//
// Types, under ttnn's names.

#pragma once

#include "ttnn/distributed/types.hpp"
#include "ttnn/tensor/tensor.hpp"
#include "ttnn/tensor/types.hpp"
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/global_semaphore.hpp>

namespace ttnn {
namespace types {

using IDevice = tt::tt_metal::IDevice;
constexpr auto TILE_SIZE = 32;

using tt::tt_metal::BufferType;
using tt::tt_metal::CoreCoord;
using tt::tt_metal::CoreRange;
using tt::tt_metal::CoreRangeSet;
using tt::tt_metal::DataType;
using tt::tt_metal::GlobalSemaphore;
using tt::tt_metal::Layout;
using tt::tt_metal::MemoryConfig;
using tt::tt_metal::TensorMemoryLayout;

static const auto DRAM_MEMORY_CONFIG =
    MemoryConfig{TensorMemoryLayout::INTERLEAVED, BufferType::DRAM};
static const auto L1_MEMORY_CONFIG =
    MemoryConfig{TensorMemoryLayout::INTERLEAVED, BufferType::L1};

static constexpr auto ROW_MAJOR_LAYOUT = Layout::ROW_MAJOR;
static constexpr auto TILE_LAYOUT = Layout::TILE;

struct CoreGrid {
  std::size_t x;
  std::size_t y;
  CoreGrid(std::size_t x, std::size_t y) : x(x), y(y) {}
};

} // namespace types

using namespace types;

} // namespace ttnn
