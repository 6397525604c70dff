// SPDX-License-Identifier: Apache-2.0
//
// Where memory is, and how a tensor lies in it.

#pragma once

namespace tt::tt_metal {

enum class TensorMemoryLayout {
  INTERLEAVED = 0,
  HEIGHT_SHARDED = 2,
  WIDTH_SHARDED = 3,
  BLOCK_SHARDED = 4,
  ND_SHARDED = 5,
};

enum class BufferType {
  DRAM,
  L1,
  SYSTEM_MEMORY,
  L1_SMALL,
  TRACE,
};

} // namespace tt::tt_metal
