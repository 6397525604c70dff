// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tt-metalium/distributed.hpp>

namespace tt::tt_metal {
class TensorAccessorArgs {
public:
  explicit TensorAccessorArgs(const distributed::MeshBuffer &buffer) : number(buffer.number) {}
  void append_to(std::vector<uint32_t> &words) const { words.push_back(standin::kAccessor << 16 | number); }

private:
  uint32_t number;
};
} // namespace tt::tt_metal
