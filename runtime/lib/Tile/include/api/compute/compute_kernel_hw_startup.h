// SPDX-License-Identifier: Apache-2.0
//
// The first call of a compute kernel, on the host.

#pragma once

#include "api/compute/common.h"

enum class SrcOrder { Regular, Reverse };

template <SrcOrder src_order = SrcOrder::Regular>
inline void
compute_kernel_hw_startup(uint32_t icb0, uint32_t icb1, uint32_t ocb,
                          At at = {__builtin_FILE(), __builtin_LINE()}) {
  if (src_order == SrcOrder::Reverse)
    ring::tile::startMath(icb1, icb0, ocb, at);
  else
    ring::tile::startMath(icb0, icb1, ocb, at);
}
