// SPDX-License-Identifier: Apache-2.0
//
// Element types.

#pragma once

#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/shape.hpp>

namespace tt::tt_metal {

enum class DataType {
  BFLOAT16 = 0,
  FLOAT32 = 1,
  UINT32 = 2,
  BFLOAT8_B = 3,
  BFLOAT4_B = 4,
  UINT8 = 5,
  UINT16 = 6,
  INT32 = 7,
  FP8_E4M3 = 8,
  INT8 = 9,
  INVALID = 10,
};

} // namespace tt::tt_metal
