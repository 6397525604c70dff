// SPDX-License-Identifier: Apache-2.0
//
// Dilated attention: which rows attend to each other. Segments of the sequence
// attend within themselves, every r-th row; pairs of a segment length and a
// rate serve different heads, or all heads and are mixed.

#ifndef RING_RUNTIME_OPS_DILATION_H
#define RING_RUNTIME_OPS_DILATION_H

#include "Ops/Op.h"

namespace ring::rt {

/// Rows `begin, begin + rate, ...`, `count` of them, in each of `chunks` chunks
/// that start `chunkStep` rows apart: all of them attend to each other.
struct DilatedRows {
  size_t pair;
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

/// The attributes of a dilated pattern.
std::vector<AttributeSpec> dilationAttributes();

/// The dilated pattern of an instruction. The numbering of its choices is that
/// of the ring dialect's enums.
class Dilation {
public:
  enum class Segmentation : int64_t { Tiled, Concat, Prefix };
  enum class Phase : int64_t { Group, HeadMod, HeadBlock, AllResidues, Zero };
  enum class Mix : int64_t { HeadPartition, Lse, Mean };
  enum class Extra : int64_t { First, Last };
  enum class Shorter : int64_t { Error, Skip, Clamp };

  /// Whether the instruction has a dilated pattern.
  static bool isPresent(const OpTypes &types) { return types.has("segments"); }
  /// The pattern over a sequence of `length` rows and so many heads.
  static Result<Dilation> get(const OpTypes &types, int64_t length,
                              int64_t heads);

  /// The sets of rows of one head. Worked example, length 16, segments of 8,
  /// rate 3, phase 1: rows 1, 4, 7 and rows 9, 12, 15.
  std::vector<DilatedRows> rowsOf(int64_t head) const;

  bool causal() const { return isCausal; }
  /// The mean of the pairs, not their merge.
  bool averages() const { return mix == Mix::Mean; }
  /// What the mixed result is divided by.
  double divisor() const;
  /// (Query, key) pairs of all heads of one batch entry.
  double countPairs() const;
  /// The most rows of one chunk that attend to each other.
  int64_t largestSet() const;
  /// Keys from this row on are padding.
  int64_t keyLimit() const { return limit; }

private:
  std::vector<int64_t> phasesOf(size_t pair, int64_t head) const;
  bool serves(size_t pair, int64_t head) const;

  std::vector<int64_t> segments, rates;
  Segmentation segmentation = Segmentation::Tiled;
  Phase phase = Phase::Group;
  Mix mix = Mix::HeadPartition;
  Extra extra = Extra::First;
  Shorter shorter = Shorter::Error;
  bool dividesByGroups = true;
  bool isCausal = false;
  int64_t chunks = 1;
  int64_t length = 0, heads = 0, limit = 0;
};

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_DILATION_H
