// SPDX-License-Identifier: Apache-2.0
//
// The collectives of TTIR and TTNN. Reductions go in rank order on every
// device, so all of them get the same bits.

#include "Data/Numbers.h"
#include "Ops/Exchange.h"
#include "Ops/StridedLoop.h"

#include <algorithm>
#include <cstring>

namespace ring::rt {

namespace {

Status verifyLocal(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  if (types.input(0)->placement != Placement::Local)
    return error("expects local values, but got ", describe(*types.input(0)));
  if (types.input(0)->element != types.output(0)->element)
    return error("expects a result of ", nameOf(types.input(0)->element),
                 ", but got ", describe(*types.output(0)));
  return Status::success();
}

// ---- Gathers and reductions ----------------------------------------------

Status verifyAllGather(const OpTypes &types) {
  if (Status status = verifyLocal(types); !status)
    return status;
  Result<MeshAxis> axis = types.axis();
  if (!axis)
    return axis.status();
  const Shape &shape = types.input(0)->shape;
  Result<Shape> gathered =
      gatheredShape(shape, types.dim("dim", shape.size()), axis->ranks());
  if (!gathered)
    return gathered.status();
  return expectShape(types, 0, *gathered);
}

/// The part that the result covers, of every member.
void reduceArrivals(const OpTypes &types, int64_t device,
                    std::vector<Arrival> &arrivals) {
  MeshAxis axis = *types.axis();
  for (int64_t rank = 0; rank < axis.ranks(); ++rank)
    arrivals.push_back(
        {axis.member(device, rank), heldBytes(*types.output(0))});
}

Status verifyReduce(const OpTypes &types) {
  if (Status status = verifyLocal(types); !status)
    return status;
  Result<MeshAxis> axis = types.axis();
  if (!axis)
    return axis.status();
  std::string reduce = types.text("reduce");
  if (reduce != "sum" && reduce != "max" && reduce != "min" && reduce != "mean")
    return error("expects to reduce by sum, max, min or mean, but got '",
                 reduce, "'");
  Shape shape = types.input(0)->shape;
  if (types.has("dim")) {
    int64_t dim = types.dim("dim", shape.size());
    if (dim < 0 || shape[dim] % axis->ranks() != 0)
      return error("expects a dimension that ", axis->ranks(),
                   " ranks divide, but got ", types.intOr("dim", 0), " of ",
                   describe(shape));
    shape[dim] /= axis->ranks();
  }
  return expectShape(types, 0, shape);
}

/// Reduces the part of the operands that the result covers: all of it, or this
/// rank's piece of `dim`.
Status runReduce(OpRun &run) {
  MeshAxis axis = *run.types.axis();
  std::string reduce = run.types.text("reduce");
  const Shape &from = run.types.input(0)->shape;
  const Shape &into = run.types.output(0)->shape;
  Shape read = denseStrides(from);
  int64_t base = 0;
  if (run.types.has("dim")) {
    int64_t dim = run.types.dim("dim", from.size());
    base = axis.rankOf(run.device()) * into[dim] * read[dim];
  }
  std::vector<StorageRef> peers;
  for (int64_t rank = 0; rank < axis.ranks(); ++rank) {
    int64_t member = axis.member(run.device(), rank);
    Result<StorageRef> peer = run.readPeer(member, 0);
    if (!peer)
      return peer.status();
    peers.push_back(*peer);
  }
  StridedLoop loop(into, {read, denseStrides(into)});
  return run.parallelFor(
      loop.rows(), loop.grain(), [&](int64_t begin, int64_t end) {
        constexpr int64_t kChunk = 512;
        double total[kChunk], term[kChunk];
        for (int64_t row = begin; row < end; ++row)
          for (int64_t i = 0; i < loop.rowLength(); i += kChunk) {
            int64_t count = std::min(kChunk, loop.rowLength() - i);
            int64_t offset =
                base + loop.offset(0, row) + i * loop.innerStride(0);
            for (size_t p = 0; p < peers.size(); ++p) {
              loadNumbers(peers[p]->data(), run.inputElement(0), offset,
                          loop.innerStride(0), p ? term : total, count);
              for (int64_t j = 0; p && j < count; ++j) {
                if (reduce == "max")
                  total[j] = std::max(total[j], term[j]);
                else if (reduce == "min")
                  total[j] = std::min(total[j], term[j]);
                else
                  total[j] += term[j];
              }
            }
            if (reduce == "mean")
              for (int64_t j = 0; j < count; ++j)
                total[j] /= static_cast<double>(peers.size());
            storeNumbers(run.output(0), run.outputElement(0),
                         loop.offset(1, row) + i, total, count);
          }
      });
}

/// A reduction of a block format reads all peers side by side; one of them is
/// counted for every op.
int64_t unpackedPeers(const OpTypes &types, int) {
  const ValueType &type = *types.input(0);
  if (!isBlockFormat(type.element))
    return 0;
  return (types.axis()->ranks() - 1) * elementCount(type.shape) *
         heldElementBytes(type.element);
}

// ---- Permutations --------------------------------------------------------

Status fillZeros(OpRun &run) {
  StorageRef zeros = Storage::allocate(heldBytes(*run.types.output(0)));
  if (!zeros)
    return error("there is no memory for ", heldBytes(*run.types.output(0)),
                 " bytes");
  std::memset(zeros->mutableData(), 0, heldBytes(*run.types.output(0)));
  run.shareOutput(0, std::move(zeros));
  return Status::success();
}

Status verifyPermute(const OpTypes &types) {
  if (Status status = verifyLocal(types); !status)
    return status;
  const std::vector<int64_t> &pairs = types.ints("pairs");
  if (pairs.size() % 2 != 0)
    return error("expects pairs of devices, but got ", pairs.size(),
                 " numbers");
  std::vector<bool> sends(types.deviceCount(), false), gets = sends;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i] < 0 || pairs[i] >= types.deviceCount())
      return error("expects devices from 0 to ", types.deviceCount() - 1,
                   ", but got ", pairs[i]);
    std::vector<bool> &seen = i % 2 ? gets : sends;
    if (seen[pairs[i]])
      return error("expects each device once as source and as target, but ",
                   pairs[i], " occurs twice");
    seen[pairs[i]] = true;
  }
  return expectSameType(types, 0, 0);
}

/// The device that sends to `device`, or -1.
int64_t senderTo(const OpTypes &types, int64_t device) {
  const std::vector<int64_t> &pairs = types.ints("pairs");
  for (size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i + 1] == device)
      return pairs[i];
  return -1;
}

void permuteArrivals(const OpTypes &types, int64_t device,
                     std::vector<Arrival> &arrivals) {
  if (int64_t source = senderTo(types, device); source >= 0)
    arrivals.push_back({source, heldBytes(*types.input(0))});
}

Status runPermute(OpRun &run) {
  int64_t source = senderTo(run.types, run.device());
  if (source < 0)
    return fillZeros(run);
  run.shareOutput(0, run.peer(source, 0));
  return Status::success();
}

/// The number of a device by its coordinates; -1 if there is none.
int64_t deviceAt(const Shape &mesh, const std::vector<int64_t> &coordinates) {
  if (coordinates.size() != mesh.size())
    return -1;
  int64_t device = 0;
  for (size_t i = 0; i < mesh.size(); ++i) {
    if (coordinates[i] < 0 || coordinates[i] >= mesh[i])
      return -1;
    device = device * mesh[i] + coordinates[i];
  }
  return device;
}

Status verifyPointToPoint(const OpTypes &types) {
  if (Status status = verifyLocal(types); !status)
    return status;
  for (const char *name : {"sender", "receiver"})
    if (deviceAt(types.program().mesh(), types.ints(name)) < 0)
      return error("expects '", name, "' to be coordinates in the mesh ",
                   describe(types.program().mesh()));
  if (types.input(1) && *types.input(1) != *types.input(0))
    return error("expects operand 1 to be ", describe(*types.input(0)),
                 ", but got ", describe(*types.input(1)));
  return expectSameType(types, 0, 0);
}

void pointToPointArrivals(const OpTypes &types, int64_t device,
                          std::vector<Arrival> &arrivals) {
  const Shape &mesh = types.program().mesh();
  if (device == deviceAt(mesh, types.ints("receiver")))
    arrivals.push_back(
        {deviceAt(mesh, types.ints("sender")), heldBytes(*types.input(0))});
}

Status runPointToPoint(OpRun &run) {
  const Shape &mesh = run.types.program().mesh();
  if (run.device() != deviceAt(mesh, run.types.ints("receiver"))) {
    if (!run.hasInput(1))
      return fillZeros(run);
    run.shareOutput(0, run.inputStorage(1));
    return Status::success();
  }
  int64_t source = deviceAt(mesh, run.types.ints("sender"));
  run.shareOutput(0, run.peer(source, 0));
  return Status::success();
}

// ---- All-to-all and partition --------------------------------------------

Status verifyAllToAll(const OpTypes &types) {
  if (Status status = verifyLocal(types); !status)
    return status;
  std::vector<int64_t> groups = types.ints("groups");
  int64_t size = types.intOr("group_size", 0);
  if (size < 1 || static_cast<int64_t>(groups.size()) != types.deviceCount() ||
      types.deviceCount() % size != 0)
    return error("expects groups of equal size that name ", types.deviceCount(),
                 " devices, but got ", groups.size(), " in groups of ", size);
  std::vector<bool> seen(types.deviceCount(), false);
  for (int64_t device : groups) {
    if (device < 0 || device >= types.deviceCount() || seen[device])
      return error("expects every device in one group, but ", device,
                   " is out of range or occurs twice");
    seen[device] = true;
  }
  const Shape &shape = types.input(0)->shape;
  Result<Shape> traded = tradedShape(shape, types.dim("split", shape.size()),
                                     types.dim("concat", shape.size()), size);
  if (!traded)
    return traded.status();
  return expectShape(types, 0, *traded);
}

/// The group of a device, and the device's number in it.
std::vector<int64_t> groupOf(const OpTypes &types, int64_t device,
                             int64_t &self) {
  std::vector<int64_t> groups = types.ints("groups");
  int64_t size = types.intOr("group_size", 1);
  int64_t place =
      std::find(groups.begin(), groups.end(), device) - groups.begin();
  self = place % size;
  auto first = groups.begin() + (place - self);
  return std::vector<int64_t>(first, first + size);
}

Status runAllToAll(OpRun &run) {
  int64_t self = 0;
  std::vector<int64_t> members = groupOf(run.types, run.device(), self);
  size_t rank = run.types.input(0)->shape.size();
  return tradeSplits(run, members, self, run.types.dim("split", rank),
                     run.types.dim("concat", rank), *run.types.output(0));
}

std::optional<TensorPieces> allToAllInPlace(const OpRun &run) {
  int64_t self = 0;
  std::vector<int64_t> members = groupOf(run.types, run.device(), self);
  size_t rank = run.types.input(0)->shape.size();
  return tradesInPlace(run, members, self, run.types.dim("split", rank),
                       run.types.dim("concat", rank));
}

void allToAllArrivals(const OpTypes &types, int64_t device,
                      std::vector<Arrival> &arrivals) {
  int64_t self = 0;
  tradeArrivals(*types.input(0), groupOf(types, device, self), arrivals);
}

Result<MeshAxis> partitionAxis(const OpTypes &types) {
  if (types.has("axis"))
    return types.axis();
  return MeshAxis::all(types.program().mesh());
}

Status verifyPartition(const OpTypes &types) {
  if (Status status = verifyLocal(types); !status)
    return status;
  Result<MeshAxis> axis = partitionAxis(types);
  if (!axis)
    return axis.status();
  Shape shape = types.input(0)->shape;
  int64_t dim = types.dim("dim", shape.size());
  if (dim < 0 || shape[dim] % axis->ranks() != 0)
    return error("expects a dimension that ", axis->ranks(),
                 " ranks divide, but got ", types.intOr("dim", 0), " of ",
                 describe(shape));
  shape[dim] /= axis->ranks();
  return expectShape(types, 0, shape);
}

Status runPartition(OpRun &run) {
  const ValueType &from = *run.types.input(0), &into = *run.types.output(0);
  int64_t dim = run.types.dim("dim", from.shape.size());
  int64_t rank = partitionAxis(run.types)->rankOf(run.device());
  int64_t rows = into.shape[dim];
  copyRows(rowCopyAlong(from, into, dim), run.input(0), rank * rows, 1,
           run.output(0), 0, 1, rows);
  return Status::success();
}

Op collective(const char *name, Status (*verify)(const OpTypes &),
              Status (*run)(OpRun &), std::vector<AttributeSpec> attributes) {
  Op op;
  op.name = name;
  op.signature.verify = verify;
  op.run = run;
  op.signature.attributes = std::move(attributes);
  op.access.moves = true;
  return op;
}

} // namespace

void registerCollectiveOps(OpTable &table) {
  constexpr AttributeKind kInt = AttributeKind::Int;
  constexpr AttributeKind kInts = AttributeKind::Ints;
  const AttributeSpec reduceBy = {"reduce", AttributeKind::String, true};
  Op allGather = collective("all_gather", verifyAllGather, runAllGather,
                            withAxis({{"dim", kInt, true}}));
  allGather.exchange = OpExchange(allGatherArrivals, Carriage::AllGather);
  leaveInPlace(allGather, allGatherInPlace);
  shareGathered(allGather);
  table.add(std::move(allGather));
  Op allReduce =
      collective("all_reduce", verifyReduce, runReduce, withAxis({reduceBy}));
  allReduce.exchange = OpExchange(reduceArrivals, Carriage::AllReduce);
  allReduce.access.moves = false;
  allReduce.costs.scratchBytes = unpackedPeers;
  table.add(std::move(allReduce));
  Op reduceScatter = collective("reduce_scatter", verifyReduce, runReduce,
                                withAxis({{"dim", kInt, true}, reduceBy}));
  reduceScatter.exchange = OpExchange(reduceArrivals, Carriage::ReduceScatter);
  reduceScatter.access.moves = false;
  reduceScatter.costs.scratchBytes = unpackedPeers;
  table.add(std::move(reduceScatter));

  Op permute = collective("collective_permute", verifyPermute, runPermute,
                          {{"pairs", kInts, true}});
  permute.access.shares = true;
  permute.exchange = OpExchange(permuteArrivals);
  table.add(std::move(permute));

  Op pointToPoint =
      collective("point_to_point", verifyPointToPoint, runPointToPoint,
                 {{"sender", kInts, true}, {"receiver", kInts, true}});
  pointToPoint.signature.inputs.most = 2;
  pointToPoint.access.shares = true;
  pointToPoint.exchange = OpExchange(pointToPointArrivals);
  table.add(std::move(pointToPoint));

  Op allToAll = collective("all_to_all", verifyAllToAll, runAllToAll,
                           {{"split", kInt, true},
                            {"concat", kInt, true},
                            {"groups", kInts, true},
                            {"group_size", kInt, true}});
  allToAll.exchange = OpExchange(allToAllArrivals, Carriage::AllToAll);
  leaveInPlace(allToAll, allToAllInPlace);
  table.add(std::move(allToAll));

  std::vector<AttributeSpec> partitionAttributes =
      axisAttributes(/*required=*/false);
  partitionAttributes.push_back({"dim", kInt, true});
  table.add(collective("mesh_partition", verifyPartition, runPartition,
                       partitionAttributes));
}

} // namespace ring::rt
