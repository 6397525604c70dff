// SPDX-License-Identifier: Apache-2.0
// Additive masks computed on the device from what its rank may reach.

#ifndef RING_LIB_STRATEGIES_SPLITBLOCKS_RANKMASK_H
#define RING_LIB_STRATEGIES_SPLITBLOCKS_RANKMASK_H

#include "BlockPieces.h"
#include "ring/Support/TTIRBuilder.h"

namespace mlir::ring {

/// A mask `[1, 1, queries or 1, keys]` in f32 for `piece`: 0 for a key that the
/// query attends to, else -inf. Bounds that differ from rank to rank come from
/// a table that is split over `axis`; ranks that compute nothing get any mask.
/// `axis` may be null where all ranks are alike.
Value buildRankMask(OpBuilder &builder, Location loc, const BlockPiece &piece,
                    AxisAttr axis);

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_SPLITBLOCKS_RANKMASK_H
