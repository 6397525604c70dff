// SPDX-License-Identifier: Apache-2.0
// How the dimensions of a tensor are joined into those of a grid.

#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

using namespace mlir;

AffineMap mlir::tt::ttcore::collapsedLinearAffineMap(
    MLIRContext *context, ArrayRef<int64_t> shape, ArrayRef<int64_t> gridShape,
    ArrayRef<std::pair<std::int64_t, std::int64_t>> collapseIntervals) {
  int64_t rank = shape.size();

  // Each dimension starts as a group of its own; an interval joins its members
  // to the group of its last one. Row-major: the last dimension of a group has
  // stride 1, the one before it the last one's size, and so on.
  SmallVector<int64_t> groupOf(rank);
  for (int64_t d = 0; d < rank; ++d)
    groupOf[d] = d;
  for (auto [begin, end] : collapseIntervals) {
    int64_t first = begin < 0 ? begin + rank : begin;
    int64_t last = (end < 0 ? end + rank : end) - 1;
    for (int64_t d = first; d < last; ++d)
      groupOf[d] = last;
  }

  SmallVector<AffineExpr> results;
  for (int64_t d = 0; d < rank; ++d) {
    if (groupOf[d] != d)
      continue;
    AffineExpr joined = getAffineConstantExpr(0, context);
    int64_t stride = 1;
    for (int64_t member = d; member >= 0; --member) {
      if (groupOf[member] != d)
        continue;
      joined = getAffineDimExpr(member, context) * stride + joined;
      stride *= shape[member];
    }
    results.push_back(joined);
  }

  // A tensor with fewer dimensions than the grid lies in its first rows.
  while (results.size() < gridShape.size())
    results.insert(results.begin(), getAffineConstantExpr(0, context));
  return simplifyAffineMap(AffineMap::get(rank, 0, results, context));
}
