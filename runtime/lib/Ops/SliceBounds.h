// SPDX-License-Identifier: Apache-2.0
//
// The bounds of a slice, with negative ones resolved.

#ifndef RING_RUNTIME_OPS_SLICEBOUNDS_H
#define RING_RUNTIME_OPS_SLICEBOUNDS_H

#include "Ops/OpTypes.h"

namespace ring::rt {

/// Element i of dimension d of the slice is element begins[d] + i * steps[d].
/// Worked example: begin -3, end 0, step -2 on a dimension of 10 begins at 7
/// and takes 7, 5, 3, 1: ceil((7 - 0) / 2) = 4.
struct SliceBounds {
  std::vector<int64_t> begins;
  std::vector<int64_t> steps;
  Shape sizes;

  static Result<SliceBounds> get(const OpTypes &types);
};

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_SLICEBOUNDS_H
