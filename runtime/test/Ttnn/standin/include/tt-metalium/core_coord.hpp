// SPDX-License-Identifier: Apache-2.0
//
// Cores and rectangles of them.

#pragma once

#include <tt_stl/span.hpp>
#include <umd/device/types/xy_pair.hpp>

#include <vector>

namespace tt::tt_metal {

using CoreCoord = tt_xy_pair;

class CoreRange {
public:
  CoreCoord start_coord;
  CoreCoord end_coord;
  CoreRange(const CoreCoord &point);
  CoreRange(const CoreCoord &start_coord, const CoreCoord &end_coord);
  bool contains(const CoreCoord &other) const;
};

class CoreRangeSet {
public:
  CoreRangeSet(ttsl::Span<const CoreRange> core_ranges);
  CoreRangeSet(const CoreRange &core_range);
  CoreRangeSet() = default;
  bool contains(const CoreCoord &other) const;
  const std::vector<CoreRange> &ranges() const;

private:
  std::vector<CoreRange> ranges_;
};

} // namespace tt::tt_metal
