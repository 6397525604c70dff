// SPDX-License-Identifier: Apache-2.0
//
// How many keys the queries of a block meet under a band, without going through
// the rows one by one.

#ifndef RING_RUNTIME_OPS_PAIRCOUNTS_H
#define RING_RUNTIME_OPS_PAIRCOUNTS_H

#include "Ops/OpTypes.h"

namespace ring::rt {

/// The keys that the queries of a block meet.
struct PairCounts {
  int64_t pairs = 0;
  int64_t most = 0;    ///< of one query
  int64_t sloping = 0; ///< queries that meet a few more or fewer than the last
};
/// Counts keys at positions below `keyLimit` that lie in the band of each
/// query.
PairCounts countRows(const Positions &queries, const Positions &keys,
                     const Band &band, int64_t keyLimit);

/// Query-key pairs that a block computes.
double countPairs(const Positions &queries, const Positions &keys,
                  const Band &band, int64_t keyLimit);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_PAIRCOUNTS_H
