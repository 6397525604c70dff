// SPDX-License-Identifier: Apache-2.0
//
// Where a tensor is kept.

#pragma once

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/tensor/tensor_types.hpp>

#include <optional>

namespace tt::tt_metal {

class MemoryConfig final {
public:
  /// Interleaved over DRAM.
  MemoryConfig();
  explicit MemoryConfig(TensorMemoryLayout memory_layout,
                        BufferType buffer_type = BufferType::DRAM,
                        std::optional<ShardSpec> shard_spec = std::nullopt);

  TensorMemoryLayout memory_layout() const;
  BufferType buffer_type() const;
  bool is_sharded() const;
  bool is_l1() const;
  bool is_dram() const;

private:
  TensorMemoryLayout memory_layout_;
  BufferType buffer_type_;
};

bool operator==(const MemoryConfig &config_a, const MemoryConfig &config_b);

} // namespace tt::tt_metal
