// SPDX-License-Identifier: Apache-2.0
// What MLIR needs to know of a memref layout: its affine map.

#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

using namespace mlir;
using namespace mlir::tt::ttcore;

/// Adds the offset of dimensions `first`, `first + 1`, ... with `strides`.
static AffineExpr linearOffset(ArrayRef<int64_t> strides, unsigned first,
                               MLIRContext *context) {
  AffineExpr offset = getAffineConstantExpr(0, context);
  for (unsigned i = 0; i < strides.size(); ++i)
    offset = offset + getAffineDimExpr(first + i, context) * strides[i];
  return offset;
}

/// Grid coordinates as they are, shard coordinates as a byte offset. For
/// strides 4x2: (d0, d1, d2, d3) -> (d0, d1, d2 * 4 + d3 * 2).
static AffineMap gridAndOffset(ArrayRef<int64_t> strides,
                               MLIRContext *context) {
  unsigned rank = strides.size();
  SmallVector<AffineExpr> results;
  for (unsigned d = 0; d < rank; ++d)
    results.push_back(getAffineDimExpr(d, context));
  results.push_back(linearOffset(strides, rank, context));
  return AffineMap::get(2 * rank, 0, results, context);
}

AffineMap ViewLayoutAttr::getAffineMap() const {
  return AffineMap::getMultiDimIdentityMap(getRank(), getContext());
}

AffineMap ShardLayoutAttr::getAffineMap() const {
  return gridAndOffset(getStride(), getContext());
}

AffineMap InterleavedLayoutAttr::getAffineMap() const {
  return gridAndOffset(getStride(), getContext());
}

/// The strides say where the hardware wraps, not how the memref is indexed.
AffineMap CBLayoutAttr::getAffineMap() const {
  return AffineMap::getMultiDimIdentityMap(getStride().size(), getContext());
}

AffineMap HostLayoutAttr::getAffineMap() const {
  return AffineMap::get(getLogicalShape().size(), 0,
                        linearOffset(getHostStrides(), 0, getContext()));
}

LogicalResult
HostLayoutAttr::getStridesAndOffset(ArrayRef<int64_t> shape,
                                    SmallVectorImpl<int64_t> &strides,
                                    int64_t &offset) const {
  strides.assign(getHostStrides().begin(), getHostStrides().end());
  offset = 0;
  return success(strides.size() == shape.size());
}
