// SPDX-License-Identifier: Apache-2.0
//
// The two fused ops that know the ring.

#include "Ttnn/TtnnAttentionConfig.h"
#include "Ttnn/TtnnRingRooms.h"

namespace ring::rt {

namespace {

namespace transformer = ::ttnn::transformer;
using ::ttnn::CoreCoord;

enum JointOperand : size_t { kQuery, kKey, kValue, kJointQuery, kSink = 6 };

// ---- What the plan says --------------------------------------------------

/// The core that two numbers of the program name, if they do.
std::optional<CoreCoord> coreOf(const OpTypes &types, const char *name) {
  const std::vector<int64_t> &numbers = types.ints(name);
  if (numbers.size() != 2)
    return std::nullopt;
  return CoreCoord(static_cast<size_t>(numbers[0]),
                   static_cast<size_t>(numbers[1]));
}

/// The cores that compute and those that transfer, which are apart.
struct Cores {
  CoreCoord compute;  ///< a rectangle from the first core on
  CoreCoord transfer; ///< the first of those that transfer
  bool column;        ///< they stand below each other, not beside

  /// As the plan says; else the last row transfers.
  Cores(const OpTypes &types, CoreCoord grid)
      : compute(coreOf(types, "grid").value_or(CoreCoord(grid.x, grid.y - 1))),
        transfer(coreOf(types, "ccl_offset").value_or(CoreCoord(0, compute.y))),
        column(transfer.y < compute.y) {}
};

/// Rows of queries that a chunk may not cross, on a device.
int64_t queryRows(const OpTypes &types) {
  int64_t rows = types.input(kQuery)->shape[2];
  return types.flag("balanced") ? rows / 2 : rows;
}

/// Chunks as the plan says; else as large as they can be.
Chunks plannedChunks(const OpTypes &types, int64_t queries) {
  Chunks chunks =
      chunksOf(queries, types.input(kKey)->shape[2],
               types.input(kKey)->shape[3], types.input(kValue)->shape[3]);
  chunks.queries = types.intOr("q_chunk", chunks.queries);
  chunks.keys = types.intOr("k_chunk", chunks.keys);
  return chunks;
}

SDPAProgramConfig plannedProgram(const OpTypes &types, CoreCoord grid,
                                 int64_t queries) {
  SDPAProgramConfig config = programOf(grid, plannedChunks(types, queries));
  config.exp_approx_mode = types.flag("exp_approx");
  return config;
}

std::optional<tt::tt_metal::MathFidelity> fidelityOf(const OpTypes &types) {
  using tt::tt_metal::MathFidelity;
  std::string name = types.text("fidelity");
  if (name.empty() || name == "hifi2")
    return MathFidelity::HiFi2;
  if (name == "lofi")
    return MathFidelity::LoFi;
  if (name == "hifi3")
    return MathFidelity::HiFi3;
  if (name == "hifi4")
    return MathFidelity::HiFi4;
  return std::nullopt;
}

/// Numbers as the plan says. A config that is given counts wholly, so nothing
/// of tt-metal's own remains.
::ttnn::DeviceComputeKernelConfig plannedNumbers(const OpTypes &types) {
  ::ttnn::DeviceComputeKernelConfig config;
  config.math_fidelity = *fidelityOf(types);
  config.math_approx_mode = types.flag("exp_approx");
  config.fp32_dest_acc_en = types.flag("fp32_accumulation");
  return config;
}

// ---- Refusals ------------------------------------------------------------

Status checkPlan(const OpTypes &types, int64_t queries, bool oneDim) {
  if (Status status = checkAttention(types, oneDim); !status)
    return status;
  if (Status status = checkWholeAxis(types); !status)
    return status;
  if (!fidelityOf(types))
    return error("expects a fidelity of lofi, hifi2, hifi3 or hifi4, but got '",
                 types.text("fidelity"), "'");
  Chunks chunks = plannedChunks(types, queries);
  if (chunks.queries % kTile != 0 || chunks.keys % kTile != 0)
    return error("expects chunks of whole tiles of ", kTile, ", but got ",
                 chunks.queries, " and ", chunks.keys);
  return Status::success();
}

Status expectOneType(const OpTypes &types, size_t operands) {
  for (size_t i = 0; i < operands; ++i)
    if (types.input(i) && types.input(i)->element != types.input(0)->element)
      return error("expects one element type for all operands, ",
                   nameOf(types.input(0)->element), ", but operand ", i, " is ",
                   nameOf(types.input(i)->element));
  return Status::success();
}

Status checkJointHeads(const OpTypes &types) {
  int64_t heads = types.input(kQuery)->shape[1];
  int64_t keys = types.input(kKey)->shape[1];
  if (types.input(kJointQuery) && keys != heads)
    return error("expects as many key heads as heads beside joint tokens, ",
                 heads, ", but got ", keys);
  return Status::success();
}

Status checkSink(const OpTypes &types) {
  if (!types.input(kSink))
    return Status::success();
  if (!types.flag("causal") || types.input(kJointQuery))
    return error("expects a sink with 'causal' and without joint tokens");
  if (types.flag("fp32_accumulation"))
    return error("expects a sink without fp32_accumulation, which tt-metal's "
                 "kernel does not have for it");
  return Status::success();
}

Status checkRingJoint(const OpTypes &types) {
  bool causal = types.flag("causal"), balanced = types.flag("balanced");
  int64_t queries = types.input(kQuery)->shape[2];
  int64_t keys = types.input(kKey)->shape[2];
  if (Status status = checkPlan(types, queryRows(types), !causal); !status)
    return status;
  if (types.has("window"))
    return error("expects no window: tt-metal's ring_joint has one for chunks "
                 "over a cache only");
  if (queries % kTile != 0 || keys % kTile != 0)
    return error("expects whole tiles of ", kTile,
                 " rows on a device, but got ", queries, " queries and ", keys,
                 " keys");
  if (queries > keys)
    return error("expects no more queries than keys on a device, but got ",
                 queries, " and ", keys);
  if (causal && queries < keys)
    return error("expects as many queries as keys with 'causal', but got ",
                 queries, " and ", keys,
                 ": tt-metal takes the queries for the last of a cache");
  if (balanced && !causal)
    return error("expects 'balanced' with 'causal': tt-metal's kernel deals "
                 "rows so for a causal pattern only");
  if (balanced &&
      queryRows(types) % plannedChunks(types, queryRows(types)).queries != 0)
    return error("expects q_chunk to divide half the queries of a device, ",
                 queryRows(types), ", but got ",
                 plannedChunks(types, queryRows(types)).queries);
  if (Status status = checkSink(types); !status)
    return status;
  if (Status status = checkJointHeads(types); !status)
    return status;
  return causal ? Status::success() : expectOneType(types, kSink);
}

/// Whether the cores that compute are there.
Status gridFits(const OpTypes &types, CoreCoord grid) {
  CoreCoord asked = coreOf(types, "grid").value_or(grid);
  if (asked.x > grid.x || asked.y > grid.y)
    return error("expects a grid of at most ", grid.x, "x", grid.y,
                 " cores, which the devices have, but got ", asked.x, "x",
                 asked.y);
  return Status::success();
}

/// Whether the cores of the plan are there and apart.
Status ringJointFits(const OpTypes &types, CoreCoord grid) {
  if (Status status = gridFits(types, grid); !status)
    return status;
  Cores cores(types, grid);
  bool apart = cores.column ? cores.transfer.x >= cores.compute.x
                            : cores.transfer.y >= cores.compute.y;
  if (!apart)
    return error("expects the cores that transfer beside the grid, but ccl_",
                 "offset ", cores.transfer.x, "x", cores.transfer.y,
                 " lies within ", cores.compute.x, "x", cores.compute.y);
  size_t workers = 2 * static_cast<size_t>(types.intOr("num_links", 1));
  size_t room = cores.column ? grid.y - std::min(cores.transfer.y, grid.y)
                             : grid.x - std::min(cores.transfer.x, grid.x);
  bool there = cores.transfer.x < grid.x && cores.transfer.y < grid.y;
  if (!there || workers > room)
    return error("expects ", workers, " cores from ccl_offset ",
                 cores.transfer.x, "x", cores.transfer.y, " on, of ", grid.x,
                 "x", grid.y, ", but there are ", there ? room : 0);
  return Status::success();
}

Status checkRingDistributed(const OpTypes &types) {
  const Shape &mesh = types.program().mesh();
  int64_t ranks = types.axis()->ranks(), rows = types.input(kQuery)->shape[2];
  int64_t chunkRows = rows / (2 * ranks);
  if (Status status = checkPlan(types, chunkRows, /*oneDim=*/true); !status)
    return status;
  if (Status status = expectOneType(types, 3); !status)
    return status;
  // It asks the mesh who it is, and takes axis 0 wherever that fits.
  if (mesh.size() == 2 && types.intOr("axis", 0) == 1 && mesh[0] == ranks)
    return error("expects the sequence on axis 0 of a square mesh, where "
                 "tt-metal's ring_distributed looks for it, but got axis 1 of ",
                 describe(mesh));
  if (ranks % 2 != 0 || rows / kTile < 2 * ranks)
    return error("expects an even ring with two tiles of rows for each rank, "
                 "but got ",
                 ranks, " ranks and ", rows, " rows");
  int64_t chunk = plannedChunks(types, chunkRows).queries;
  if (chunkRows % chunk != 0)
    return error("expects q_chunk to divide the ", chunkRows,
                 " rows of a piece, but got ", chunk);
  return Status::success();
}

// ---- Calls ---------------------------------------------------------------

Status ringJoint(TtnnCall &call) {
  const OpTypes &types = call.types;
  CoreCoord grid = call.device.compute_with_storage_grid_size();
  Cores cores(types, grid);
  bool causal = types.flag("causal"), balanced = types.flag("balanced");
  const Shape &keys = types.input(kKey)->shape;
  int64_t ranks = types.axis()->ranks();
  bool cross = !causal && types.input(kQuery)->shape[2] < keys[2];
  // The kernel looks for padding at the end of the last shard. Dealt as a
  // zigzag it is elsewhere, and causality hides it from all that counts.
  int64_t length = balanced ? keys[2] * ranks : types.intOr("length", 0);
  int64_t joint =
      types.input(kJointQuery) ? types.input(kJointQuery)->shape[2] : 0;
  RingRoom &room = call.rooms.next(call.input(kKey), call.input(kValue), ranks);
  auto [output, jointOutput, scratch] =
      transformer::ring_joint_scaled_dot_product_attention(
          call.input(kQuery), call.input(kKey), call.input(kValue),
          call.optionalInput(3), call.optionalInput(4), call.optionalInput(5),
          room.keys, room.values, "rear", static_cast<size_t>(length),
          static_cast<size_t>(joint),
          plannedProgram(types, cores.compute, queryRows(types)), /*dim=*/2,
          room.semaphores, static_cast<uint32_t>(types.intOr("num_links", 1)),
          call.clusterAxis(), call.device,
          types.text("topology") == "ring" ? ::ttnn::ccl::Topology::Ring
                                           : ::ttnn::ccl::Topology::Linear,
          std::nullopt, cores.transfer, causal, balanced, cross, call.scale(),
          plannedNumbers(types),
          cores.column ? ::ttnn::ccl::CoreAllocationStrategy::COL_MAJOR
                       : ::ttnn::ccl::CoreAllocationStrategy::ROW_MAJOR,
          std::nullopt, std::nullopt, sinkOf(call, kSink, /*scaled=*/true));
  (void)scratch; // maxima, then sums: no log-sum-exp
  if (Status status = call.output(0, output); !status || !joint)
    return status;
  return call.output(1, jointOutput);
}

Status ringDistributed(TtnnCall &call) {
  const OpTypes &types = call.types;
  int64_t ranks = types.axis()->ranks();
  int64_t chunkRows = types.input(kQuery)->shape[2] / (2 * ranks);
  CoreCoord grid = coreOf(types, "grid")
                       .value_or(call.device.compute_with_storage_grid_size());
  return call.output(
      0, transformer::ring_distributed_scaled_dot_product_attention(
             call.input(kQuery), call.input(kKey), call.input(kValue),
             static_cast<uint32_t>(ranks), std::nullopt, call.scale(),
             std::nullopt, plannedProgram(types, grid, chunkRows),
             plannedNumbers(types)));
}

} // namespace

void addTtnnFusedRing(TtnnTable &table) {
  table["ring_joint_sdpa"] = {checkRingJoint, ringJoint};
  table["ring_joint_sdpa"].fits = ringJointFits;
  table["ring_distributed_sdpa"] = {checkRingDistributed, ringDistributed};
  table["ring_distributed_sdpa"].fits = gridFits;
}

} // namespace ring::rt
