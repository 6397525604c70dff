// SPDX-License-Identifier: Apache-2.0
//
// How exactly the matrix unit multiplies.

#pragma once

#include <cstdint>

namespace tt::tt_metal {

enum class MathFidelity : uint8_t {
  LoFi = 0,
  HiFi2 = 2,
  HiFi3 = 3,
  HiFi4 = 4,
  Invalid = 0xff,
};

} // namespace tt::tt_metal
