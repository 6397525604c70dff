// SPDX-License-Identifier: Apache-2.0
//
// How a tensor is stored.

#pragma once

#include <tt-metalium/shape.hpp>
#include <tt-metalium/tensor/spec/layout/alignment.hpp>
#include <tt-metalium/tensor/spec/layout/page_config.hpp>
#include <tt-metalium/tensor/spec/memory_config/memory_config.hpp>

namespace tt::tt_metal {

class TensorLayout {
public:
  TensorLayout(DataType dtype, const PageConfig &page_config,
               const MemoryConfig &memory_config,
               const Alignment &alignment = {});

  Layout get_layout() const;
  DataType get_data_type() const;
  const MemoryConfig &get_memory_config() const;

private:
  DataType dtype_;
  PageConfig page_config_;
  MemoryConfig memory_config_;
};

} // namespace tt::tt_metal
