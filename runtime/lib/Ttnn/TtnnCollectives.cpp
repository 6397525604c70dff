// SPDX-License-Identifier: Apache-2.0
//
// Collectives and the transfers of a ring. How many links they take, and
// whether they go round, tt-metal finds out from the fabric.

#include "Ttnn/TtnnCall.h"

namespace ring::rt {

namespace {

/// The coordinate of a device in the mesh as it was opened.
::ttnn::MeshCoordinate coordinateOf(const Program &program, int64_t device) {
  int64_t columns = program.mesh().back();
  return ::ttnn::MeshCoordinate(static_cast<uint32_t>(device / columns),
                                static_cast<uint32_t>(device % columns));
}

// ---- Collectives ---------------------------------------------------------

Status allGather(TtnnCall &call) {
  return call.output(0, ::ttnn::all_gather(call.input(0), call.dim("dim", 0),
                                           call.clusterAxis()));
}

Status checkReduce(const OpTypes &types) {
  std::string reduce = types.text("reduce");
  if (reduce != "sum" && reduce != "mean")
    return error("expects to reduce by sum or mean on devices, but got '",
                 reduce, "'");
  return checkWholeAxis(types);
}

/// The sum over an axis, or the mean as a part of it.
Status reduced(TtnnCall &call, const ::ttnn::Tensor &sum) {
  if (call.types.text("reduce") == "sum")
    return call.output(0, sum);
  float share = 1.0f / static_cast<float>(call.types.axis()->ranks());
  return call.output(0, ::ttnn::multiply(sum, share));
}

Status allReduce(TtnnCall &call) {
  return reduced(call,
                 ::ttnn::all_reduce(call.exactInput(0), call.clusterAxis()));
}

Status reduceScatter(TtnnCall &call) {
  return reduced(
      call, ::ttnn::reduce_scatter(call.exactInput(0), call.dim("dim", 0),
                                   call.clusterAxis(), std::nullopt,
                                   std::nullopt, std::nullopt, std::nullopt,
                                   std::nullopt, std::nullopt, std::nullopt,
                                   std::nullopt, std::nullopt, call.exact()));
}

Status checkPartition(const OpTypes &types) {
  return types.has("axis") ? checkWholeAxis(types) : Status::success();
}

/// Every rank's share of a tensor that all have. Shares of the last two
/// dimensions are cut in tiles where they are whole ones, and in rows
/// elsewhere.
::ttnn::Tensor shareOf(const ::ttnn::Tensor &tensor, int dim, int64_t share,
                       std::optional<uint32_t> axis) {
  int rank = static_cast<int>(tensor.logical_shape().rank());
  bool rows = dim + 2 >= rank && share % kTile != 0;
  return ::ttnn::mesh_partition(rows ? inRows(tensor) : tensor, dim, axis);
}

Status meshPartition(TtnnCall &call) {
  std::optional<uint32_t> axis;
  if (call.types.has("axis"))
    axis = call.clusterAxis();
  int dim = call.dim("dim", 0);
  return call.output(
      0, shareOf(call.input(0), dim, call.types.output(0)->shape[dim], axis));
}

// ---- All to all ----------------------------------------------------------

/// The mesh axis whose lines the groups of an `all_to_all` are, in rank order.
std::optional<int64_t> axisOfGroups(const OpTypes &types) {
  const Shape &mesh = types.program().mesh();
  const std::vector<int64_t> &groups = types.ints("groups");
  int64_t size = types.intOr("group_size", 1);
  for (size_t i = 0; i < mesh.size(); ++i) {
    MeshAxis axis(mesh, static_cast<int64_t>(i));
    bool lines = axis.ranks() == size &&
                 static_cast<int64_t>(groups.size()) == types.deviceCount();
    for (size_t at = 0; lines && at < groups.size(); ++at) {
      int64_t rank = static_cast<int64_t>(at) % size;
      lines = axis.rankOf(groups[at]) == rank &&
              axis.member(groups[at], 0) == groups[at - rank];
    }
    if (lines)
      return static_cast<int64_t>(i);
  }
  return std::nullopt;
}

/// tt-metal has none for whole axes: all are gathered, and each rank keeps its
/// piece, which takes the memory of all ranks meanwhile.
Status trade(TtnnCall &call, uint32_t axis) {
  int dim = call.dim("split", 0);
  return call.output(
      0, shareOf(::ttnn::all_gather(call.input(0), call.dim("concat", 0), axis),
                 dim, call.types.output(0)->shape[dim], axis));
}

Status checkAllToAll(const OpTypes &types) {
  if (!axisOfGroups(types))
    return error("expects groups that are the lines of a mesh axis on devices, "
                 "in order, but got others");
  return Status::success();
}

// ---- Between two devices -------------------------------------------------

/// Sends operand `i` from each source to its target, one pair after the other;
/// who gets nothing has zeros.
::ttnn::Tensor send(TtnnCall &call, size_t i,
                    const std::vector<int64_t> &pairs) {
  const ::ttnn::Tensor &from = call.input(i);
  const Program &program = call.types.program();
  bool all = static_cast<int64_t>(pairs.size()) == 2 * program.deviceCount();
  ::ttnn::Tensor into =
      all ? ::ttnn::empty(from.logical_shape(), from.dtype(), from.layout(),
                          &call.device, from.memory_config())
          : ::ttnn::zeros(from.logical_shape(), from.dtype(), from.layout(),
                          std::ref(call.device), from.memory_config());
  for (size_t pair = 0; pair < pairs.size(); pair += 2)
    into = ::ttnn::point_to_point(from, coordinateOf(program, pairs[pair + 1]),
                                  coordinateOf(program, pairs[pair]),
                                  ::ttnn::ccl::Topology::Linear, into);
  return into;
}

/// The fabric goes along rows and columns.
Status checkLine(const ::ttnn::MeshCoordinate &a,
                 const ::ttnn::MeshCoordinate &b) {
  if (a[0] == b[0] || a[1] == b[1])
    return Status::success();
  return error("expects senders and receivers in one row or column of the mesh "
               "on devices, but got ",
               a[0], ",", a[1], " and ", b[0], ",", b[1]);
}

Status checkPairs(const OpTypes &types) {
  const std::vector<int64_t> &pairs = types.ints("pairs");
  for (size_t i = 0; i + 1 < pairs.size(); i += 2)
    if (Status status = checkLine(coordinateOf(types.program(), pairs[i]),
                                  coordinateOf(types.program(), pairs[i + 1]));
        !status)
      return status;
  return Status::success();
}

/// The pairs of a shift along an axis, of all its lines, but for those whose
/// target it does not reach.
std::vector<int64_t> shiftPairs(const OpTypes &types) {
  MeshAxis axis = *types.axis();
  std::vector<int64_t> pairs;
  for (int64_t device = 0; device < types.deviceCount(); ++device) {
    int64_t target = axis.neighbour(device, types.intOr("by", 0));
    if (axis.rankOf(target) < types.intOr("reaching", 0))
      continue;
    pairs.push_back(device);
    pairs.push_back(target);
  }
  return pairs;
}

/// Blocking: tt-metal's queue already runs ahead of the host, and a buffer is
/// the result's own memory.
Status shift(TtnnCall &call) {
  std::vector<int64_t> pairs = shiftPairs(call.types);
  for (size_t i = 0; i < call.types.outputCount(); ++i)
    if (Status status = call.output(i, send(call, i, pairs)); !status)
      return status;
  return Status::success();
}

::ttnn::MeshCoordinate coordinate(const OpTypes &types, const char *name) {
  const std::vector<int64_t> &at = types.ints(name);
  return ::ttnn::MeshCoordinate(at.size() > 1 ? static_cast<uint32_t>(at[0])
                                              : 0,
                                static_cast<uint32_t>(at.back()));
}

Status checkPointToPoint(const OpTypes &types) {
  return checkLine(coordinate(types, "sender"), coordinate(types, "receiver"));
}

/// The others keep what they had, in a copy: the operand may have readers.
Status pointToPoint(TtnnCall &call) {
  const ::ttnn::Tensor &from = call.input(0);
  ::ttnn::Tensor into =
      ::ttnn::zeros(from.logical_shape(), from.dtype(), from.layout(),
                    std::ref(call.device), from.memory_config());
  if (DeviceTensor kept = call.optionalInput(1))
    into = ::ttnn::add(into, inType(*kept, from.dtype()));
  return call.output(
      0, ::ttnn::point_to_point(from, coordinate(call.types, "receiver"),
                                coordinate(call.types, "sender"),
                                ::ttnn::ccl::Topology::Linear, into));
}

} // namespace

void addTtnnCollectives(TtnnTable &table) {
  for (const char *op :
       {"all_gather", "ring.all_gather", "ring.start_all_gather"})
    table[op] = {checkWholeAxis, allGather};
  for (const char *op : {"ring.all_to_all", "ring.start_all_to_all"})
    table[op] = {checkWholeAxis, [](TtnnCall &call) {
                   return trade(call, call.clusterAxis());
                 }};
  table["all_to_all"] = {
      checkAllToAll, [](TtnnCall &call) {
        return trade(call, call.clusterAxis(*axisOfGroups(call.types)));
      }};
  table["all_reduce"] = {checkReduce, allReduce};
  table["reduce_scatter"] = {checkReduce, reduceScatter};
  table["mesh_partition"] = {checkPartition, meshPartition};
  table["collective_permute"] = {
      checkPairs, [](TtnnCall &call) {
        return call.output(0, send(call, 0, call.types.ints("pairs")));
      }};
  table["ring.shift"] = table["ring.start_shift"] = shift;
  table["point_to_point"] = {checkPointToPoint, pointToPoint};
}

} // namespace ring::rt
