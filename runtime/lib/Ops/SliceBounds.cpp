// SPDX-License-Identifier: Apache-2.0
//
// Resolves and checks the bounds of a slice.

#include "Ops/SliceBounds.h"

namespace ring::rt {

Result<SliceBounds> SliceBounds::get(const OpTypes &types) {
  const Shape &shape = types.input(0)->shape;
  const std::vector<int64_t> &begins = types.ints("begins");
  const std::vector<int64_t> &ends = types.ints("ends");
  const std::vector<int64_t> &steps = types.ints("steps");
  if (begins.size() != shape.size() || ends.size() != shape.size() ||
      steps.size() != shape.size())
    return error("expects ", shape.size(), " begins, ends and steps, but got ",
                 begins.size(), ", ", ends.size(), " and ", steps.size());
  SliceBounds bounds;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t size = shape[i], begin = begins[i], end = ends[i], step = steps[i];
    if (begin < 0 && begin >= -size)
      begin += size;
    if (end < 0 && end >= -size)
      end += size;
    bool inside = step > 0 ? begin >= 0 && end <= size && begin < end
                           : begin < size && end >= 0 && begin > end;
    if (step == 0 || step < -size || step > (int64_t(1) << 40) || !inside)
      return error("expects a slice within dimension ", i, " of ", size,
                   ", but got ", begins[i], " to ", ends[i], " by ", steps[i]);
    int64_t span = step > 0 ? end - begin : begin - end;
    int64_t stride = step > 0 ? step : -step;
    bounds.begins.push_back(begin);
    bounds.steps.push_back(step);
    bounds.sizes.push_back((span + stride - 1) / stride);
  }
  return bounds;
}

} // namespace ring::rt
