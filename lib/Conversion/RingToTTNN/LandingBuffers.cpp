// SPDX-License-Identifier: Apache-2.0
// Memory that transfers between devices land in.

#include "LandingBuffers.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ring {

namespace ttnn = mlir::tt::ttnn;

/// What an op returns in the memory of its operand, or nothing: a transfer
/// writes into its output, and a reshape may be a view.
static Value resultInMemoryOf(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto transfer = dyn_cast<ttnn::PointToPointOp>(user))
    return transfer.getOptionalOutputTensor() == use.get()
               ? Value(transfer.getResult())
               : Value();
  return isa<ttnn::ReshapeOp>(user) ? Value(user->getResult(0)) : Value();
}

SmallVector<Value> LandingBuffers::valuesIn(Value landing) const {
  SmallVector<Value> values{landing};
  for (size_t next = 0; next < values.size(); ++next)
    for (OpOperand &use : values[next].getUses())
      if (Value result = resultInMemoryOf(use))
        values.push_back(result);
  return values;
}

/// The steps of a ring take two buffers in turns. 4 ranks, one direction, keys
/// and values in one tensor:
///
///   permute own -> A;  permute A -> B;  permute B -> A
///
/// since what lay in A has been read when the third one starts.
void LandingBuffers::share() {
  llvm::DenseMap<Operation *, int64_t> places;
  for (Operation &op : func.getBody().front())
    places[&op] = places.size();

  struct Buffer {
    Value memory;
    int64_t lastUse;
  };
  SmallVector<Buffer> inUse;
  for (Operation *landing : landings) {
    Value memory = landing->getResult(0);
    SmallVector<Value> values = valuesIn(memory);
    int64_t lastUse = 0;
    bool isReturned = false;
    for (Value value : values)
      for (Operation *user : value.getUsers()) {
        lastUse = std::max(lastUse, places.lookup(user));
        isReturned |= isa<func::ReturnOp>(user);
      }
    if (isReturned)
      continue;
    auto *free = llvm::find_if(inUse, [&](const Buffer &buffer) {
      return buffer.memory.getType() == memory.getType() &&
             buffer.lastUse < places.lookup(landing);
    });
    if (free != inUse.end()) {
      memory.replaceAllUsesWith(free->memory);
      landing->erase();
      free->lastUse = lastUse;
      continue;
    }
    landing->moveAfter(landing->getOperand(0).getDefiningOp());
    inUse.push_back({memory, lastUse});
  }
}

} // namespace mlir::ring
