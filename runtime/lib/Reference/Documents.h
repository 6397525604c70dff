// SPDX-License-Identifier: Apache-2.0
//
// The reference of packed documents: a key is seen from its own document alone,
// and from rows that are not before it where the pattern is causal.

#ifndef RING_RUNTIME_REFERENCE_DOCUMENTS_H
#define RING_RUNTIME_REFERENCE_DOCUMENTS_H

#include "Reference/Reference.h"

namespace ring::rt::reference {

/// The documents of an instruction, asked row by row.
class DocumentSight {
public:
  DocumentSight(const OpTypes &types, int64_t rows)
      : count(types.ints("ends").size()), ended(rows, 0),
        causal(types.flag("causal")) {
    for (int64_t end : types.ints("ends"))
      for (int64_t row = end; row < rows; ++row)
        ++ended[row];
  }

  /// Whether the query at row `query` attends to the key at row `key`: as many
  /// documents have ended before the one as before the other, and not all.
  bool sees(int64_t query, int64_t key) const {
    return ended[query] == ended[key] && ended[key] < count &&
           (!causal || key <= query);
  }

private:
  size_t count;
  std::vector<size_t> ended; ///< documents that end at or before each row
  bool causal;
};

} // namespace ring::rt::reference

#endif // RING_RUNTIME_REFERENCE_DOCUMENTS_H
