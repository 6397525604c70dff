// SPDX-License-Identifier: Apache-2.0
//
// What sizes are rounded up to.

#pragma once

#include <tt-metalium/shape_base.hpp>

namespace tt::tt_metal {

class Alignment final : protected ShapeBase {
public:
  using ShapeBase::ShapeBase;
};

} // namespace tt::tt_metal
