// SPDX-License-Identifier: Apache-2.0
//
// A number with a type of its own.

#pragma once

#include <utility>

namespace ttsl {

template <typename T, typename Tag>
class StrongType {
public:
  constexpr StrongType() noexcept : value(T{}) {}
  constexpr explicit StrongType(T v) noexcept : value(std::move(v)) {}
  constexpr const T &operator*() const { return value; }
  constexpr const T &get() const { return value; }

private:
  T value;
};

} // namespace ttsl
