// SPDX-License-Identifier: Apache-2.0
//
// What a page of a tensor is.

#pragma once

#include <tt-metalium/tensor/spec/layout/layout.hpp>
#include <tt-metalium/tile.hpp>

#include <optional>

namespace tt::tt_metal {

class PageConfig {
public:
  PageConfig(Layout layout);
  PageConfig(Layout layout, const std::optional<Tile> &tile);
  Layout get_layout() const;

private:
  Layout layout_;
};

} // namespace tt::tt_metal
