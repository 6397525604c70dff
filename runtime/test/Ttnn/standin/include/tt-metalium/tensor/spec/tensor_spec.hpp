// SPDX-License-Identifier: Apache-2.0
//
// A tensor but for its numbers.

#pragma once

#include <tt-metalium/tensor/spec/layout/tensor_layout.hpp>

namespace tt::tt_metal {

class TensorSpec final {
public:
  TensorSpec(tt::tt_metal::Shape logical_shape, TensorLayout tensor_layout);

  const tt::tt_metal::Shape &logical_shape() const { return logical_shape_; }
  const TensorLayout &tensor_layout() const { return tensor_layout_; }
  DataType data_type() const { return tensor_layout_.get_data_type(); }
  Layout layout() const { return tensor_layout_.get_layout(); }
  const MemoryConfig &memory_config() const {
    return tensor_layout_.get_memory_config();
  }
  const tt::tt_metal::Shape &padded_shape() const { return padded_shape_; }

private:
  tt::tt_metal::Shape logical_shape_;
  TensorLayout tensor_layout_;
  tt::tt_metal::Shape padded_shape_;
};

} // namespace tt::tt_metal
