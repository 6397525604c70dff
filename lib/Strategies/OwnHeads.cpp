// SPDX-License-Identifier: Apache-2.0
// Chooses heads by rank, in as few choices as there are different ones.

#include "ring/Strategies/OwnHeads.h"
#include "ring/Support/TTIRBuilder.h"

#include <algorithm>

namespace mlir::ring {

static constexpr int64_t kHeads = 1;
static constexpr int64_t kNone = ShardingAttr::kReplicated;

/// 2 heads on 4 ranks:
///
///   select(head 1, head 0) where [false, false, true, true]
///
/// Each head is cut out only where it is chosen, so that one is there beside
/// the choice so far, and not all of them.
Value ownHeads(OpBuilder &builder, Location loc, Value everyHead,
               AxisAttr axis) {
  TTIRBuilder tensors(builder, loc);
  int64_t heads = TTIRBuilder::typeOf(everyHead).getDimSize(kHeads);
  int64_t ranks = axis.getRanks(), size = std::max<int64_t>(heads / ranks, 1);
  Value own = tensors.slice(everyHead, kHeads, 0, size);
  for (int64_t first = size; first < heads; first += size) {
    SmallVector<bool> choice;
    for (int64_t rank = 0; rank < ranks; ++rank)
      choice.push_back(rank * heads / ranks == first);
    own =
        SelectOp::create(builder, loc, own.getType(),
                         tensors.slice(everyHead, kHeads, first, first + size),
                         own, choice, axis);
  }
  return own;
}

int64_t splittingAxis(RankedTensorType whole, int64_t axis,
                      ArrayRef<int64_t> mesh) {
  bool shared = axis != kNone && whole.getDimSize(kHeads) % mesh[axis] != 0;
  return shared ? kNone : axis;
}

} // namespace mlir::ring
