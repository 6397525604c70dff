// SPDX-License-Identifier: Apache-2.0
// Where a block is cut so that its pieces are square: what the device's kernel
// takes without scores in memory. Only arithmetic.

#ifndef RING_LIB_STRATEGIES_SPLITBLOCKS_SQUARECUTS_H
#define RING_LIB_STRATEGIES_SPLITBLOCKS_SQUARECUTS_H

#include "RowPiece.h"
#include "ring/Dialect/Ring/IR/Positions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::ring {

/// Some rows of the queries against some rows of the keys.
struct RowPair {
  RowPiece queries;
  RowPiece keys;
};

/// The positions of a block's queries and keys, on one rank.
using BlockPositions = std::pair<Positions, Positions>;

/// Cuts a block into pairs of rows, the same on every rank. The ranges of
/// `positions`, one entry per rank, are never joined. Within them
///
/// - rows that no rank's band reaches are left out: queries before a window's
///   halo meet none of its keys;
/// - a window much narrower than the block is followed along its diagonal;
/// - whichever side is longer is cut into pieces as long as the other: 2560
///   queries, 512 of them joint, against 2048 keys are 2048 x 2048 and four
///   times 512 x 512. What is left over is one piece that is not square.
///
/// Every query is in at least one pair.
llvm::SmallVector<RowPair> cutSquares(llvm::ArrayRef<BlockPositions> positions,
                                      const Band &band);

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_SPLITBLOCKS_SQUARECUTS_H
