// SPDX-License-Identifier: Apache-2.0
// Inside a lowered program a row without keys has a very low, finite
// log-sum-exp. Who asked for the log-sum-exps is promised -inf.

#include "Patterns.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/DenseSet.h"

#include <limits>

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

/// Whether the op hands log-sum-exps on as they are.
static bool passesOn(Operation *op) {
  return isa<SelectOp, ShiftOp, AllGatherOp, AllToAllOp, GatherOp, RelayoutOp,
             RouteOp, ttir::SliceStaticOp, ttir::ConcatOp, ttir::ReshapeOp,
             ttir::PadOp>(op);
}

/// `lse` with -inf for everything that only an empty row can have.
static Value withInfinity(OpBuilder &builder, Location loc, Value lse) {
  TTIRBuilder tensors(builder, loc);
  ArrayRef<int64_t> shape = TTIRBuilder::typeOf(lse).getShape();
  Type f32 = builder.getF32Type();
  Value isEmpty =
      tensors.lessThan(lse, tensors.full(shape, f32, kEmptyLse / 10));
  return tensors.where(
      isEmpty,
      tensors.full(shape, f32, -std::numeric_limits<float>::infinity()), lse);
}

void restoreInfinityOfLeavingLses(ModuleOp module) {
  SmallVector<Value> worklist;
  module.walk([&](Operation *op) {
    auto composite = dyn_cast<tt::ttcore::CompositeOp>(op);
    bool isLaunch =
        composite && composite.getCompositeName() == kLaunchComposite;
    if (isLaunch || isa<PartialOp, MergeOp, EmptyOp>(op))
      worklist.push_back(op->getResult(1));
  });
  llvm::SmallDenseSet<Value> seen(worklist.begin(), worklist.end());
  while (!worklist.empty()) {
    Value lse = worklist.pop_back_val();
    SmallVector<OpOperand *> leaving;
    for (OpOperand &use : lse.getUses()) {
      Operation *user = use.getOwner();
      if (isa<MergeOp>(user))
        continue;
      if (!passesOn(user)) {
        leaving.push_back(&use);
        continue;
      }
      Value result = isa<ShiftOp>(user)
                         ? user->getResult(use.getOperandNumber())
                         : user->getResult(0);
      if (seen.insert(result).second)
        worklist.push_back(result);
    }
    if (leaving.empty())
      continue;
    OpBuilder builder(lse.getContext());
    builder.setInsertionPointAfterValue(lse);
    Value restored = withInfinity(builder, lse.getLoc(), lse);
    for (OpOperand *use : leaving)
      use->set(restored);
  }
}

} // namespace mlir::ring
