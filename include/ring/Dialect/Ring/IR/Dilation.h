// SPDX-License-Identifier: Apache-2.0
// What #ring.dilated means for a sequence of some length and some heads: which
// rows of which segments a head keeps, and how many pairs that makes.

#ifndef RING_DIALECT_RING_IR_DILATION_H
#define RING_DIALECT_RING_IR_DILATION_H

#include "ring/Dialect/Ring/IR/RingAttrs.h"

#include <optional>
#include <string>

namespace mlir::ring {

/// One pair of a segment length and a rate over a whole sequence: `count` spans
/// of `span` rows from row `begin` on. With phase p the rows p, p + rate, ...
/// of a span are kept, at most `most` of them.
///
///   16 rows, tiled segments of 8, rate 3, phase 1: 1 4 7 | 9 12 15
struct DilatedPair {
  int64_t begin;
  int64_t span;
  int64_t count;
  int64_t rate;
  int64_t most;
  /// The rows of all spans attend to each other; else each span is alone.
  bool joined;

  /// How many rows of a span are kept.
  int64_t rowsOf(int64_t phase) const;
};

/// Why the segments do not fit a sequence of `length` rows; nothing if they do.
std::optional<std::string> misfitOf(DilatedAttr dilated, int64_t length);

/// The pair with this number over `length` rows, or nothing where the sequence
/// is too short for it and it is skipped.
std::optional<DilatedPair> pairOf(DilatedAttr dilated, int64_t pair,
                                  int64_t length);

/// The heads that the pair with this number serves: from the first to before
/// the second.
std::pair<int64_t, int64_t> headsOf(DilatedAttr dilated, int64_t pair,
                                    int64_t heads);

/// The residues modulo the rate, below `span`, that `head` of `heads` keeps of
/// the pair.
SmallVector<int64_t> phasesOf(DilatedAttr dilated, int64_t pair, int64_t head,
                              int64_t heads, int64_t span);

/// What the sum of a head's pairs is divided by.
int64_t divisorOf(DilatedAttr dilated);

/// (Query, key) pairs of all heads of one batch entry. Keys from `keyLimit` on
/// are padding.
int64_t countPairs(DilatedAttr dilated, int64_t heads, int64_t length,
                   std::optional<int64_t> keyLimit = std::nullopt);

} // namespace mlir::ring

#endif // RING_DIALECT_RING_IR_DILATION_H
