// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a tensor or of a mesh.

#pragma once

#include <tt_stl/small_vector.hpp>
#include <tt_stl/span.hpp>

#include <cstdint>
#include <initializer_list>

namespace tt::tt_metal {

class ShapeBase {
public:
  using Container = ttsl::SmallVector<uint32_t>;

  ShapeBase() = default;
  explicit ShapeBase(const Container &shape) : value_(shape) {}
  explicit ShapeBase(Container &&shape) : value_(std::move(shape)) {}
  explicit ShapeBase(std::initializer_list<uint32_t> ilist) : value_(ilist) {}
  explicit ShapeBase(ttsl::Span<const uint32_t> span)
      : value_(span.begin(), span.end()) {}

  /// Negative numbers count from the end.
  uint32_t operator[](int32_t index) const { return value_[place(index)]; }
  uint32_t &operator[](int32_t index) { return value_[place(index)]; }

  Container::const_iterator begin() const { return value_.begin(); }
  Container::const_iterator end() const { return value_.end(); }
  ttsl::Span<const uint32_t> view() const { return value_; }
  bool empty() const { return value_.empty(); }

protected:
  std::size_t size() const { return value_.size(); }
  Container value_;

private:
  std::size_t place(int32_t index) const {
    return index < 0 ? value_.size() + index : static_cast<size_t>(index);
  }
};

} // namespace tt::tt_metal
