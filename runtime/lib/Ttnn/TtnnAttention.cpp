// SPDX-License-Identifier: Apache-2.0
//
// Attentions: on one device's tensors, over caches, and the two fused ops that
// know the ring.

#include "Ops/Dilation.h"
#include "Ttnn/TtnnCall.h"

#include <cmath>

namespace ring::rt {

namespace {

namespace transformer = ::ttnn::transformer;
using ::ttnn::operations::transformer::SDPAProgramConfig;

/// A sink as the device wants it: it multiplies the logits by the scale.
DeviceTensor sinkOf(const TtnnCall &call, size_t i, bool scaled) {
  DeviceTensor sink = call.optionalInput(i);
  if (!sink || scaled)
    return sink;
  double dim = static_cast<double>(call.types.input(0)->shape[3]);
  double scale = call.types.floatOr("scale", 1 / std::sqrt(dim));
  return ::ttnn::multiply(*sink, static_cast<float>(1 / scale));
}

std::optional<uint32_t> windowOf(const TtnnCall &call) {
  int64_t window = call.types.intOr("window", 0);
  if (window <= 0)
    return std::nullopt;
  return static_cast<uint32_t>(window);
}

Status sdpa(TtnnCall &call) {
  call.output(0, transformer::scaled_dot_product_attention(
                     call.input(0), call.input(1), call.input(2),
                     call.optionalInput(3), call.types.flag("causal"),
                     call.scale(), windowOf(call), std::nullopt, std::nullopt,
                     std::nullopt,
                     sinkOf(call, 4, call.types.flag("sink_scaled"))));
  return Status::success();
}

Status decode(TtnnCall &call) {
  call.output(0, transformer::scaled_dot_product_attention_decode(
                     call.input(0), call.input(1), call.input(2),
                     call.types.intOr("causal", 1) != 0, call.optionalInput(3),
                     std::vector<uint32_t>(), call.optionalInput(4),
                     sinkOf(call, 5, call.types.flag("sink_scaled")),
                     call.scale(), windowOf(call)));
  return Status::success();
}

Status pagedDecode(TtnnCall &call) {
  call.output(0, transformer::paged_scaled_dot_product_attention_decode(
                     call.input(0), call.input(1), call.input(2), call.input(3),
                     call.types.intOr("causal", 1) != 0, call.optionalInput(4),
                     call.optionalInput(5),
                     sinkOf(call, 6, call.types.flag("sink_scaled")),
                     call.scale(), windowOf(call)));
  return Status::success();
}

Status chunked(TtnnCall &call) {
  call.output(0, transformer::chunked_scaled_dot_product_attention(
                     call.input(0), call.input(1), call.input(2), call.input(3),
                     call.input(4), call.scale()));
  return Status::success();
}

// ---- Program configurations ----------------------------------------------

/// The largest of the chunks in use that divides the rows.
uint32_t chunkOf(int64_t rows, int64_t most) {
  for (int64_t chunk = most; chunk > 32; chunk /= 2)
    if (rows % chunk == 0)
      return static_cast<uint32_t>(chunk);
  return 32;
}

/// The core that two numbers of the program name, if they do.
std::optional<::ttnn::CoreCoord> coreOf(const OpTypes &types,
                                        const char *name) {
  std::vector<int64_t> numbers = types.ints(name);
  if (numbers.size() != 2)
    return std::nullopt;
  return ::ttnn::CoreCoord(static_cast<size_t>(numbers[0]),
                           static_cast<size_t>(numbers[1]));
}

/// The cores that compute: all but the last row, which transfers.
SDPAProgramConfig configOf(::ttnn::MeshDevice &device, int64_t queries,
                           int64_t keys, bool leavesLastRow) {
  ::ttnn::CoreCoord grid = device.compute_with_storage_grid_size();
  if (leavesLastRow)
    grid.y -= 1;
  SDPAProgramConfig config;
  config.compute_with_storage_grid_size = grid;
  config.q_chunk_size = chunkOf(queries, 256);
  config.k_chunk_size = chunkOf(keys, 512);
  return config;
}

/// The same for a fused ring, of which the plan may say what it wants.
SDPAProgramConfig plannedConfigOf(TtnnCall &call, int64_t queries,
                                  bool leavesLastRow) {
  const OpTypes &types = call.types;
  SDPAProgramConfig config =
      configOf(call.device, queries, types.input(1)->shape[2], leavesLastRow);
  config.q_chunk_size =
      static_cast<size_t>(types.intOr("q_chunk", config.q_chunk_size));
  config.k_chunk_size =
      static_cast<size_t>(types.intOr("k_chunk", config.k_chunk_size));
  if (std::optional<::ttnn::CoreCoord> grid = coreOf(types, "grid"))
    config.compute_with_storage_grid_size = *grid;
  if (types.has("exp_approx"))
    config.exp_approx_mode = types.flag("exp_approx");
  return config;
}

// ---- ring.attention on one device's tensors ------------------------------

Status ringAttention(TtnnCall &call) {
  const OpTypes &types = call.types;
  Band band = types.band();
  bool causal = band.after == 0;
  if (isDilated(types) || types.has("key_shift") || types.has("length") ||
      call.optionalInput(8) || call.hasOutput(2) || band.after > 0 ||
      (band.before && !causal))
    return error("expects an attention that is full, causal or a causal window "
                 "on devices, without length, pages and log-sum-exp");
  if (call.optionalInput(3)) {
    auto [output, joint] = transformer::joint_scaled_dot_product_attention(
        call.input(0), call.input(1), call.input(2), call.input(3),
        call.input(4), call.input(5), "rear",
        configOf(call.device, types.input(0)->shape[2],
                 types.input(1)->shape[2], /*leavesLastRow=*/false),
        call.scale());
    call.output(0, output);
    call.output(1, joint);
    return Status::success();
  }
  std::optional<uint32_t> window;
  if (band.before)
    window = static_cast<uint32_t>(*band.before + 1);
  call.output(0, transformer::scaled_dot_product_attention(
                     call.input(0), call.input(1), call.input(2),
                     call.optionalInput(6), causal, call.scale(), window,
                     std::nullopt, std::nullopt, std::nullopt,
                     sinkOf(call, 7, /*scaled=*/false)));
  return Status::success();
}

// ---- Fused rings ---------------------------------------------------------

/// What the transfers of a fused ring need besides its operands.
struct RingResources {
  ::ttnn::Tensor keys, values; ///< room for those of all ranks
  std::vector<::ttnn::GlobalSemaphore> semaphores;
  ::ttnn::CoreCoord offset; ///< the first core that transfers
  ::ttnn::ccl::CoreAllocationStrategy strategy;
};

/// Room for a gathered operand.
::ttnn::Tensor gathered(TtnnCall &call, size_t i, int64_t ranks) {
  Shape shape = call.types.input(i)->shape;
  shape[2] *= ranks;
  return ::ttnn::full(TtnnCall::shapeOf(shape), 0.0f, call.input(i).dtype(),
                      ::ttnn::Layout::TILE, std::ref(call.device));
}

RingResources resourcesOf(TtnnCall &call, int64_t ranks) {
  ::ttnn::CoreCoord grid = call.device.compute_with_storage_grid_size();
  ::ttnn::CoreCoord first = coreOf(call.types, "ccl_offset")
                                .value_or(::ttnn::CoreCoord(0, grid.y - 1));
  ::ttnn::CoreCoord last(grid.x - 1, grid.y - 1);
  // Cores that transfer stand in the last row, or, where the plan leaves that
  // to compute, in the last column.
  RingResources made{gathered(call, 1, ranks),
                     gathered(call, 2, ranks),
                     {},
                     first,
                     first.y == 0
                         ? ::ttnn::ccl::CoreAllocationStrategy::COL_MAJOR
                         : ::ttnn::ccl::CoreAllocationStrategy::ROW_MAJOR};
  ::ttnn::CoreRangeSet cores(::ttnn::CoreRange(first, last));
  for (int i = 0; i < 2; ++i)
    made.semaphores.push_back(::ttnn::global_semaphore::create_global_semaphore(
        &call.device, cores, 0));
  tt::tt_metal::distributed::Synchronize(call.device, std::nullopt);
  return made;
}

Status ringJoint(TtnnCall &call) {
  const OpTypes &types = call.types;
  Result<uint32_t> axis = call.clusterAxis();
  if (!axis)
    return axis.status();
  int64_t ranks = types.axis()->ranks();
  bool balanced = types.flag("balanced");
  int64_t queries = types.input(0)->shape[2] / (balanced ? 2 : 1);
  RingResources room = resourcesOf(call, ranks);
  ::ttnn::ccl::Topology topology = types.text("topology") == "linear"
                                       ? ::ttnn::ccl::Topology::Linear
                                       : call.topology;
  int64_t joint = types.input(3) ? types.input(3)->shape[2] : 0;
  auto [output, jointOutput, statistics] =
      transformer::ring_joint_scaled_dot_product_attention(
          call.input(0), call.input(1), call.input(2), call.optionalInput(3),
          call.optionalInput(4), call.optionalInput(5), room.keys, room.values,
          "rear", static_cast<size_t>(types.intOr("length", 0)),
          static_cast<size_t>(joint),
          plannedConfigOf(call, queries, /*leavesLastRow=*/true),
          /*dim=*/2, room.semaphores,
          static_cast<uint32_t>(types.intOr("num_links", 1)), *axis,
          call.device, topology, std::nullopt, room.offset,
          types.flag("causal"), balanced, /*is_cross=*/false, call.scale(),
          std::nullopt, room.strategy, std::nullopt, std::nullopt,
          call.optionalInput(6), windowOf(call));
  (void)statistics; // no log-sum-exp on the default path
  call.output(0, output);
  if (call.hasOutput(1))
    call.output(1, jointOutput);
  return Status::success();
}

Status ringDistributed(TtnnCall &call) {
  const OpTypes &types = call.types;
  Result<uint32_t> axis = call.clusterAxis();
  if (!axis)
    return axis.status();
  int64_t ranks = types.axis()->ranks();
  int64_t chunkRows = types.input(0)->shape[2] / (2 * ranks);
  call.output(0, transformer::ring_distributed_scaled_dot_product_attention(
                     call.input(0), call.input(1), call.input(2),
                     static_cast<uint32_t>(ranks), std::nullopt, call.scale(),
                     std::nullopt,
                     plannedConfigOf(call, chunkRows,
                                     /*leavesLastRow=*/false)));
  return Status::success();
}

} // namespace

void addTtnnAttention(TtnnTable &table) {
  table["sdpa"] = sdpa;
  table["sdpa_decode"] = decode;
  table["paged_sdpa_decode"] = pagedDecode;
  table["chunked_sdpa"] = chunked;
  table["ring.attention"] = ringAttention;
  table["ring_joint_sdpa"] = ringJoint;
  table["ring_distributed_sdpa"] = ringDistributed;
}

} // namespace ring::rt
