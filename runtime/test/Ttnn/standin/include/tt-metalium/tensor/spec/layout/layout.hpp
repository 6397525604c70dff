// SPDX-License-Identifier: Apache-2.0
//
// Rows, or tiles.

#pragma once

namespace tt::tt_metal {

enum class Layout { ROW_MAJOR = 0, TILE = 1, INVALID = 2 };

} // namespace tt::tt_metal
