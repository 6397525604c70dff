// SPDX-License-Identifier: Apache-2.0
// What masks say that a pattern or a length says as well.

#ifndef RING_LIB_CONVERSION_TTIRTORING_MASKMEANING_H
#define RING_LIB_CONVERSION_TTIRTORING_MASKMEANING_H

#include "mlir/IR/Value.h"
#include "ring/Dialect/Ring/IR/RingAttrs.h"

#include <optional>
#include <string>

namespace mlir::ring {

/// A mask that is added to scores, taken apart.
struct MaskMeaning {
  /// No query sees a key behind it. Which key that is depends on the row, so
  /// that the rows have to be those of all queries; so do documents.
  bool causal = false;
  /// Documents behind each other end here, and no query sees a key of another
  /// one; empty where there is one document alone. They say all that there is.
  SmallVector<int64_t> documentEnds;
  /// No query sees the keys from this one on.
  std::optional<int64_t> length;
  /// What is to be added beside; null if the others say all.
  Value rest;
  /// Ops without effects that are not needed for what was read.
  SmallVector<Operation *> ops;

  bool saysAll() const { return !rest; }
  /// Whether it is told by the rows of the queries.
  bool isByRow() const { return causal || !documentEnds.empty(); }
};

/// Reads a mask of `[batch or 1, heads or 1, queries or 1, keys]` whose numbers
/// are known, 0 for the keys that a query sees and very low for others, or a
/// sum of such a mask and another one.
MaskMeaning readMask(Value mask);

/// The pattern of a mask that says one by row.
PatternAttrInterface patternOf(MLIRContext *context,
                               const MaskMeaning &meaning);

/// Why documents that a mask says cannot be a pattern; nothing if they can.
std::optional<std::string> misfitOfDocuments(const MaskMeaning &meaning);

/// Whether the mask compares numbers of the running program with themselves, as
/// ids of documents are: queries on one side, keys on the other.
bool comparesIdsOfProgram(Value mask);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_MASKMEANING_H
