// SPDX-License-Identifier: Apache-2.0
//
// The two attentions that know the ring.

#include "AttentionRow.h"
#include "Ranks.h"
#include "ttnn/operations/transformer/sdpa/sdpa.hpp"

using namespace standin;

namespace ttnn::transformer {

using standin::MaybeTensor;
using standin::Memory;

namespace {

/// The position of row `i` of a rank that has `rows`: shards one after the
/// other, or balanced, chunks r and 2P-1-r of 2P.
int64_t positionOf(int64_t rank, int64_t i, int64_t rows, int64_t ranks,
                   bool balanced) {
  if (!balanced)
    return rank * rows + i;
  int64_t half = rows / 2;
  return i < half ? rank * half + i : (2 * ranks - 1 - rank) * half + i - half;
}

// ---- ring_joint ----------------------------------------------------------

constexpr const char *kJoint = "ring_joint";

/// Cores that transfer are there, have the semaphores, and do not compute.
void expectCores(const MeshDevice &mesh, const Program &program,
                 CoreCoord offset, uint32_t links,
                 ccl::CoreAllocationStrategy strategy,
                 const std::vector<GlobalSemaphore> &semaphores) {
  CoreCoord grid = mesh.compute_with_storage_grid_size();
  CoreCoord used = program.compute_with_storage_grid_size;
  bool columns = strategy == ccl::CoreAllocationStrategy::COL_MAJOR;
  expect(columns ? offset.x >= used.x : offset.y >= used.y, kJoint,
         ": cores that transfer lie within those that compute");
  expect(used.x <= grid.x && used.y <= grid.y, kJoint,
         ": cores that compute are not on the grid");
  for (size_t i = 0; i / 2 < links; ++i) {
    CoreCoord core(offset.x + (columns ? i / grid.y : i % grid.x),
                   offset.y + (columns ? i % grid.y : i / grid.x));
    expect(core.x < grid.x && core.y < grid.y, kJoint,
           ": a core that transfers is not on the grid");
    for (const GlobalSemaphore &semaphore : semaphores)
      expect(
          tt::tt_metal::GlobalSemaphoreImpl::of(semaphore).cores.contains(core),
          kJoint, ": a core that transfers has no semaphore");
  }
}

void expectBuffer(const Tensor &buffer, const Tensor &shard, int64_t ranks) {
  Sizes sizes = sizesOf(shard);
  sizes[2] *= ranks;
  expectTiles(kJoint, {&shard, &buffer});
  expect(sizesOf(buffer) == sizes, kJoint,
         ": a buffer has no room for the shards of all ranks");
  expect(buffer.dtype() == shard.dtype(), kJoint,
         ": a buffer has another type than its shards");
}

/// What every device writes into its buffer.
void gather(Tensor &buffer, const Tensor &shard, const Ranks &ranks,
            size_t device) {
  View rows(shard, device);
  const Sizes &sizes = rows.sizes;
  Numbers numbers;
  forEach({sizes[0], sizes[1], int64_t(ranks.count()), sizes[2]},
          [&](const Sizes &i) {
            View from(shard, ranks.member(device, size_t(i[2])));
            const double *row = from.row(i[0], i[1], i[3]);
            numbers.insert(numbers.end(), row, row + sizes[3]);
          });
  buffer.tensor_attributes->shards[device] = numbers;
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> ring_joint_scaled_dot_product_attention(
    const Tensor &q, const Tensor &k, const Tensor &v, MaybeTensor jq,
    MaybeTensor jk, MaybeTensor jv, Tensor &bufferK, Tensor &bufferV,
    const std::string &strategy, std::size_t logicalN, std::size_t logicalL,
    Program program, int32_t dim,
    const std::vector<GlobalSemaphore> &semaphores, uint32_t links,
    uint32_t axis, const MeshDevice &mesh, ccl::Topology topology,
    std::optional<tt::tt_metal::SubDeviceId>, CoreCoord offset, bool causal,
    bool balanced, bool cross, std::optional<float> given,
    std::optional<Kernel> kernel, ccl::CoreAllocationStrategy allocation,
    std::optional<uint32_t>, std::optional<uint32_t>, MaybeTensor sink,
    std::optional<uint32_t> window, MaybeTensor, MaybeTensor) {
  expectAttention(kJoint, {&q, &k, &v, &bufferK, &bufferV});
  expectFabric(kJoint, topology == ccl::Topology::Ring);
  Ranks ranks(mesh, axis);
  int64_t size = static_cast<int64_t>(ranks.count());
  Sizes sizes = sizesOf(q), keys = sizesOf(k), values = sizesOf(v);
  int64_t group = sizes[1] / keys[1];
  expect(strategy == "rear" && dim == 2, kJoint, ": joint tokens come behind");
  expect(!window, kJoint, ": a window is for chunks over a cache");
  expect(sizes[2] % 32 == 0 && keys[2] % 32 == 0 && sizes[2] <= keys[2], kJoint,
         ": rows are whole tiles, and queries no more than keys");
  expect(cross == (!causal && sizes[2] < keys[2]), kJoint,
         ": fewer queries than keys are 'cross'");
  expect(!causal || sizes[2] == keys[2], kJoint,
         ": fewer queries are the last of a cache");
  expect(logicalN > 0 && int64_t(logicalN) <= keys[2] * size, kJoint,
         ": the length is not within the keys");
  expectChunks(kJoint, program);
  expect(!balanced || (sizes[2] / 2) % int64_t(program.q_chunk_size) == 0,
         kJoint, ": a chunk of queries crosses the halves");
  expect(causal || (q.dtype() == k.dtype() && q.dtype() == v.dtype() &&
                    values[3] == sizes[3]),
         kJoint, ": operands differ in type or dim");
  expect(jq.has_value() == jk.has_value() && jq.has_value() == jv.has_value(),
         kJoint, ": joint tokens come as three");
  expect(!jq || (!causal && group == 1 && int64_t(logicalL) == sizesOf(*jq)[2]),
         kJoint, ": joint tokens are whole, of all heads, and not causal");
  if (sink) {
    expectSink(kJoint, *sink, sizes[1]);
    expect(causal && !jq && !(kernel && kernel->fp32_dest_acc_en), kJoint,
           ": a sink is for a causal ring, with sums in bf16");
  }
  expectBuffer(bufferK, k, size);
  expectBuffer(bufferV, v, size);
  expect(semaphores.size() >= 2, kJoint, ": a ring has two semaphores");
  expectCores(mesh, program, offset, links, allocation, semaphores);

  auto &state = meshOf(q).impl();
  for (const GlobalSemaphore &semaphore : semaphores)
    tt::tt_metal::GlobalSemaphoreImpl::of(semaphore).resource->use(
        state, "semaphores");
  for (Tensor *buffer : {&bufferK, &bufferV})
    buffer->tensor_attributes->ring.use(state, "buffers");
  ++state.rings;

  Exactness exact(kernel, program);
  double scale = scaleOr(given, q);
  for (size_t device = 0; device < mesh.num_devices(); ++device) {
    gather(bufferK, k, ranks, device);
    gather(bufferV, v, ranks, device);
  }
  auto attend = [&](const Tensor &from, bool joint) {
    Sizes rows = sizesOf(from), out = rows;
    out[3] = values[3];
    return eachDevice(q, out, DataType::BFLOAT16, Layout::TILE, [&](size_t d) {
      View queries(from, d), keyRows(bufferK, d), valueRows(bufferV, d);
      int64_t rank = static_cast<int64_t>(ranks.rankOf(d));
      Numbers numbers;
      forEach({rows[0], rows[1], rows[2]}, [&](const Sizes &i) {
        Row row(exact, queries.row(i[0], i[1], i[2]), rows[3], scale);
        int64_t own = positionOf(rank, i[2], rows[2], size, balanced);
        // The length cuts off the end of the buffer, wherever rows belong.
        for (int64_t j = 0; j < int64_t(logicalN); ++j) {
          int64_t at2 =
              positionOf(j / keys[2], j % keys[2], keys[2], size, balanced);
          if (joint || !causal || at2 <= own)
            row.meet(keyRows.row(i[0], i[1] / group, j),
                     valueRows.row(i[0], i[1] / group, j));
        }
        for (int64_t j = 0; jk && j < sizesOf(*jk)[2]; ++j)
          row.meet(View(*jk, d).row(i[0], i[1], j),
                   View(*jv, d).row(i[0], i[1], j));
        if (sink)
          row.sink(at(*sink, d)[i[1]] * scale);
        row.finish(values[3], numbers);
      });
      return numbers;
    });
  };
  Sizes scratch = sizes;
  scratch[2] *= 2;
  scratch[3] = 1;
  Tensor statistics =
      eachDevice(q, scratch, DataType::BFLOAT16, Layout::TILE, [&](size_t) {
        return Numbers(size_t(countOf(scratch)), NAN);
      });
  return {attend(q, false), jq ? attend(*jq, true) : Tensor(), statistics};
}

// ---- ring_distributed ----------------------------------------------------

Tensor ring_distributed_scaled_dot_product_attention(
    const Tensor &q, const Tensor &k, const Tensor &v, uint32_t size,
    std::optional<uint32_t> id, std::optional<float> given, Memory,
    const std::optional<Program> &program, std::optional<Kernel> kernel,
    MaybeTensor pages, std::optional<int64_t>) {
  constexpr const char *op = "ring_distributed";
  expectAttention(op, {&q, &k, &v});
  Sizes sizes = sizesOf(q), keys = sizesOf(k);
  expect(!pages, op, ": the stand-in has no pages");
  expect(size % 2 == 0 && size <= 32, op, ": rings are even");
  expect(q.dtype() == k.dtype() && q.dtype() == v.dtype() &&
             sizesOf(v) == keys && keys[3] == sizes[3],
         op, ": operands differ in type or shape");
  const int64_t pieces = 2 * int64_t{size};
  expect(sizes[2] == keys[2] && sizes[2] % pieces == 0 &&
             sizes[2] / 32 >= pieces,
         op, ": rows do not fit the ring");
  int64_t piece = sizes[2] / pieces, group = sizes[1] / keys[1];
  int64_t chunk = program ? int64_t(program->q_chunk_size) : 32;
  expect(chunk % 32 == 0 && piece % chunk == 0, op,
         ": a chunk crosses the pieces");
  const MeshDevice &mesh = meshOf(q);
  // Which axis it is on it guesses from the sizes, the first one first.
  uint32_t axis = mesh.shape()[0] == size ? 0 : 1;
  expect(id || mesh.shape()[int32_t(axis)] == size, op,
         ": no axis of the mesh is the ring");
  Ranks ranks(mesh, axis);
  Exactness exact(kernel, program);
  double scale = scaleOr(given, q);
  Sizes out = sizes;
  out[2] = 2 * piece;
  return eachDevice(q, out, q.dtype(), Layout::TILE, [&](size_t device) {
    View queries(q, device), keyRows(k, device), valueRows(v, device);
    int64_t rank = id ? *id : int64_t(ranks.rankOf(device));
    Numbers numbers;
    forEach({out[0], out[1], out[2]}, [&](const Sizes &i) {
      int64_t at2 = positionOf(rank, i[2], out[2], size, true);
      Row row(exact, queries.row(i[0], i[1], at2), sizes[3], scale);
      for (int64_t j = 0; j <= at2; ++j)
        row.meet(keyRows.row(i[0], i[1] / group, j),
                 valueRows.row(i[0], i[1] / group, j));
      row.finish(sizes[3], numbers);
    });
    return numbers;
  });
}

} // namespace ttnn::transformer
