// SPDX-License-Identifier: Apache-2.0
//
// How far compute is slowed down.

#pragma once

#include <cstdint>

namespace ttnn::operations::compute_throttle_utils {

enum class ThrottleLevel : uint32_t {
  NO_THROTTLE = 0,
  LEVEL_1 = 1,
  LEVEL_2 = 2,
  LEVEL_3 = 3,
  LEVEL_4 = 4,
  LEVEL_5 = 5
};

} // namespace ttnn::operations::compute_throttle_utils
