// SPDX-License-Identifier: Apache-2.0
//
// Which cores transfer.

#pragma once

#include "ttnn/operations/ccl/ccl_host_types.hpp"
#include <tt-metalium/experimental/fabric/fabric.hpp>

namespace ttnn::ccl {

enum class CoreAllocationStrategy {
  ROW_MAJOR,
  COL_MAJOR,
};

} // namespace ttnn::ccl
