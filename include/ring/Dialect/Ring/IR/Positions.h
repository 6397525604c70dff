// SPDX-License-Identifier: Apache-2.0
// The arithmetic of positions under the dialect's name: ring/Positions has it,
// for the compiler and the runtime.

#ifndef RING_DIALECT_RING_IR_POSITIONS_H
#define RING_DIALECT_RING_IR_POSITIONS_H

#include "ring/Positions/Band.h"
#include "ring/Positions/Block.h"
#include "ring/Positions/Dilation.h"
#include "ring/Positions/Documents.h"

namespace mlir::ring {

using ::ring::positions::Band;
using ::ring::positions::classify;
using ::ring::positions::countPairs;
using ::ring::positions::Coverage;
using ::ring::positions::DilatedPair;
using ::ring::positions::kMostPositions;
using ::ring::positions::PositionRange;
using ::ring::positions::Positions;
using ::ring::positions::sliceRows;

/// What one device receives from the rank `source` places further round.
struct Transfer {
  int64_t source;
  int64_t bytes;
};

} // namespace mlir::ring

#endif // RING_DIALECT_RING_IR_POSITIONS_H
