// SPDX-License-Identifier: Apache-2.0
//
// The correspondence between a whole tensor and its shards.

#include "Ops/ShardPlan.h"

namespace ring::rt {

Result<ShardPlan> ShardPlan::ofSharding(const OpTypes &types, size_t rank) {
  ShardPlan plan;
  plan.mesh = types.program().mesh();
  plan.axesOf.resize(rank);
  const std::vector<int64_t> &axes = types.ints("axes");
  if (axes.size() != rank)
    return error("expects one axis per dimension, ", rank, ", but got ",
                 axes.size());
  std::vector<bool> used(plan.mesh.size(), false);
  for (size_t dim = 0; dim < rank; ++dim) {
    if (axes[dim] == -1)
      continue;
    if (axes[dim] < 0 || axes[dim] >= static_cast<int64_t>(plan.mesh.size()) ||
        used[axes[dim]])
      return error("expects axes of the mesh ", describe(plan.mesh),
                   ", each once, but got ", axes[dim]);
    used[axes[dim]] = true;
    plan.axesOf[dim].push_back(axes[dim]);
  }
  if (types.has("sequence") != types.has("layout"))
    return error("expects 'sequence' and 'layout' together");
  if (types.has("outer") && !types.has("sequence"))
    return error("expects 'outer' with a sequence");
  if (!types.has("sequence"))
    return plan;
  plan.sequence = types.dim("sequence", rank);
  if (plan.sequence < 0 || plan.axesOf[plan.sequence].empty())
    return error("expects a sequence dimension that is split, but got ",
                 types.intOr("sequence", 0));
  if (types.has("outer")) {
    int64_t outer = types.intOr("outer", 0);
    if (outer < 0 || outer >= static_cast<int64_t>(plan.mesh.size()) ||
        used[outer])
      return error("expects 'outer' to be an axis of the mesh ",
                   describe(plan.mesh), " that splits nothing else, but got ",
                   outer);
    plan.axesOf[plan.sequence].insert(plan.axesOf[plan.sequence].begin(),
                                      static_cast<size_t>(outer));
  }
  Result<SequenceLayout> layout = types.layout("layout");
  if (!layout)
    return layout.status();
  if (layout->ranks != plan.piecesOf(plan.sequence) || layout->offset != 0)
    return error("expects a layout over ", plan.piecesOf(plan.sequence),
                 " ranks from 0, but got ", layout->ranks, " from ",
                 layout->offset);
  plan.layout = *layout;
  return plan;
}

Result<ShardPlan> ShardPlan::ofMeshShard(const OpTypes &types, size_t rank) {
  ShardPlan plan;
  plan.mesh = types.program().mesh();
  plan.axesOf.resize(rank);
  if (types.text("shard_type") != "devices")
    return plan;
  const std::vector<int64_t> &dims = types.ints("shard_dims");
  if (dims.size() != plan.mesh.size())
    return error("expects one dimension per mesh axis, ", plan.mesh.size(),
                 ", but got ", dims.size());
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == -1)
      continue;
    if (dims[axis] < 0 || dims[axis] >= static_cast<int64_t>(rank))
      return error("expects a dimension from 0 to ", rank, " or -1, but got ",
                   dims[axis]);
    plan.axesOf[dims[axis]].push_back(axis);
  }
  const std::vector<int64_t> &pieces = types.ints("shard_shape");
  for (size_t dim = 0; dim < rank && pieces.size() == rank; ++dim)
    if (pieces[dim] != plan.piecesOf(dim))
      return error("expects dimension ", dim, " in ", plan.piecesOf(dim),
                   " pieces, but got ", pieces[dim]);
  return plan;
}

int64_t ShardPlan::piecesOf(size_t dim) const {
  int64_t pieces = 1;
  for (size_t axis : axesOf[dim])
    pieces *= mesh[axis];
  return pieces;
}

Result<Shape> ShardPlan::shardShape(const Shape &whole) const {
  Shape shard = whole;
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    if (static_cast<int64_t>(dim) == sequence) {
      if (layout->length < whole[dim])
        return error("expects a layout of at least ", whole[dim],
                     " positions, but got ", layout->length);
      shard[dim] = layout->shardLength();
      continue;
    }
    int64_t pieces = piecesOf(dim);
    if (whole[dim] % pieces != 0)
      return error("expects ", pieces, " pieces to divide dimension ", dim,
                   ", but got ", whole[dim]);
    shard[dim] /= pieces;
  }
  return shard;
}

std::vector<Positions> ShardPlan::placesOf(const Shape &whole,
                                           int64_t device) const {
  Shape coordinates = positions::coordinatesOf(mesh, device);
  std::vector<Positions> places;
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    int64_t piece = 0;
    for (size_t axis : axesOf[dim])
      piece = piece * mesh[axis] + coordinates[axis];
    if (static_cast<int64_t>(dim) == sequence) {
      places.push_back(layout->positionsOf(piece));
      continue;
    }
    int64_t size = whole[dim] / piecesOf(dim);
    places.push_back({{piece * size, size, 1}});
  }
  return places;
}

std::vector<size_t> ShardPlan::axes() const {
  std::vector<size_t> all;
  for (size_t dim = axesOf.size(); dim-- > 0;)
    all.insert(all.end(), axesOf[dim].rbegin(), axesOf[dim].rend());
  return all;
}

bool ShardPlan::owns(int64_t device) const {
  Shape coordinates = positions::coordinatesOf(mesh, device);
  std::vector<bool> splits(mesh.size(), false);
  for (const std::vector<size_t> &axes : axesOf)
    for (size_t axis : axes)
      splits[axis] = true;
  for (size_t axis = 0; axis < mesh.size(); ++axis)
    if (!splits[axis] && coordinates[axis] != 0)
      return false;
  return true;
}

} // namespace ring::rt
