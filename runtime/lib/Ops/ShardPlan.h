// SPDX-License-Identifier: Apache-2.0
//
// How a whole tensor and its shards correspond, dimension by dimension: the one
// description behind ring.shard, ring.unshard and mesh_shard.

#ifndef RING_RUNTIME_OPS_SHARDPLAN_H
#define RING_RUNTIME_OPS_SHARDPLAN_H

#include "Ops/OpTypes.h"

#include <optional>

namespace ring::rt {

/// Dimension d is cut into `pieces[d]`; a device holds piece `pieceOf(d)`. One
/// dimension may be a sequence that is padded and dealt by a layout instead.
class ShardPlan {
public:
  /// From the attributes of ring.shard and ring.unshard.
  static Result<ShardPlan> ofSharding(const OpTypes &types, size_t rank);
  /// From the attributes of mesh_shard.
  static Result<ShardPlan> ofMeshShard(const OpTypes &types, size_t rank);

  /// The shape of one shard of a whole tensor.
  Result<Shape> shardShape(const Shape &whole) const;

  /// For each dimension, where in the whole tensor a device's rows lie. A
  /// position at or beyond the whole's size is padding.
  std::vector<Positions> placesOf(const Shape &whole, int64_t device) const;

  /// The mesh axes that split any dimension, the last dimension's first.
  std::vector<size_t> axes() const;
  /// Whether a sequence lies on the devices in another order than its own.
  bool deals() const {
    return layout && layout->kind != positions::LayoutKind::Contiguous;
  }

  /// Whether the device is the first of those that hold the same shard.
  bool owns(int64_t device) const;

private:
  Shape mesh;
  std::vector<std::vector<size_t>> axesOf; ///< mesh axes of each dimension
  int64_t sequence = -1;
  std::optional<SequenceLayout> layout;

  int64_t piecesOf(size_t dim) const;
};

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_SHARDPLAN_H
