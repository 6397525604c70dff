// SPDX-License-Identifier: Apache-2.0
// Steps that raising an attention and raising its gradients share.

#include "RaiseSteps.h"
#include "SequenceGathers.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

namespace mlir::ring {

Value additiveMask(TTIRBuilder &tensors, Value keep) {
  RankedTensorType type = TTIRBuilder::typeOf(keep);
  Value kept = tensors.full(type.getShape(), type.getElementType(), 0.0f);
  Value hidden = tensors.full(type.getShape(), type.getElementType(),
                              -std::numeric_limits<float>::infinity());
  return tensors.where(keep, kept, hidden);
}

Value ownRows(TTIRBuilder &tensors, Value whole, int64_t axis, int64_t ranks) {
  return tensors.meshPartition(whole, /*dim=*/2, axis, ranks);
}

void replaceTraded(OpBuilder &builder, Value result, Value rowsOfWhole,
                   int64_t axis, tt::ttir::AllToAllOp trade) {
  for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
    if (!isTradeBack(user, axis))
      continue;
    user->getResult(0).replaceAllUsesWith(rowsOfWhole);
    user->erase();
  }
  if (result.use_empty())
    return;
  auto traded = tt::ttir::AllToAllOp::create(
      builder, result.getLoc(), result.getType(), rowsOfWhole,
      trade.getSplitDimAttr(), trade.getConcatDimAttr(),
      trade.getSplitCountAttr(), trade.getReplicaGroupsAttr());
  result.replaceAllUsesWith(traded.getResult());
}

void eraseWithProducers(Operation *op, ArrayRef<Operation *> parts) {
  llvm::SmallSetVector<Operation *, 8> producers;
  auto eraseOne = [&](Operation *dead) {
    for (Value operand : dead->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        producers.insert(producer);
    dead->erase();
  };
  eraseOne(op);
  while (!producers.empty()) {
    Operation *producer = producers.pop_back_val();
    if (isOpTriviallyDead(producer) ||
        (producer->use_empty() && llvm::is_contained(parts, producer)))
      eraseOne(producer);
  }
}

bool haveFourDimensions(Operation *op, ValueRange tensors) {
  for (Value tensor : tensors) {
    RankedTensorType type = TTIRBuilder::typeOf(tensor);
    if (!type.hasStaticShape())
      return leaveAsItIs(op, "dynamic shapes");
    if (type.getRank() != 4)
      return leaveAsItIs(op, "tensors that are not 4-D");
    if (llvm::is_contained(type.getShape(), 0))
      return leaveAsItIs(op, "an empty tensor");
  }
  return true;
}

bool leaveUnparallel(Operation *op) {
  return leaveAsItIs(op,
                     "its sequence is neither gathered nor annotated with " +
                         kParallelAttrName +
                         "; the option sequence-axis names a mesh axis for it");
}

bool leaveOnDevices(Operation *op) {
  return leaveAsItIs(op, "its tensors are one device's own, and no sequence of "
                         "them is gathered");
}

bool leaveAsItIs(Operation *op, const Twine &reason) {
  emitRemark(op->getLoc(), "ring-raise: left as it is: ") << reason;
  return false;
}

} // namespace mlir::ring
