// SPDX-License-Identifier: Apache-2.0
//
// Where a core stands.

#pragma once

#include <cstddef>

namespace tt {

struct xy_pair {
  constexpr xy_pair() = default;
  constexpr xy_pair(std::size_t x, std::size_t y) : x(x), y(y) {}

  std::size_t x = 0;
  std::size_t y = 0;
};

constexpr bool operator==(const xy_pair &a, const xy_pair &b) {
  return a.x == b.x && a.y == b.y;
}

} // namespace tt

using tt_xy_pair = tt::xy_pair;
