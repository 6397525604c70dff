// SPDX-License-Identifier: Apache-2.0
// The pattern of a block whose rows are listed by device, as an additive mask
// that every device computes from its own positions.

#ifndef RING_LIB_TRANSFORMS_SPLITBLOCKS_PLACESMASK_H
#define RING_LIB_TRANSFORMS_SPLITBLOCKS_PLACESMASK_H

#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Support/TTIRBuilder.h"

#include <string>

namespace mlir::ring {

/// Why the positions of a block cannot be numbers of a mask; nothing if they
/// can.
std::optional<std::string> misfitOfPlaces(BlockAttr block);

/// 0 where a query of this device sees a key, -inf elsewhere: `[1, 1, queries,
/// keys]` of f32. Keys from `limit` on are padding.
Value buildPlacesMask(OpBuilder &builder, Location loc, BlockAttr block,
                      const Band &band, std::optional<int64_t> limit);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_SPLITBLOCKS_PLACESMASK_H
