// SPDX-License-Identifier: Apache-2.0
// Checks that every op that attends shares: how query, key, value, mask, sink,
// output and log-sum-exp fit together.

#ifndef RING_LIB_DIALECT_RING_IR_ATTENTIONSHAPES_H
#define RING_LIB_DIALECT_RING_IR_ATTENTIONSHAPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "ring/Dialect/Ring/IR/RingAttrs.h"

namespace mlir::ring {

/// Query `[B,Hq,Sq,D]`, key `[B,Hkv,Sk,D]`, value `[B,Hkv,Sk,Dv]`; Hkv divides
/// Hq. A paged key or value has blocks in place of batch and keys, so there
/// only heads and dims are checked.
LogicalResult verifyQueryKeyValue(Operation *op, RankedTensorType query,
                                  RankedTensorType key, RankedTensorType value,
                                  bool paged = false);

/// `what` has exactly the expected shape.
LogicalResult verifyShape(Operation *op, StringRef what,
                          ArrayRef<int64_t> shape, ArrayRef<int64_t> expected);

/// An additive mask `[1 or B, 1 or Hq, 1 or Sq, Sk]`.
LogicalResult verifyMask(Operation *op, RankedTensorType mask,
                         RankedTensorType query, RankedTensorType key);

/// Integers `[1 or batch, rows]`.
LogicalResult verifyPositions(Operation *op, StringRef what,
                              RankedTensorType positions, int64_t batch,
                              int64_t rows);

/// The ends of documents, and what does not go with them: `other`, if there is
/// such.
LogicalResult verifyDocuments(Operation *op, RankedTensorType ends,
                              PatternAttrInterface pattern, StringRef other);

/// One logit per head: `[1, heads, 1, 1]`.
LogicalResult verifySink(Operation *op, RankedTensorType sink, int64_t heads);

} // namespace mlir::ring

#endif // RING_LIB_DIALECT_RING_IR_ATTENTIONSHAPES_H
