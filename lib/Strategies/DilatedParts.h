// SPDX-License-Identifier: Apache-2.0
// What heads of a dilated attention have computed, in the rows of the shard
// again, and how the pairs of a head are mixed.

#ifndef RING_LIB_STRATEGIES_DILATEDPARTS_H
#define RING_LIB_STRATEGIES_DILATEDPARTS_H

#include "ShardedAttention.h"

#include <optional>
#include <vector>

namespace mlir::ring {

/// Some heads in a row: all rows of the shard, with nothing in those that these
/// heads do not keep. Several parts may have the same heads and other rows.
struct HeadPart {
  int64_t first, count;
  Part part;
};

/// Collects the parts of all pairs and mixes them.
class DilatedMixer {
public:
  DilatedMixer(ShardedAttention &attention, int64_t heads, int64_t rows);

  /// Whether somebody reads the log-sum-exps.
  bool needsLse() const;
  /// The element type that outputs are collected in.
  Type elementType() const;
  /// An output with the weight that it has in the mix.
  Value weighted(Value output);

  /// Says that parts of the pair with this number are next; all of one pair
  /// come one after the other. Those of another one are mixed, unless each head
  /// has one pair only.
  void begin(int64_t pair);
  /// Adds what heads have of the pair that was begun.
  void add(HeadPart part);
  /// The whole of all heads.
  Part mix();

private:
  Part assemble();
  Part nothing(int64_t heads);
  void mixParts();

  ShardedAttention &attention;
  TTIRBuilder &tensors;
  DilatedAttr dilated;
  int64_t heads, rows;
  /// Of the pair that was begun; of all where each head has one.
  std::vector<HeadPart> parts;
  std::optional<int64_t> pair;
  /// Of the pairs before.
  Part sum;
};

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_DILATEDPARTS_H
