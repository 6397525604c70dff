// SPDX-License-Identifier: Apache-2.0
//
// Patterns that are sets of rows, of which each attends to itself: dilated
// segments and packed documents.

#ifndef RING_RUNTIME_OPS_SETPATTERN_H
#define RING_RUNTIME_OPS_SETPATTERN_H

#include "Ops/Op.h"
#include "ring/Positions/Dilation.h"
#include "ring/Positions/Documents.h"

namespace ring::rt {

using positions::DilatedRows;
using positions::Dilation;
using positions::Documents;

/// Such a pattern. Its lists are the program's.
class SetPattern {
public:
  explicit SetPattern(const Dilation &dilation)
      : causal(dilation.causal), dilation(dilation) {}
  explicit SetPattern(const Documents &documents)
      : causal(documents.causal), documents(documents) {}

  /// The sets of rows of one head.
  std::vector<DilatedRows> rowsOf(int64_t head, int64_t heads,
                                  int64_t length) const;
  /// The most rows of one chunk that attend to each other.
  int64_t largestSet(int64_t length) const;
  /// (Query, key) pairs of all heads of one batch entry. Keys from `keyLimit`
  /// on are padding.
  int64_t countPairs(int64_t heads, int64_t length, int64_t keyLimit) const;
  /// A row's output is the mean of its sets' outputs, not their merge.
  bool averages() const { return dilation && dilation->averages(); }
  /// What the sum of a row's sets is divided by.
  int64_t divisor() const { return dilation ? dilation->divisor() : 1; }

  const bool causal;

private:
  std::optional<Dilation> dilation;
  Documents documents; ///< without dilation
};

/// The attributes of such patterns.
std::vector<AttributeSpec> rowSetAttributes();

/// Whether the instruction has such a pattern.
inline bool hasRowSets(const OpTypes &types) {
  return types.has("segments") || types.has("ends");
}

/// The pattern of an instruction, which fits a sequence of `length` rows.
Result<SetPattern> setPatternOf(const OpTypes &types, int64_t length);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_SETPATTERN_H
