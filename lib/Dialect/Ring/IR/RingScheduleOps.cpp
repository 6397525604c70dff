// SPDX-License-Identifier: Apache-2.0
// Transfers with a start and a wait: constraints and what they move.

#include "TransferShapes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::ring {

/// The buffer operand of a start op with one of them.
static OperandRange lastOperand(Operation *op) {
  return op->getOperands().take_back(1);
}

//===----------------------------------------------------------------------===//
// Starts
//===----------------------------------------------------------------------===//

LogicalResult StartShiftOp::verify() {
  if (getInputs().empty())
    return emitOpError("expects at least one tensor");
  if (getInputs().size() != getBuffers().size())
    return emitOpError("expects one buffer for each of ")
           << getInputs().size() << " tensors, but got " << getBuffers().size();
  llvm::SmallPtrSet<void *, 4> seen;
  for (auto [input, buffer] : llvm::zip_equal(getInputs(), getBuffers())) {
    auto landing = cast<BufferType>(buffer.getType()).getTensorType();
    auto tensor = cast<RankedTensorType>(input.getType());
    if (tensor.getShape() != landing.getShape() ||
        tensor.getElementType() != landing.getElementType())
      return emitOpError("expects a buffer for ")
             << tensor << ", but got " << buffer.getType();
    if (!seen.insert(buffer.getAsOpaquePointer()).second)
      return emitOpError("expects a buffer of its own for every tensor");
  }
  return verifyReaching(*this, getReachingAttr(), getAxis());
}
SmallVector<Transfer> StartShiftOp::getTransfers() {
  return shiftTransfers(getInputs().getTypes(), getByAttr().getInt(),
                        getAxis());
}
OperandRange StartShiftOp::getLandings() { return getBuffers(); }

LogicalResult StartAllGatherOp::verify() {
  return verifyAllGather(*this, getInput().getType(),
                         getBuffer().getType().getTensorType(),
                         getDimAttr().getInt(), getAxis());
}
SmallVector<Transfer> StartAllGatherOp::getTransfers() {
  return allGatherTransfers(getInput().getType(), getAxis());
}
OperandRange StartAllGatherOp::getLandings() { return lastOperand(*this); }

LogicalResult StartAllToAllOp::verify() {
  return verifyAllToAll(
      *this, getInput().getType(), getBuffer().getType().getTensorType(),
      getSplitAttr().getInt(), getConcatAttr().getInt(), getAxis());
}
SmallVector<Transfer> StartAllToAllOp::getTransfers() {
  return allToAllTransfers(getInput().getType(), getAxis());
}
OperandRange StartAllToAllOp::getLandings() { return lastOperand(*this); }

LogicalResult StartGatherOp::verify() {
  return verifyGather(*this, getInput().getType(),
                      getBuffer().getType().getTensorType(),
                      getDimAttr().getInt(), getParts());
}
SmallVector<Transfer> StartGatherOp::getTransfers() {
  return gatherTransfers(getInput().getType(), getDimAttr().getInt(),
                         getParts(), getAxis());
}
OperandRange StartGatherOp::getLandings() { return lastOperand(*this); }

LogicalResult StartRouteOp::verify() {
  return verifyRoute(*this, getInput().getType(),
                     getBuffer().getType().getTensorType(),
                     getDimAttr().getInt(), getLegs(), getAxis());
}
SmallVector<Transfer> StartRouteOp::getTransfers() {
  return routeTransfers(getInput().getType(), getDimAttr().getInt(), getLegs(),
                        getAxis());
}
OperandRange StartRouteOp::getLandings() { return lastOperand(*this); }

//===----------------------------------------------------------------------===//
// WaitOp
//===----------------------------------------------------------------------===//

LogicalResult WaitOp::verify() {
  auto start = getToken().getDefiningOp<StartOpInterface>();
  if (!start)
    return emitOpError("expects a token of a ring.start_* op");
  for (Operation *user : getToken().getUsers())
    if (user != getOperation() && isa<WaitOp>(user)) {
      auto diagnostic =
          emitOpError("expects to be the only wait for its token");
      diagnostic.attachNote(user->getLoc()) << "also waited for here";
      return diagnostic;
    }
  SmallVector<Type> expected;
  for (Value buffer : start.getLandings())
    expected.push_back(cast<BufferType>(buffer.getType()).getTensorType());
  if (TypeRange(expected) == getResultTypes())
    return success();
  auto diagnostic = emitOpError("expects the tensors that were started, ")
                    << TypeRange(expected) << ", but got " << getResultTypes();
  diagnostic.attachNote(start->getLoc()) << "started here";
  return diagnostic;
}

} // namespace mlir::ring
