// SPDX-License-Identifier: Apache-2.0
//
// A view of numbers in a row.

#pragma once

#include <span>

namespace ttsl {

template <typename T, std::size_t Extent = std::dynamic_extent>
using Span = std::span<T, Extent>;

} // namespace ttsl
