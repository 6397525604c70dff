// SPDX-License-Identifier: Apache-2.0
// How the rows and heads of a dilated attention lie on the devices of an axis:
// what is there already, and among how many neighbours the rest travels.

#ifndef RING_ANALYSIS_DILATEDGROUPS_H
#define RING_ANALYSIS_DILATEDGROUPS_H

#include "ring/Dialect/Ring/IR/Dilation.h"

namespace mlir::ring {

struct AttentionTraits;

/// A head of this device and the residue whose rows it keeps.
struct PackedHead {
  int64_t head;
  int64_t phase;

  bool operator==(const PackedHead &other) const {
    return head == other.head && phase == other.phase;
  }
};

/// The heads of one pair that keep equally many rows of every span. Their rows
/// are packed into one tensor, and what they send travels together.
struct DilatedGroup {
  /// The number of the pair, and its spans over the whole sequence.
  int64_t number;
  DilatedPair pair;
  /// In packed order. `keys` has the key heads; as many queries in a row share
  /// each as there are queries for a key.
  SmallVector<PackedHead> queries, keys;
};

/// The groups of a device with `heads` query and `kvHeads` key heads, sorted by
/// pair. Heads are counted on the device; `firstHead` of all `allHeads` is its
/// first. Pairs that are skipped, and heads that keep no row, are in none.
SmallVector<DilatedGroup> groupsOf(DilatedAttr dilated, int64_t length,
                                   int64_t heads, int64_t kvHeads,
                                   int64_t firstHead, int64_t allHeads);

/// Whether the groups are the same on all of the devices that share the heads.
bool haveSameGroups(DilatedAttr dilated, int64_t heads, int64_t shards);

/// Where the rows of a pair are, if that is the same on every rank.
///
///   shards of 8 rows, segments of 4: spans of 4 twice on every rank, alone
///   segments of 16, rate 2:          one span of 8 on every rank, 4 rows of
///                                    it; 2 ranks have a segment together
struct RankPlacement {
  /// The spans of one rank, over its own rows.
  DilatedPair local;
  /// How many neighbouring ranks have rows that attend to each other.
  int64_t ranks;
};

/// The placement of a pair over `ranks` shards of `shard` rows each, of which
/// the first `length` in all are real; nothing where ranks differ.
std::optional<RankPlacement> placeOnRanks(const DilatedPair &pair,
                                          int64_t length, int64_t shard,
                                          int64_t ranks);

/// The placement of a pair by this plan, where it can be packed alike on every
/// device: the ranks have the same rows, the devices that share the heads the
/// same groups, and no key is padding.
std::optional<RankPlacement> placeEvenly(const AttentionTraits &traits,
                                         PlanAttr plan,
                                         const DilatedPair &pair);

/// Bytes that one device receives for a group over `ranks` ranks with `rows`
/// kept rows each; by the ring, and by trading rows for heads and back (none
/// where heads do not allow it).
///
///   t = 4 ranks, 512 rows, 1 head of q, k, v and output with D numbers each:
///   2 * 3 * 512 * D numbers by the ring, 4 * 512 * 3/4 * D by trading
///
/// Of gradients the ring also moves the sums of keys and values, f32, one hop
/// more; a trade brings the output and its gradient too and takes the gradients
/// of all three back.
double ringTraffic(const DilatedGroup &group, int64_t rows, int64_t ranks,
                   const AttentionTraits &traits);
std::optional<double> tradeTraffic(const DilatedGroup &group, int64_t rows,
                                   int64_t ranks,
                                   const AttentionTraits &traits);

} // namespace mlir::ring

#endif // RING_ANALYSIS_DILATEDGROUPS_H
