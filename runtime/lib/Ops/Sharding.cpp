// SPDX-License-Identifier: Apache-2.0
//
// The border between whole tensors on the host and shards on the devices.

#include "Ops/Exchange.h"
#include "Ops/PieceMoves.h"
#include "Ops/ShardPlan.h"
#include "Ops/StridedLoop.h"

#include <algorithm>
#include <cstring>

namespace ring::rt {

namespace {

using PlanOf = Result<ShardPlan> (*)(const OpTypes &, size_t);

/// Walks the boxes in which a shard lies in the whole tensor. A box is dense
/// but for the strides of its positions: one range of each dimension. The
/// visitor gets the box's sizes and, on both sides, offset and strides.
template <typename Visit>
Status forEachBox(const Shape &whole, const Shape &shard,
                  const std::vector<Positions> &places, Visit visit) {
  Shape wholeStrides = denseStrides(whole), shardStrides = denseStrides(shard);
  std::vector<size_t> pick(whole.size(), 0);
  while (true) {
    Shape sizes(whole.size()), strides(whole.size());
    int64_t wholeOffset = 0, shardOffset = 0;
    bool empty = false;
    for (size_t dim = 0; dim < whole.size(); ++dim) {
      int64_t row = 0;
      for (size_t i = 0; i < pick[dim]; ++i)
        row += places[dim][i].size;
      const PositionRange &range = places[dim][pick[dim]];
      // What lies beyond the whole tensor is padding.
      int64_t inside =
          range.begin >= whole[dim]
              ? 0
              : std::min(range.size,
                         (whole[dim] - range.begin - 1) / range.stride + 1);
      empty |= inside == 0;
      sizes[dim] = inside;
      strides[dim] = wholeStrides[dim] * range.stride;
      wholeOffset += range.begin * wholeStrides[dim];
      shardOffset += row * shardStrides[dim];
    }
    if (!empty)
      if (Status status =
              visit(sizes, wholeOffset, strides, shardOffset, shardStrides);
          !status)
        return status;
    size_t dim = 0;
    while (dim < whole.size() && ++pick[dim] == places[dim].size())
      pick[dim++] = 0;
    if (dim == whole.size())
      return Status::success();
  }
}

/// A box with its dimensions joined; nothing if elements come out of order.
std::optional<TensorPiece> joined(const TensorPiece &box, const Shape &shape) {
  std::optional<AlignedPiece> aligned = align(box, shape);
  return aligned ? flatten(*aligned, shape) : std::nullopt;
}

Status runShard(OpRun &run, const ShardPlan &plan) {
  const ValueType &whole = *run.types.input(0), &shard = *run.types.output(0);
  std::memset(run.output(0), 0, run.outputBytes(0));
  ElementType held = heldElement(whole.element);
  Result<StorageRef> from = run.readPeer(run.types.host(), 0);
  if (!from)
    return from.status();
  return forEachBox(
      whole.shape, shard.shape, plan.placesOf(whole.shape, run.device()),
      [&](const Shape &sizes, int64_t wholeOffset, const Shape &wholeStrides,
          int64_t shardOffset, const Shape &shardStrides) {
        return copyStrided(run, sizes, (*from)->data(),
                           {held, wholeOffset, wholeStrides}, run.output(0),
                           {held, shardOffset, shardStrides});
      });
}

Status runUnshard(OpRun &run, const ShardPlan &plan) {
  const ValueType &shard = *run.types.input(0), &whole = *run.types.output(0);
  ElementType held = heldElement(whole.element);
  for (int64_t device = 0; device < run.types.deviceCount(); ++device) {
    if (!plan.owns(device))
      continue;
    Result<StorageRef> from = run.readPeer(device, 0);
    if (!from)
      return from.status();
    Status status = forEachBox(
        whole.shape, shard.shape, plan.placesOf(whole.shape, device),
        [&](const Shape &sizes, int64_t wholeOffset, const Shape &wholeStrides,
            int64_t shardOffset, const Shape &shardStrides) {
          return copyStrided(run, sizes, (*from)->data(),
                             {held, shardOffset, shardStrides}, run.output(0),
                             {held, wholeOffset, wholeStrides});
        });
    if (!status)
      return status;
  }
  return Status::success();
}

/// Boxes of the host's tensor, where it lies in one place.
std::optional<TensorPieces> shardInPieces(const OpRun &run,
                                          const ShardPlan &plan) {
  const ValueType &whole = *run.types.input(0), &shard = *run.types.output(0);
  const StorageRef &from = run.peer(run.types.host(), 0);
  if (from->pieces())
    return std::nullopt;
  std::vector<TensorPiece> pieces;
  bool inOrder = true;
  Status status = forEachBox(
      whole.shape, shard.shape, plan.placesOf(whole.shape, run.device()),
      [&](const Shape &sizes, int64_t wholeOffset, const Shape &wholeStrides,
          int64_t shardOffset, const Shape &shardStrides) {
        TensorPiece box{from,         sizes,       wholeOffset,
                        wholeStrides, shardOffset, shardStrides};
        std::optional<TensorPiece> piece = joined(box, shard.shape);
        inOrder &= piece.has_value();
        if (piece)
          pieces.push_back(std::move(*piece));
        return Status::success();
      });
  if (!status || !inOrder)
    return std::nullopt;
  return gatherPieces(std::move(pieces), shard.shape, /*fill=*/0);
}

/// Boxes of every device's shard.
std::optional<TensorPieces> unshardInPieces(const OpRun &run,
                                            const ShardPlan &plan) {
  const ValueType &shard = *run.types.input(0), &whole = *run.types.output(0);
  Shape wholeStrides = denseStrides(whole.shape);
  std::vector<TensorPiece> pieces;
  std::optional<double> fill;
  bool placed = true;
  for (int64_t device = 0; device < run.types.deviceCount(); ++device) {
    if (!plan.owns(device))
      continue;
    TensorPieces tensor = piecesOf(run.peer(device, 0), shard.shape);
    if (!tensor.covers && fill.value_or(tensor.fill) != tensor.fill)
      return std::nullopt;
    if (!tensor.covers)
      fill = tensor.fill;
    Status status = forEachBox(
        whole.shape, shard.shape, plan.placesOf(whole.shape, device),
        [&](const Shape &sizes, int64_t wholeOffset, const Shape &strides,
            int64_t shardOffset, const Shape &shardStrides) {
          SliceBounds box{Shape(sizes.size()), Shape(sizes.size(), 1), sizes};
          Shape at(sizes.size()), steps(sizes.size());
          for (size_t d = 0; d < sizes.size(); ++d) {
            box.begins[d] = shardOffset / shardStrides[d] % shard.shape[d];
            at[d] = wholeOffset / wholeStrides[d] % whole.shape[d];
            steps[d] = strides[d] / wholeStrides[d];
          }
          std::optional<TensorPieces> some =
              slicePieces(tensor, shard.shape, box);
          placed = placed && some &&
                   placePieces(*some, sizes, at, steps, whole.shape, pieces);
          return Status::success();
        });
    if (!status || !placed)
      return std::nullopt;
  }
  return gatherPieces(std::move(pieces), whole.shape, fill.value_or(0));
}

/// Checks a crossing. `inward`: from whole to local.
Status verifyCrossing(const OpTypes &types, bool inward, PlanOf planOf) {
  if (Status status = expectTensors(types); !status)
    return status;
  const ValueType &whole = inward ? *types.input(0) : *types.output(0);
  const ValueType &shard = inward ? *types.output(0) : *types.input(0);
  if (whole.placement != Placement::Whole ||
      shard.placement != Placement::Local)
    return error("expects ", inward ? "whole to local" : "local to whole",
                 ", but got ", describe(*types.input(0)), " to ",
                 describe(*types.output(0)));
  if (whole.element != shard.element)
    return error("expects one element type, but got ", describe(whole), " and ",
                 describe(shard));
  Result<ShardPlan> plan = planOf(types, whole.shape.size());
  if (!plan)
    return plan.status();
  Result<Shape> shape = plan->shardShape(whole.shape);
  if (!shape)
    return shape.status();
  if (*shape != shard.shape)
    return error("expects shards of ", describe(*shape), ", but got ",
                 describe(shard.shape));
  return Status::success();
}

void hostOrDevices(const OpTypes &types, int64_t stream,
                   std::vector<int64_t> &sources) {
  if (types.input(0)->placement == Placement::Whole) {
    sources.push_back(types.host());
    return;
  }
  // A value that stays local is its own source.
  if (stream != types.host()) {
    sources.push_back(stream);
    return;
  }
  for (int64_t device = 0; device < types.deviceCount(); ++device)
    sources.push_back(device);
}

Op crossing(const char *name) {
  Op op;
  op.name = name;
  op.signature.crossesPlacement = true;
  op.access.moves = true;
  op.exchange.sources = hostOrDevices;
  // What devices send to the host goes straight to its place.
  op.access.takesPieces = [](const OpTypes &types, size_t,
                             const TensorPieces &) {
    return types.input(0)->placement == Placement::Local;
  };
  return op;
}

bool staysInPlace(const OpTypes &types) {
  return types.text("shard_type") == "identity";
}

Status verifyMeshShard(const OpTypes &types) {
  std::string type = types.text("shard_type");
  std::string direction = types.text("direction");
  if (type != "replicate" && type != "maximal" && type != "devices" &&
      type != "identity")
    return error("expects a shard type of replicate, maximal, devices or ",
                 "identity, but got '", type, "'");
  if (direction != "full_to_shard" && direction != "shard_to_full")
    return error("expects the direction full_to_shard or shard_to_full, ",
                 "but got '", direction, "'");
  if (staysInPlace(types)) {
    if (Status status = expectTensors(types); !status)
      return status;
    return expectSameType(types, 0, 0);
  }
  return verifyCrossing(types, direction == "full_to_shard",
                        ShardPlan::ofMeshShard);
}

Status runMeshShard(OpRun &run) {
  const OpTypes &types = run.types;
  if (staysInPlace(types)) {
    Result<StorageRef> own = run.readPeer(run.device(), 0);
    if (!own)
      return own.status();
    std::memcpy(run.output(0), (*own)->data(), run.outputBytes(0));
    return Status::success();
  }
  bool inward = types.text("direction") == "full_to_shard";
  size_t rank = types.input(0)->shape.size();
  ShardPlan plan = *ShardPlan::ofMeshShard(types, rank);
  return inward ? runShard(run, plan) : runUnshard(run, plan);
}

} // namespace

void registerShardingOps(OpTable &table) {
  std::vector<AttributeSpec> sharding = {{"axes", AttributeKind::Ints, true},
                                         {"sequence", AttributeKind::Int},
                                         {"layout", AttributeKind::Ints},
                                         {"outer", AttributeKind::Int}};
  Op shard = crossing("ring.shard");
  shard.signature.attributes = sharding;
  shard.signature.verify = [](const OpTypes &types) {
    return verifyCrossing(types, /*inward=*/true, ShardPlan::ofSharding);
  };
  shard.run = [](OpRun &run) {
    size_t rank = run.types.input(0)->shape.size();
    return runShard(run, *ShardPlan::ofSharding(run.types, rank));
  };
  shard.access.pieces = [](const OpRun &run) {
    size_t rank = run.types.input(0)->shape.size();
    return shardInPieces(run, *ShardPlan::ofSharding(run.types, rank));
  };
  table.add(std::move(shard));

  Op unshard = crossing("ring.unshard");
  unshard.signature.attributes = sharding;
  unshard.signature.verify = [](const OpTypes &types) {
    return verifyCrossing(types, /*inward=*/false, ShardPlan::ofSharding);
  };
  unshard.run = [](OpRun &run) {
    size_t rank = run.types.input(0)->shape.size();
    return runUnshard(run, *ShardPlan::ofSharding(run.types, rank));
  };
  unshard.access.pieces = [](const OpRun &run) {
    size_t rank = run.types.input(0)->shape.size();
    return unshardInPieces(run, *ShardPlan::ofSharding(run.types, rank));
  };
  table.add(std::move(unshard));

  Op meshShard = crossing("mesh_shard");
  meshShard.signature.attributes = {{"shard_type", AttributeKind::String, true},
                                    {"direction", AttributeKind::String, true},
                                    {"shard_shape", AttributeKind::Ints},
                                    {"shard_dims", AttributeKind::Ints}};
  meshShard.signature.verify = verifyMeshShard;
  meshShard.run = runMeshShard;
  meshShard.access.pieces =
      [](const OpRun &run) -> std::optional<TensorPieces> {
    const OpTypes &types = run.types;
    if (staysInPlace(types))
      return std::nullopt;
    ShardPlan plan =
        *ShardPlan::ofMeshShard(types, types.input(0)->shape.size());
    return types.text("direction") == "full_to_shard"
               ? shardInPieces(run, plan)
               : unshardInPieces(run, plan);
  };
  table.add(std::move(meshShard));
}

} // namespace ring::rt
