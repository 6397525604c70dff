// SPDX-License-Identifier: Apache-2.0
//
// How devices are joined.

#pragma once

namespace tt::tt_fabric {

enum class Topology {
  NeighborExchange = 0,
  Linear = 1,
  Ring = 2,
  Mesh = 3,
  Torus = 4
};

} // namespace tt::tt_fabric
