// SPDX-License-Identifier: Apache-2.0
// Positions one by one, for tests that go through all of them.

#ifndef RING_UNITTESTS_POSITIONS_EXPAND_H
#define RING_UNITTESTS_POSITIONS_EXPAND_H

#include "ring/Positions/Positions.h"

namespace ring::positions {

inline std::vector<int64_t> expand(const Positions &positions) {
  std::vector<int64_t> all;
  for (const PositionRange &range : positions)
    for (int64_t i = 0; i < range.size; ++i)
      all.push_back(range.begin + i * range.stride);
  return all;
}

} // namespace ring::positions

#endif // RING_UNITTESTS_POSITIONS_EXPAND_H
