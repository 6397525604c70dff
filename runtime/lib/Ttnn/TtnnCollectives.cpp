// SPDX-License-Identifier: Apache-2.0
//
// Collectives and the transfers of a ring.

#include "Ttnn/TtnnCall.h"

namespace ring::rt {

namespace {

/// The coordinate of a device in the mesh as it was opened.
::ttnn::MeshCoordinate coordinateOf(const Program &program, int64_t device) {
  const Shape &mesh = program.mesh();
  int64_t columns = mesh.back();
  return ::ttnn::MeshCoordinate(static_cast<uint32_t>(device / columns),
                                static_cast<uint32_t>(device % columns));
}

Status allGather(TtnnCall &call) {
  Result<uint32_t> axis = call.clusterAxis();
  if (!axis)
    return axis.status();
  call.output(0, ::ttnn::all_gather(call.input(0), call.dim("dim", 0), *axis,
                                    std::nullopt, std::nullopt, std::nullopt,
                                    std::nullopt, std::nullopt, call.topology));
  return Status::success();
}

/// The sum over an axis, or the mean as a part of it.
Status scaled(TtnnCall &call, const ::ttnn::Tensor &sum) {
  std::string reduce = call.types.text("reduce");
  if (reduce == "mean") {
    float share = 1.0f / static_cast<float>(call.types.axis()->ranks());
    call.output(0, ::ttnn::multiply(sum, share));
    return Status::success();
  }
  call.output(0, sum);
  return Status::success();
}

Status expectSum(const TtnnCall &call) {
  std::string reduce = call.types.text("reduce");
  if (reduce != "sum" && reduce != "mean")
    return error("expects to reduce by sum or mean on devices, but got '",
                 reduce, "'");
  return Status::success();
}

Status allReduce(TtnnCall &call) {
  Result<uint32_t> axis = call.clusterAxis();
  if (!axis)
    return axis.status();
  if (Status status = expectSum(call); !status)
    return status;
  return scaled(call,
                ::ttnn::all_reduce(call.input(0), *axis, std::nullopt,
                                   std::nullopt, std::nullopt, call.topology));
}

Status reduceScatter(TtnnCall &call) {
  Result<uint32_t> axis = call.clusterAxis();
  if (!axis)
    return axis.status();
  if (Status status = expectSum(call); !status)
    return status;
  return scaled(call, ::ttnn::reduce_scatter(call.input(0), call.dim("dim", 0),
                                             *axis, std::nullopt, std::nullopt,
                                             std::nullopt, std::nullopt,
                                             std::nullopt, call.topology));
}

/// Sends operand `i` from each source to its target, one pair after the other;
/// who gets nothing has zeros.
::ttnn::Tensor permute(TtnnCall &call, size_t i,
                       const std::vector<int64_t> &pairs) {
  const ::ttnn::Tensor &from = call.input(i);
  ::ttnn::Tensor into =
      ::ttnn::full(TtnnCall::shapeOf(call.types.input(i)->shape), 0.0f,
                   from.dtype(), ::ttnn::Layout::TILE, std::ref(call.device));
  const Program &program = call.types.program();
  for (size_t pair = 0; pair < pairs.size(); pair += 2)
    into = ::ttnn::point_to_point(from, coordinateOf(program, pairs[pair + 1]),
                                  coordinateOf(program, pairs[pair]),
                                  call.topology, into);
  return into;
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
    call.output(i, permute(call, i, pairs));
  return Status::success();
}

Status pointToPoint(TtnnCall &call) {
  auto coordinate = [&](const char *name) {
    std::vector<int64_t> at = call.types.ints(name);
    return ::ttnn::MeshCoordinate(at.size() > 1 ? static_cast<uint32_t>(at[0])
                                                : 0,
                                  static_cast<uint32_t>(at.back()));
  };
  call.output(0, ::ttnn::point_to_point(call.input(0), coordinate("receiver"),
                                        coordinate("sender"), call.topology,
                                        call.optionalInput(1)));
  return Status::success();
}

Status meshPartition(TtnnCall &call) {
  std::optional<uint32_t> axis;
  if (call.types.has("axis")) {
    Result<uint32_t> found = call.clusterAxis();
    if (!found)
      return found.status();
    axis = *found;
  }
  call.output(0,
              ::ttnn::mesh_partition(call.input(0), call.dim("dim", 0), axis));
  return Status::success();
}

} // namespace

void addTtnnCollectives(TtnnTable &table) {
  table["all_gather"] = allGather;
  table["ring.all_gather"] = allGather;
  table["ring.start_all_gather"] = allGather;
  table["all_reduce"] = allReduce;
  table["reduce_scatter"] = reduceScatter;
  table["collective_permute"] = [](TtnnCall &call) {
    call.output(0, permute(call, 0, call.types.ints("pairs")));
    return Status::success();
  };
  table["ring.shift"] = shift;
  table["ring.start_shift"] = shift;
  table["point_to_point"] = pointToPoint;
  table["mesh_partition"] = meshPartition;
}

} // namespace ring::rt
