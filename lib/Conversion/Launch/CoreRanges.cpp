// SPDX-License-Identifier: Apache-2.0

#include "CoreRanges.h"

#include <algorithm>
#include <tuple>

namespace mlir::ring {

std::vector<CoreRectangle>
rectanglesOf(std::vector<::ring::rt::DeviceCore> cores) {
  std::sort(cores.begin(), cores.end(), [](auto a, auto b) {
    return std::tie(a.y, a.x) < std::tie(b.y, b.x);
  });
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  std::vector<CoreRectangle> rows, merged;
  for (::ring::rt::DeviceCore core : cores) {
    if (!rows.empty() && rows.back().last.y == core.y &&
        rows.back().last.x + 1 == core.x)
      rows.back().last.x = core.x;
    else
      rows.push_back({core, core});
  }
  for (const CoreRectangle &row : rows) {
    auto above = std::find_if(
        merged.begin(), merged.end(), [&](const CoreRectangle &one) {
          return one.first.x == row.first.x && one.last.x == row.last.x &&
                 one.last.y + 1 == row.first.y;
        });
    if (above != merged.end())
      above->last.y = row.last.y;
    else
      merged.push_back(row);
  }
  return merged;
}

} // namespace mlir::ring
