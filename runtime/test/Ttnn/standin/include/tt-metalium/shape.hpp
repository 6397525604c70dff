// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a tensor.

#pragma once

#include <tt-metalium/shape_base.hpp>

namespace tt::tt_metal {

class Shape final : protected ShapeBase {
public:
  using ShapeBase::ShapeBase;
  using ShapeBase::operator[];
  using ShapeBase::begin;
  using ShapeBase::Container;
  using ShapeBase::empty;
  using ShapeBase::end;
  using ShapeBase::size;
  using ShapeBase::view;

  bool operator==(const Shape &other) const;
  [[nodiscard]] size_t rank() const;
  [[nodiscard]] uint64_t volume() const;
};

} // namespace tt::tt_metal
