// SPDX-License-Identifier: Apache-2.0
// What raising an attention and raising its gradients have in common.

#ifndef RING_LIB_CONVERSION_TTIRTORING_RAISESTEPS_H
#define RING_LIB_CONVERSION_TTIRTORING_RAISESTEPS_H

#include "ring/Dialect/Ring/IR/RingAttrs.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

/// Turns a mask of 1 for keep and 0 for drop into one to be added to scores.
Value additiveMask(TTIRBuilder &tensors, Value keep);

/// The rows of `whole` that belong to this device of mesh axis `axis`.
Value ownRows(TTIRBuilder &tensors, Value whole, int64_t axis, int64_t ranks);

/// A result that a device had of its own heads, which it trades over `axis`:
/// users that trade it back get its rows of `whole`, others those rows traded
/// as `trade` does.
void replaceTraded(OpBuilder &builder, Value result, Value rowsOfWhole,
                   int64_t axis, tt::ttir::AllToAllOp trade);

/// Erases an op without users, and all that fed only it: ops without effects,
/// and those of `parts`, of which none is known to have any.
void eraseWithProducers(Operation *op, ArrayRef<Operation *> parts = {});

/// Whether all `tensors` are 4-D, of known sizes and not empty; says why the
/// attention stays as it is where one is not.
bool haveFourDimensions(Operation *op, ValueRange tensors);

/// Says why an attention stays as it is. Always false, to be returned.
bool leaveAsItIs(Operation *op, const Twine &reason);

/// Says that an attention stays as it is since nothing distributes it. Always
/// false.
bool leaveUnparallel(Operation *op);

/// Says that an attention stays as it is since an annotation speaks of whole
/// tensors and its tensors are one device's. Always false.
bool leaveOnDevices(Operation *op);

/// Whether `op` is an attention over a cache.
bool isCacheAttention(Operation *op);

/// Replaces an attention over a cache which `annotation` asks to distribute, or
/// whose cache is gathered; says why where it does not. The annotation may be
/// null.
void raiseCacheAttention(Operation *op, ParallelAttr annotation);

/// Replaces the gradients of an attention whose query, key, value and gradient
/// of the output are gathered, or which `annotation` asks to distribute; says
/// why where it does not. The annotation may be null.
void raiseBackward(tt::ttir::SDPABackwardOp op, ParallelAttr annotation);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_RAISESTEPS_H
