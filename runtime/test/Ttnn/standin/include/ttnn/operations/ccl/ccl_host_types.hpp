// SPDX-License-Identifier: Apache-2.0
//
// How devices are joined, under ttnn's name.

#pragma once

#include <tt-metalium/experimental/fabric/fabric_edm_types.hpp>

namespace ttnn {
namespace ccl {

using tt::tt_fabric::Topology;

} // namespace ccl
} // namespace ttnn
