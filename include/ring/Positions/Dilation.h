// SPDX-License-Identifier: Apache-2.0
// Dilated attention: which rows attend to each other. Segments of the sequence
// attend within themselves, every r-th row; pairs of a segment length and a
// rate serve different heads, or all heads and are mixed.

#ifndef RING_POSITIONS_DILATION_H
#define RING_POSITIONS_DILATION_H

#include "ring/Positions/Positions.h"

#include <optional>
#include <string>

namespace ring::positions {

// The numbering is that of the ring dialect and of program files.
enum class Segmentation : int64_t { Tiled, Concat, Prefix };
enum class DilationPhase : int64_t {
  Group,
  HeadMod,
  HeadBlock,
  AllResidues,
  Zero
};
enum class DilationMix : int64_t { HeadPartition, Lse, Mean };
enum class ExtraHeads : int64_t { First, Last };
enum class DilationNorm : int64_t { Groups, None };
enum class ShortSequence : int64_t { Error, Skip, Clamp };

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

/// Rows `begin, begin + rate, ...`, `count` of them, in each of `chunks` chunks
/// that start `chunkStep` rows apart: all of them attend to each other.
struct DilatedRows {
  int64_t pair;
  int64_t begin;
  int64_t count;
  int64_t rate;
  int64_t chunks = 1;
  int64_t chunkStep = 0;

  /// The first row in a chunk.
  int64_t beginOf(int64_t chunk) const { return begin + chunk * chunkStep; }
  /// How many of its rows in a chunk are before `limit`.
  int64_t countBefore(int64_t chunk, int64_t limit) const;
};

/// #ring.dilated: the pattern, for sequences of any length and any heads. Whose
/// lists these are must outlive it.
struct Dilation {
  Span<int64_t> segments, rates;
  Segmentation segmentation = Segmentation::Tiled;
  int64_t chunks = 1;
  DilationPhase phase = DilationPhase::Group;
  DilationMix mix = DilationMix::HeadPartition;
  ExtraHeads extra = ExtraHeads::First;
  DilationNorm norm = DilationNorm::Groups;
  ShortSequence shorter = ShortSequence::Error;
  bool causal = false;

  /// Why there is no such pattern; nothing if there is.
  std::optional<std::string> misfit() const;
  /// Why the segments do not fit a sequence of `length` rows.
  std::optional<std::string> misfitOf(int64_t length) const;

  /// The pair with this number over `length` rows, or nothing where the
  /// sequence is too short for it and it is skipped.
  std::optional<DilatedPair> pairOf(int64_t pair, int64_t length) const;
  /// The heads that the pair with this number serves: from the first to before
  /// the second.
  std::pair<int64_t, int64_t> headsOf(int64_t pair, int64_t heads) const;
  /// The residues modulo the rate, below `span`, that `head` of `heads` keeps
  /// of the pair.
  std::vector<int64_t> phasesOf(int64_t pair, int64_t head, int64_t heads,
                                int64_t span) const;
  /// The sets of rows of one head.
  std::vector<DilatedRows> rowsOf(int64_t head, int64_t heads,
                                  int64_t length) const;
  /// The most rows of one chunk that attend to each other.
  int64_t largestSet(int64_t length) const;
  /// The mean of the pairs, not their merge.
  bool averages() const { return mix == DilationMix::Mean; }
  /// What the sum of a head's pairs is divided by.
  int64_t divisor() const;
  /// (Query, key) pairs of all heads of one batch entry. Keys from `keyLimit`
  /// on are padding.
  int64_t countPairs(int64_t heads, int64_t length,
                     std::optional<int64_t> keyLimit = std::nullopt) const;
};

} // namespace ring::positions

#endif // RING_POSITIONS_DILATION_H
