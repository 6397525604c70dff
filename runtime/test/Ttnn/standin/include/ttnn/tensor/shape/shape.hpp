// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a tensor, under ttnn's name.

#pragma once

#include <tt-metalium/shape.hpp>

namespace ttnn {
using tt::tt_metal::Shape;
} // namespace ttnn
