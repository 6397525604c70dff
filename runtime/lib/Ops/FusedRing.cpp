// SPDX-License-Identifier: Apache-2.0
//
// Fused rings on the CPU mesh: each device reads the keys of its peers in
// place, one after the other, and carries one state.

#include "Data/Numbers.h"
#include "Ops/AttentionBlock.h"
#include "Ops/AttentionResult.h"

#include <cstring>

namespace ring::rt {

namespace {

enum JointOperand : size_t {
  kQuery,
  kKey,
  kValue,
  kJointQuery,
  kJointKey,
  kJointValue,
  kSink
};

using positions::LayoutKind;

/// The rows of `ring_joint_sdpa` on a rank: contiguous shards, or with
/// `balanced` chunks r and 2P-1-r of 2P.
Positions ringJointRows(const OpTypes &types, size_t operand, int64_t rank) {
  int64_t ranks = types.axis()->ranks();
  int64_t length = types.input(operand)->shape[2] * ranks;
  SequenceLayout layout{types.flag("balanced") ? LayoutKind::Zigzag
                                               : LayoutKind::Contiguous,
                        length, ranks};
  return layout.positionsOf(rank);
}

/// Which keys its queries see.
Band ringJointBand(const OpTypes &types) {
  return types.flag("causal") ? Band::causal() : Band();
}

/// The query rows that a rank computes in `ring_distributed_sdpa`: chunks r and
/// 2P-1-r of 2P, in this order.
Positions ringDistributedRows(const OpTypes &types, int64_t rank) {
  SequenceLayout layout{LayoutKind::Zigzag, types.input(kQuery)->shape[2],
                        types.axis()->ranks()};
  return layout.positionsOf(rank);
}

Shape outputShape(const OpTypes &types, size_t query) {
  Shape shape = types.input(query)->shape;
  shape[3] = types.input(kValue)->shape[3];
  return shape;
}

kernels::AttentionShape shapeOf(const OpTypes &types, size_t query,
                                size_t key) {
  return attentionShape(*types.input(query), *types.input(key),
                        *types.input(key + 1));
}

Status verifyFused(const OpTypes &types) {
  if (Status status = verifyAttention(types, kQuery); !status)
    return status;
  if (types.input(kQuery)->placement != Placement::Local)
    return error("expects local values, but got ",
                 describe(*types.input(kQuery)));
  Result<MeshAxis> axis = types.axis();
  return axis ? Status::success() : axis.status();
}

// ---- ring_joint_sdpa -----------------------------------------------------

Status verifyRingJoint(const OpTypes &types) {
  if (Status status = verifyFused(types); !status)
    return status;
  int64_t ranks = types.axis()->ranks();
  int64_t keys = types.input(kKey)->shape[2] * ranks;
  int64_t length = types.intOr("length", 0);
  if (length < 1 || length > keys)
    return error("expects a length from 1 to ", keys, ", but got ", length);
  if (types.has("topology") && types.text("topology") != "ring" &&
      types.text("topology") != "linear")
    return error("expects the topology ring or linear, but got '",
                 types.text("topology"), "'");
  bool joint = types.input(kJointQuery) != nullptr;
  if (joint != (types.input(kJointKey) != nullptr) ||
      joint != (types.input(kJointValue) != nullptr) ||
      joint != (types.output(1) != nullptr))
    return error("expects joint query, key, value and output together");
  if (joint && types.flag("causal"))
    return error("expects joint tokens without 'causal'");
  if (types.flag("balanced") && (types.input(kQuery)->shape[2] % 2 != 0 ||
                                 types.input(kKey)->shape[2] % 2 != 0))
    return error("expects an even number of rows with 'balanced', but got ",
                 types.input(kQuery)->shape[2], " and ",
                 types.input(kKey)->shape[2]);
  // The device takes padding to be the last rows of the last rank, which of a
  // zigzag are not the end of the sequence; a causal pattern hides it.
  if (types.flag("balanced") && length != keys)
    return error("expects a length of all ", keys,
                 " rows with 'balanced', but got ", length);
  int64_t queryRows = types.input(kQuery)->shape[2];
  int64_t keyRows = types.input(kKey)->shape[2];
  if (types.flag("cross") &&
      (types.flag("causal") || types.flag("balanced") || queryRows >= keyRows))
    return error("expects 'cross' with fewer queries than keys, without "
                 "'causal' and 'balanced', but got ",
                 queryRows, " and ", keyRows);
  if (Status status = verifySink(types, kSink, types.input(kQuery)->shape[1]);
      !status)
    return status;
  if (joint) {
    if (Status status = verifyAttention(types, kJointQuery); !status)
      return status;
    if (Status status = expectShape(types, 1, outputShape(types, kJointQuery));
        !status)
      return status;
  }
  return expectShape(types, 0, outputShape(types, kQuery));
}

/// Keys or values that a peer has.
HeadRows peerRows(OpRun &run, int64_t source, size_t i) {
  const ValueType &type = *run.types.input(i);
  HeadRows rows;
  rows.storage = run.peer(source, i);
  bool tiles = isBlockFormat(type.element);
  rows.tiles = tiles ? &type : nullptr;
  rows.view = kernels::denseView(
      static_cast<const void *>(tiles ? nullptr : rows.storage->data()),
      kernelElement(run.inputElement(i)), type.shape[1], type.shape[2],
      type.shape[3]);
  return rows;
}

/// The queries of operand `query`, unpacked if they have to be.
Result<kernels::TensorView> queryView(OpRun &run, size_t query,
                                      StorageRef &keep) {
  Result<StorageRef> own = run.readPeer(run.device(), query);
  if (!own)
    return own.status();
  keep = *own;
  const Shape &shape = run.types.input(query)->shape;
  return kernels::denseView(static_cast<const void *>(keep->data()),
                            kernelElement(run.inputElement(query)), shape[1],
                            shape[2], shape[3]);
}

/// Queries over the keys of all ranks and the joint ones.
Status attend(OpRun &run, size_t query, size_t output) {
  const OpTypes &types = run.types;
  MeshAxis axis = *types.axis();
  StorageRef keep;
  Result<kernels::TensorView> queries = queryView(run, query, keep);
  if (!queries)
    return queries.status();
  AttentionBlock block;
  block.problem.shape = shapeOf(types, query, kKey);
  block.problem.scale = scaleOf(types, block.problem.shape.keyDim);
  block.problem.masking.keyLimit = types.intOr("length", 0);
  std::vector<float> sinks;
  if (run.hasInput(kSink)) {
    Result<StorageRef> sink = run.readPeer(run.device(), kSink);
    if (!sink)
      return sink.status();
    sinks.resize(block.problem.shape.queryHeads);
    loadNumbers((*sink)->data(), run.inputElement(kSink), 0, 1, sinks.data(),
                static_cast<int64_t>(sinks.size()));
    for (float &logit : sinks)
      logit *= block.problem.scale;
  }
  Result<AttentionResult> result =
      AttentionResult::make(block.problem.shape, run.output(output),
                            run.outputElement(output), sinks);
  if (!result)
    return result.status();
  bool sequence = query == kQuery;
  int64_t own = axis.rankOf(run.device());
  block.setBand(sequence ? ringJointBand(types) : Band());
  Positions rows = sequence ? ringJointRows(types, kQuery, own)
                            : Positions{{0, block.problem.shape.queries, 1}};
  for (int64_t rank = 0; rank < axis.ranks(); ++rank) {
    int64_t source = axis.member(run.device(), rank);
    block.setPositions(rows, ringJointRows(types, kKey, rank));
    if (Status status =
            accumulateBlock(run, block, *queries, peerRows(run, source, kKey),
                            peerRows(run, source, kValue), result->state);
        !status)
      return status;
  }
  if (run.hasInput(kJointKey)) {
    AttentionBlock joint;
    joint.problem.shape = shapeOf(types, query, kJointKey);
    joint.problem.scale = block.problem.scale;
    if (Status status = accumulateBlock(
            run, joint, *queries, peerRows(run, run.device(), kJointKey),
            peerRows(run, run.device(), kJointValue), result->state);
        !status)
      return status;
  }
  result->finish(nullptr);
  return Status::success();
}

Status runRingJoint(OpRun &run) {
  if (Status status = attend(run, kQuery, 0); !status)
    return status;
  return run.hasInput(kJointQuery) ? attend(run, kJointQuery, 1)
                                   : Status::success();
}

/// Keys and values of every rank.
void ringJointArrivals(const OpTypes &types, int64_t device,
                       std::vector<Arrival> &arrivals) {
  MeshAxis axis = *types.axis();
  int64_t bytes =
      heldBytes(*types.input(kKey)) + heldBytes(*types.input(kValue));
  for (int64_t rank = 0; rank < axis.ranks(); ++rank)
    arrivals.push_back({axis.member(device, rank), bytes});
}

double ringJointFlops(const OpTypes &types, int64_t device) {
  MeshAxis axis = *types.axis();
  const Shape &query = types.input(kQuery)->shape;
  Positions rows = ringJointRows(types, kQuery, axis.rankOf(device));
  double pairs = 0;
  for (int64_t rank = 0; rank < axis.ranks(); ++rank)
    pairs += static_cast<double>(
        countPairs(rows, ringJointRows(types, kKey, rank), ringJointBand(types),
                   types.intOr("length", 0)));
  double joint = 0;
  if (types.input(kJointQuery)) {
    joint = static_cast<double>(types.input(kJointQuery)->shape[2]);
    double length = static_cast<double>(types.intOr("length", 0));
    pairs += joint * (static_cast<double>(query[2]) + length + joint);
  }
  return 2 * pairs * static_cast<double>(query[0] * query[1]) *
         static_cast<double>(query[3] + types.input(kValue)->shape[3]);
}

// ---- ring_distributed_sdpa -----------------------------------------------

Status verifyRingDistributed(const OpTypes &types) {
  if (Status status = verifyFused(types); !status)
    return status;
  int64_t ranks = types.axis()->ranks();
  Shape out = outputShape(types, kQuery);
  if (out[2] % (2 * ranks) != 0 || out[2] != types.input(kKey)->shape[2])
    return error("expects as many queries as keys, a multiple of ", 2 * ranks,
                 ", but got ", out[2], " and ", types.input(kKey)->shape[2]);
  out[2] /= ranks;
  return expectShape(types, 0, out);
}

Status runRingDistributed(OpRun &run) {
  const OpTypes &types = run.types;
  int64_t rank = types.axis()->rankOf(run.device());
  const Shape &out = types.output(0)->shape;
  int64_t firstRow = 0;
  for (const PositionRange &rows : ringDistributedRows(types, rank)) {
    AttentionBlock block;
    block.problem.shape = shapeOf(types, kQuery, kKey);
    block.problem.shape.queries = rows.size;
    block.problem.scale = scaleOf(types, block.problem.shape.keyDim);
    block.setBand(Band::causal());
    block.setPositions({rows}, {{0, block.problem.shape.keys, 1}});
    kernels::TensorView queries = viewOf(run, kQuery);
    queries.data =
        static_cast<const uint8_t *>(queries.data) +
        rows.begin * queries.rowStride * kernels::elementBytes(queries.type);
    kernels::ElementType held = kernelElement(run.outputElement(0));
    kernels::MutableTensorView into = kernels::denseView(
        static_cast<void *>(run.output(0) +
                            firstRow * out[3] * kernels::elementBytes(held)),
        held, out[1], out[2], out[3]);
    Result<AttentionResult> result =
        AttentionResult::make(block.problem.shape, into, {});
    if (!result)
      return result.status();
    if (Status status =
            accumulateBlock(run, block, queries, keyRowsOf(run, kKey),
                            keyRowsOf(run, kValue), result->state);
        !status)
      return status;
    result->finish(nullptr);
    firstRow += rows.size;
  }
  return Status::success();
}

double ringDistributedFlops(const OpTypes &types, int64_t device) {
  const Shape &query = types.input(kQuery)->shape;
  double pairs = static_cast<double>(countPairs(
      ringDistributedRows(types, types.axis()->rankOf(device)),
      PositionRange{0, types.input(kKey)->shape[2]}, Band::causal()));
  return 2 * pairs * static_cast<double>(query[0] * query[1]) *
         static_cast<double>(query[3] + types.input(kValue)->shape[3]);
}

int64_t fusedScratch(const OpTypes &types, int threads) {
  kernels::AttentionShape shape = shapeOf(types, kQuery, kKey);
  return accumulateScratch(shape, threads) +
         AttentionResult::scratchBytes(shape, types.output(0)->element);
}

} // namespace

/// What a device's kernel is told and changes no result here: the planner's
/// chunks, cores and numbers.
static std::vector<AttributeSpec>
withKernelSettings(std::vector<AttributeSpec> specs) {
  for (AttributeSpec setting : std::initializer_list<AttributeSpec>{
           {"q_chunk", AttributeKind::Int},
           {"k_chunk", AttributeKind::Int},
           {"exp_approx", AttributeKind::Int},
           {"math_approx", AttributeKind::Int},
           {"fp32_accumulation", AttributeKind::Int},
           {"fidelity", AttributeKind::String},
           {"grid", AttributeKind::Ints},
           {"ccl_offset", AttributeKind::Ints},
           {"column_major_ccl", AttributeKind::Int}})
    specs.push_back(setting);
  return specs;
}

void registerFusedRingOps(OpTable &table) {
  Op joint;
  joint.name = "ring_joint_sdpa";
  joint.signature.inputs = {3, 7};
  joint.signature.outputs.most = 2;
  joint.signature.attributes =
      withKernelSettings(withAxis({{"length", AttributeKind::Int, true},
                                   {"causal", AttributeKind::Int},
                                   {"balanced", AttributeKind::Int},
                                   {"cross", AttributeKind::Int},
                                   {"scale", AttributeKind::Float},
                                   {"num_links", AttributeKind::Int},
                                   {"topology", AttributeKind::String}}));
  joint.costs.keysAndValues = {kKey, kValue};
  joint.signature.verify = verifyRingJoint;
  joint.run = runRingJoint;
  joint.exchange = OpExchange(ringJointArrivals, Carriage::AllGather);
  joint.costs.scratchBytes = fusedScratch;
  joint.costs.flops = ringJointFlops;
  table.add(std::move(joint));

  Op distributed;
  distributed.name = "ring_distributed_sdpa";
  distributed.signature.inputs = {3, 3};
  distributed.signature.attributes =
      withKernelSettings(withAxis({{"scale", AttributeKind::Float}}));
  distributed.costs.keysAndValues = {kKey, kValue};
  distributed.access.takesPacked = isKeyOrValue;
  distributed.signature.verify = verifyRingDistributed;
  distributed.run = runRingDistributed;
  distributed.costs.scratchBytes = fusedScratch;
  distributed.costs.flops = ringDistributedFlops;
  table.add(std::move(distributed));
}

} // namespace ring::rt
