// SPDX-License-Identifier: Apache-2.0
// Packed documents: several of them stand behind each other in one sequence,
// and each attends to itself alone. Windows of a picture are the same thing.

#ifndef RING_POSITIONS_DOCUMENTS_H
#define RING_POSITIONS_DOCUMENTS_H

#include "ring/Positions/Band.h"

#include <optional>
#include <string>

namespace ring::positions {

/// #ring.documents. Document d has the rows from `ends[d - 1]`, or 0, to before
/// `ends[d]`; one without rows is allowed. Rows behind the last document belong
/// to none: they see nothing, and nobody sees them. Whose list this is must
/// outlive it.
///
/// "In the same document, and not later" is one band once documents stand
/// further apart: with G rows in the longest one, row p of document d gets the
/// place p + d * G, and sees G - 1 places before its own and, unless causal,
/// G - 1 behind it. Documents without rows are not counted. Worked example,
/// ends = [2, 5, 6], so G = 3:
///
///   rows      0 1 | 2 3 4 | 5
///   places    0 1 . . . 5 6 7 . . . 11
///   place 6 sees 4 to 8: the rows 2, 3 and 4
struct Documents {
  Span<int64_t> ends;
  bool causal = false;

  /// Why there are no such documents; nothing if there are.
  std::optional<std::string> misfit() const;
  /// Why they do not fit into a sequence of `rows` rows.
  std::optional<std::string> misfitOf(int64_t rows) const;

  /// The rows of all documents, and of the longest one.
  int64_t length() const { return ends[ends.size() - 1]; }
  int64_t longest() const;
  /// A place behind those of all documents that none of them reaches, for rows
  /// that fill up. It is near: kernels take all that is further apart than 2^30
  /// for one.
  int64_t idleRows() const { return length() + (ends.size() + 1) * longest(); }
  /// What a row sees, by places.
  Band band() const;
  /// The places of some rows, in their order. Rows from `limit` on, and those
  /// behind the last document, stand at `idle`.
  Positions placesOf(PositionList rows, int64_t idle,
                     std::optional<int64_t> limit = std::nullopt) const;
  /// The keys that the rows from `begin` to before `end` see, added up.
  int64_t countPairs(int64_t begin, int64_t end) const;
  /// (Query, key) pairs of one head. Keys from `keyLimit` on are padding.
  int64_t countPairs(std::optional<int64_t> keyLimit = std::nullopt) const;
};

/// Deals `shard` rows to each of `ranks` ranks so that all of them meet about
/// as many pairs, and returns the rows of each in ascending order. Shards in
/// the order of the sequence are the start; the busiest rank then trades chunks
/// of rows with others until it has at most a 25th more than the mean. Of all
/// trades it makes the one that evens out most for the rows that move and the
/// keys that come along, so that most rows stay where they are and a rank needs
/// the keys of few documents besides its own. Chunks are as large as that
/// allows, whole tiles where they can be.
std::vector<Positions> dealDocuments(const Documents &documents, int64_t ranks,
                                     int64_t shard);

} // namespace ring::positions

#endif // RING_POSITIONS_DOCUMENTS_H
