// SPDX-License-Identifier: Apache-2.0
//
// The generations of chips.

#pragma once

namespace tt {

enum class ARCH {
  WORMHOLE_B0 = 2,
  BLACKHOLE = 3,
  QUASAR = 4,
  Invalid = 0xFF,
};

} // namespace tt
