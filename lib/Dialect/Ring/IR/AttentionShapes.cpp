// SPDX-License-Identifier: Apache-2.0
// How query, key, value, mask, sink, output and log-sum-exp fit together.

#include "AttentionShapes.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::ring {

LogicalResult verifyQueryKeyValue(Operation *op, RankedTensorType query,
                                  RankedTensorType key, RankedTensorType value,
                                  bool paged) {
  if (!paged && (key.getDimSize(0) != query.getDimSize(0) ||
                 value.getDimSize(0) != query.getDimSize(0)))
    return op->emitOpError("expects key and value to have the query's batch ")
           << query.getDimSize(0) << ", but got " << key.getDimSize(0)
           << " and " << value.getDimSize(0);
  if (key.getDimSize(3) != query.getDimSize(3))
    return op->emitOpError("expects the key to have the query's dim ")
           << query.getDimSize(3) << ", but got " << key.getDimSize(3);
  if (key.getShape().take_front(3) != value.getShape().take_front(3))
    return op->emitOpError("expects value to have the key's heads and rows [")
           << key.getShape().take_front(3) << "], but got ["
           << value.getShape().take_front(3) << "]";
  if (query.getDimSize(1) % key.getDimSize(1) != 0)
    return op->emitOpError("expects the key heads to divide the ")
           << query.getDimSize(1) << " query heads, but got "
           << key.getDimSize(1);
  return success();
}

LogicalResult verifyShape(Operation *op, StringRef what,
                          ArrayRef<int64_t> shape, ArrayRef<int64_t> expected) {
  if (shape == expected)
    return success();
  return op->emitOpError("expects the ")
         << what << " to be [" << expected << "], but got [" << shape << "]";
}

LogicalResult verifyMask(Operation *op, RankedTensorType mask,
                         RankedTensorType query, RankedTensorType key) {
  bool fits = mask.getDimSize(3) == key.getDimSize(2);
  for (int64_t dim : {0, 1, 2})
    fits &= mask.getDimSize(dim) == 1 ||
            mask.getDimSize(dim) == query.getDimSize(dim);
  if (fits)
    return success();
  return op->emitOpError("expects a mask of [1 or ")
         << query.getDimSize(0) << ", 1 or " << query.getDimSize(1) << ", 1 or "
         << query.getDimSize(2) << ", " << key.getDimSize(2) << "], but got ["
         << mask.getShape() << "]";
}

LogicalResult verifyPositions(Operation *op, StringRef what,
                              RankedTensorType positions, int64_t batch,
                              int64_t rows) {
  bool fits =
      positions.getRank() == 2 && positions.getDimSize(1) == rows &&
      (positions.getDimSize(0) == 1 || positions.getDimSize(0) == batch);
  if (fits && positions.getElementType().isInteger())
    return success();
  return op->emitOpError("expects the positions of ")
         << what << " to be integers of [1 or " << batch << ", " << rows
         << "], but got " << positions;
}

LogicalResult verifyDocuments(Operation *op, RankedTensorType ends,
                              PatternAttrInterface pattern, StringRef other) {
  if (ends.getRank() != 1 || !ends.getElementType().isInteger())
    return op->emitOpError("expects the ends of documents to be a list of "
                           "integers, but got ")
           << ends;
  if (!other.empty())
    return op->emitOpError("expects documents without a mask, a start or a "
                           "length, but got ")
           << other;
  if (pattern && !isa<CausalAttr>(pattern))
    return op->emitOpError("expects documents with no other pattern than a "
                           "causal one, but got ")
           << pattern;
  return success();
}

LogicalResult verifySink(Operation *op, RankedTensorType sink, int64_t heads) {
  return verifyShape(op, "sink", sink.getShape(), {1, heads, 1, 1});
}

} // namespace mlir::ring
