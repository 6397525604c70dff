// SPDX-License-Identifier: Apache-2.0
// The kept rows of spans, packed behind each other and put back: only
// reshapes, slices, pads and concats with constant bounds, in 4 dimensions.

#ifndef RING_LIB_STRATEGIES_DILATEDROWS_H
#define RING_LIB_STRATEGIES_DILATEDROWS_H

#include "ring/Analysis/DilatedGroups.h"
#include "ring/Support/TTIRBuilder.h"

namespace mlir::ring {

/// The rows that `heads` keep of the spans of `pair`, one head of the result
/// for each entry. With spans of `s` rows, `rate` rows become one wide row and
/// a phase is some of its columns:
///
///   rows 0..7, rate 2:  [0 1] [2 3] [4 5] [6 7]  phase 1 -> 1 3 5 7
Value packHeads(TTIRBuilder &tensors, Value shard, ArrayRef<PackedHead> heads,
                const DilatedPair &pair);

/// Packed rows of some heads, all with the same phase.
struct PackedRows {
  int64_t phase;
  Value rows;
};

/// The reverse for the same heads with one or more phases: `rows` rows, with
/// `fill` where none of them has a row.
Value unpackRows(TTIRBuilder &tensors, ArrayRef<PackedRows> packed,
                 const DilatedPair &pair, int64_t rows, float fill);

/// Makes the `spans` spans of packed rows independent of each other: as further
/// heads, or, where several queries share a key head, as further batch entries.
Value foldSpans(TTIRBuilder &tensors, Value packed, int64_t spans,
                bool intoBatch);
/// The reverse, for a batch of `batch` entries.
Value unfoldSpans(TTIRBuilder &tensors, Value folded, int64_t spans,
                  bool intoBatch, int64_t batch);

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_DILATEDROWS_H
