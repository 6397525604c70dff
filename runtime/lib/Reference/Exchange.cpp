// SPDX-License-Identifier: Apache-2.0
//
// Exchanges between devices, by asking for each number who holds it.

#include "Reference/Places.h"

#include <algorithm>

namespace ring::rt::reference {

namespace {

Status shift(Call &call) {
  Ring axis = Ring::of(call);
  int64_t source = axis.neighbour(call.device, -call.types.intOr("by", 0));
  bool reached = axis.rankOf(call.device) >= call.types.intOr("reaching", 0);
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    if (reached)
      call.outputs[i] = call.peer(source, i);
    else
      call.outputs[i].assign(call.outputs[i].size(), 0);
  }
  return Status::success();
}

Status allGather(Call &call) {
  Ring axis = Ring::of(call);
  const Shape &shape = call.inputShape(0);
  size_t dim = call.types.dim("dim", shape.size());
  forEachIndex(call.outputShape(0), [&](Shape index, int64_t flat) {
    int64_t source = axis.member(call.device, index[dim] / shape[dim]);
    index[dim] %= shape[dim];
    call.outputs[0][flat] = call.peer(source, 0)[flatten(shape, index)];
  });
  return Status::success();
}

/// All-to-all among `members`, of whom the caller is number `self`.
Status trade(Call &call, const std::vector<int64_t> &members, int64_t self) {
  const Shape &shape = call.inputShape(0);
  size_t split = call.types.dim("split", shape.size());
  size_t concat = call.types.dim("concat", shape.size());
  forEachIndex(call.outputShape(0), [&](Shape index, int64_t flat) {
    int64_t source = members[index[concat] / shape[concat]];
    index[concat] %= shape[concat];
    index[split] += self * call.outputShape(0)[split];
    call.outputs[0][flat] = call.peer(source, 0)[flatten(shape, index)];
  });
  return Status::success();
}

Status ringAllToAll(Call &call) {
  Ring axis = Ring::of(call);
  std::vector<int64_t> members;
  for (int64_t rank = 0; rank < axis.ranks; ++rank)
    members.push_back(axis.member(call.device, rank));
  return trade(call, members, axis.rankOf(call.device));
}

Status groupAllToAll(Call &call) {
  std::vector<int64_t> groups = call.types.ints("groups");
  size_t size = call.types.intOr("group_size", 1);
  for (size_t begin = 0; begin < groups.size(); begin += size)
    for (size_t i = 0; i < size; ++i)
      if (groups[begin + i] == call.device)
        return trade(call,
                     {groups.begin() + begin, groups.begin() + begin + size},
                     static_cast<int64_t>(i));
  return Status::success();
}

Status gather(Call &call) {
  Ring axis = Ring::of(call);
  const Shape &shape = call.inputShape(0);
  size_t dim = call.types.dim("dim", shape.size());
  std::vector<int64_t> parts = call.types.ints("parts");
  forEachIndex(call.outputShape(0), [&](Shape index, int64_t flat) {
    size_t part = 0;
    while (index[dim] >= parts[part + 2]) {
      index[dim] -= parts[part + 2];
      part += 4;
    }
    int64_t source = axis.neighbour(call.device, parts[part]);
    index[dim] = parts[part + 1] + index[dim] * parts[part + 3];
    call.outputs[0][flat] = call.peer(source, 0)[flatten(shape, index)];
  });
  return Status::success();
}

/// Row by row: the leg that goes there, if any.
Status route(Call &call) {
  Ring axis = Ring::of(call);
  const Shape &shape = call.inputShape(0);
  size_t dim = call.types.dim("dim", shape.size());
  std::vector<int64_t> legs = call.types.ints("legs");
  size_t first = 0;
  for (int64_t device = 0; device < call.device; ++device)
    first += 1 + 6 * static_cast<size_t>(legs[first]);
  size_t last = first + 6 * static_cast<size_t>(legs[first]);
  forEachIndex(call.outputShape(0), [&](Shape index, int64_t flat) {
    call.outputs[0][flat] = call.types.floatOr("fill", 0);
    for (size_t leg = first + 1; leg < last; leg += 6) {
      int64_t past = index[dim] - legs[leg + 4], step = legs[leg + 5];
      if (past < 0 || past % step != 0 || past / step >= legs[leg + 2])
        continue;
      Shape from = index;
      from[dim] = legs[leg + 1] + past / step * legs[leg + 3];
      int64_t source = axis.neighbour(call.device, legs[leg]);
      call.outputs[0][flat] = call.peer(source, 0)[flatten(shape, from)];
      return;
    }
  });
  return Status::success();
}

Status relayout(Call &call) {
  const Shape &shape = call.inputShape(0);
  size_t dim = call.types.dim("dim", shape.size());
  const std::vector<int64_t> &from = call.types.ints("from");
  const std::vector<int64_t> &to = call.types.ints("to");
  Ring axis = Ring::of(call);
  // Who holds which position before, by looking through all ranks.
  std::vector<std::pair<int64_t, int64_t>> holder(from[1]);
  for (int64_t rank = 0; rank < axis.ranks; ++rank) {
    int64_t row = 0;
    for (int64_t position : positionsOf(from, rank))
      holder[position - from[3]] = {rank, row++};
  }
  std::vector<int64_t> wanted = positionsOf(to, axis.rankOf(call.device));
  forEachIndex(shape, [&](Shape index, int64_t flat) {
    auto [rank, row] = holder[wanted[index[dim]] - to[3]];
    index[dim] = row;
    call.outputs[0][flat] =
        call.peer(axis.member(call.device, rank), 0)[flatten(shape, index)];
  });
  return Status::success();
}

Status reduce(Call &call) {
  std::string how = call.types.text("reduce");
  const Shape &shape = call.inputShape(0);
  Ring axis = Ring::of(call);
  forEachIndex(call.outputShape(0), [&](Shape index, int64_t flat) {
    if (call.types.has("dim")) {
      size_t dim = call.types.dim("dim", shape.size());
      index[dim] += axis.rankOf(call.device) * call.outputShape(0)[dim];
    }
    double total = 0;
    for (int64_t rank = 0; rank < axis.ranks; ++rank) {
      double term =
          call.peer(axis.member(call.device, rank), 0)[flatten(shape, index)];
      if (rank == 0)
        total = term;
      else if (how == "max")
        total = std::max(total, term);
      else if (how == "min")
        total = std::min(total, term);
      else
        total += term;
    }
    call.outputs[0][flat] =
        how == "mean" ? total / static_cast<double>(axis.ranks) : total;
  });
  return Status::success();
}

Status permute(Call &call) {
  std::vector<int64_t> pairs = call.types.ints("pairs");
  call.outputs[0].assign(call.outputs[0].size(), 0);
  for (size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i + 1] == call.device)
      call.outputs[0] = call.peer(pairs[i], 0);
  return Status::success();
}

Status pointToPoint(Call &call) {
  const Shape &mesh = call.types.program().mesh();
  int64_t sender = flatten(mesh, call.types.ints("sender"));
  int64_t receiver = flatten(mesh, call.types.ints("receiver"));
  if (call.device == receiver)
    call.outputs[0] = call.peer(sender, 0);
  else if (call.hasInput(1))
    call.outputs[0] = call.input(1);
  else
    call.outputs[0].assign(call.outputs[0].size(), 0);
  return Status::success();
}

Status partition(Call &call) {
  const Shape &shape = call.inputShape(0);
  size_t dim = call.types.dim("dim", shape.size());
  Ring axis = call.types.has("axis") ? Ring::of(call) : Ring::all(call);
  forEachIndex(call.outputShape(0), [&](Shape index, int64_t flat) {
    index[dim] += axis.rankOf(call.device) * call.outputShape(0)[dim];
    call.outputs[0][flat] = call.input(0)[flatten(shape, index)];
  });
  return Status::success();
}

/// How a whole tensor is cut: the mesh axes that split each dimension, the
/// slowest first, and the one dimension, if any, that a layout deals.
struct Cut {
  Shape mesh;
  std::vector<std::vector<size_t>> axes;
  size_t sequence;
  std::vector<int64_t> layout;

  explicit Cut(const Call &call)
      : mesh(call.types.program().mesh()), axes(call.inputShape(0).size()),
        sequence(axes.size()), layout(call.types.ints("layout")) {
    if (!layout.empty())
      sequence = call.types.dim("sequence", axes.size());
    const std::vector<int64_t> &ofDims = call.types.ints("axes");
    for (size_t dim = 0; dim < ofDims.size(); ++dim) {
      if (dim == sequence && call.types.has("outer"))
        axes[dim].push_back(call.types.intOr("outer", 0));
      if (ofDims[dim] >= 0)
        axes[dim].push_back(ofDims[dim]);
    }
    const std::vector<int64_t> &ofAxes = call.types.ints("shard_dims");
    bool splits = call.types.text("shard_type") == "devices";
    for (size_t axis = 0; splits && axis < ofAxes.size(); ++axis)
      if (ofAxes[axis] >= 0)
        axes[ofAxes[axis]].push_back(axis);
  }

  /// The place in the whole tensor of each row of each dimension of a shard.
  std::vector<std::vector<int64_t>> rowsOf(const Shape &shard,
                                           int64_t device) const {
    Shape coordinates = coordinatesOf(mesh, device);
    std::vector<std::vector<int64_t>> rows;
    for (size_t dim = 0; dim < shard.size(); ++dim) {
      int64_t piece = 0;
      for (size_t axis : axes[dim])
        piece = piece * mesh[axis] + coordinates[axis];
      rows.push_back(dim == sequence ? positionsOf(layout, piece)
                                     : countUp(shard[dim], piece * shard[dim]));
    }
    return rows;
  }
};

/// Between a whole tensor and its shards. Of devices that hold the same shard
/// the first counts: it is the last to write.
Status cross(Call &call, bool inward) {
  const Shape &whole = inward ? call.inputShape(0) : call.outputShape(0);
  const Shape &shard = inward ? call.outputShape(0) : call.inputShape(0);
  int64_t first = inward ? call.device : 0;
  int64_t last = inward ? call.device + 1 : call.types.deviceCount();
  Cut cut(call);
  for (int64_t device = last; device-- > first;) {
    std::vector<std::vector<int64_t>> rows = cut.rowsOf(shard, device);
    forEachIndex(shard, [&](Shape index, int64_t flat) {
      bool inside = true;
      for (size_t d = 0; d < index.size(); ++d) {
        index[d] = rows[d][index[d]];
        inside &= index[d] < whole[d];
      }
      if (inward)
        call.outputs[0][flat] =
            inside ? call.peer(call.types.host(), 0)[flatten(whole, index)] : 0;
      else if (inside)
        call.outputs[0][flatten(whole, index)] = call.peer(device, 0)[flat];
    });
  }
  return Status::success();
}

Status meshShard(Call &call) {
  if (call.types.text("shard_type") == "identity") {
    call.outputs[0] = call.input(0);
    return Status::success();
  }
  return cross(call, call.types.text("direction") == "full_to_shard");
}

} // namespace

void addExchange(Table &table) {
  table["ring.shift"] = table["ring.start_shift"] = shift;
  table["ring.all_gather"] = table["ring.start_all_gather"] = allGather;
  table["ring.all_to_all"] = table["ring.start_all_to_all"] = ringAllToAll;
  table["ring.gather"] = table["ring.start_gather"] = gather;
  table["ring.route"] = table["ring.start_route"] = route;
  table["ring.relayout"] = relayout;
  table["all_gather"] = allGather;
  table["all_reduce"] = table["reduce_scatter"] = reduce;
  table["collective_permute"] = permute;
  table["point_to_point"] = pointToPoint;
  table["all_to_all"] = groupAllToAll;
  table["mesh_partition"] = partition;
  table["mesh_shard"] = meshShard;
  table["ring.shard"] = [](Call &call) { return cross(call, true); };
  table["ring.unshard"] = [](Call &call) { return cross(call, false); };
}

} // namespace ring::rt::reference
