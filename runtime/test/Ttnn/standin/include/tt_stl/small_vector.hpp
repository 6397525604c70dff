// SPDX-License-Identifier: Apache-2.0
//
// The vector of tt-metal's calls.

#pragma once

#include <cstddef>
#include <vector>

namespace ttsl {

inline constexpr std::size_t SMALL_VECTOR_SIZE = 8;

template <typename T, std::size_t PREALLOCATED_SIZE = SMALL_VECTOR_SIZE>
struct SmallVector : std::vector<T> {
  using std::vector<T>::vector;
};

} // namespace ttsl
