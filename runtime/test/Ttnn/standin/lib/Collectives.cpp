// SPDX-License-Identifier: Apache-2.0
//
// Collectives, and a shard from one device to another.

#include "Ranks.h"
#include "ttnn/operations/ccl/all_gather/all_gather.hpp"
#include "ttnn/operations/ccl/all_reduce/all_reduce.hpp"
#include "ttnn/operations/ccl/mesh_partition/mesh_partition.hpp"
#include "ttnn/operations/ccl/reduce_scatter/reduce_scatter.hpp"
#include "ttnn/operations/point_to_point/point_to_point.hpp"

using namespace standin;

namespace ttnn {

using standin::Cores;
using standin::MaybeTensor;
using standin::Memory;
using standin::SubDevice;
using Number = std::optional<uint32_t>;
using Joined = std::optional<tt::tt_fabric::Topology>;

Tensor all_gather(const Tensor &x, int32_t dim, Number axis, Memory,
                  MaybeTensor, SubDevice, Cores, Number links, Joined topology,
                  Number, Number, Number, bool) {
  expectFabric("all_gather");
  expect(!links && !topology, "all_gather: these arguments go away");
  Ranks ranks(meshOf(x), axis);
  Sizes from = sizesOf(x), sizes = from;
  int64_t along = fromStart(dim, from.size());
  sizes[along] *= static_cast<int64_t>(ranks.count());
  return eachDevice(x, sizes, x.dtype(), x.layout(), [&](size_t device) {
    Numbers numbers;
    forEach(sizes, [&](Sizes index) {
      size_t rank = static_cast<size_t>(index[along] / from[along]);
      index[along] %= from[along];
      numbers.push_back(at(x, ranks.member(device, rank))[place(index, from)]);
    });
    return numbers;
  });
}

Tensor all_reduce(const Tensor &x, Number axis, SubDevice, Memory, Number,
                  Joined) {
  expectFabric("all_reduce");
  Ranks ranks(meshOf(x), axis);
  return eachDevice(x, sizesOf(x), x.dtype(), x.layout(), [&](size_t device) {
    Numbers sums(at(x, device).size(), 0.0);
    for (size_t rank = 0; rank < ranks.count(); ++rank)
      for (size_t i = 0; i < sums.size(); ++i)
        sums[i] += at(x, ranks.member(device, rank))[i];
    return sums;
  });
}

Tensor mesh_partition(const Tensor &x, int32_t dim, Number axis, Memory) {
  Ranks ranks(meshOf(x), axis);
  Sizes from = sizesOf(x), sizes = from;
  int64_t along = fromStart(dim, from.size());
  expect(from[along] % static_cast<int64_t>(ranks.count()) == 0,
         "mesh_partition: shares are not even");
  sizes[along] /= static_cast<int64_t>(ranks.count());
  bool tiled = x.layout() == Layout::TILE &&
               along + 2 >= static_cast<int64_t>(from.size());
  expect(ranks.count() == 1 || !tiled || sizes[along] % 32 == 0,
         "mesh_partition: shares are not whole tiles");
  return eachDevice(x, sizes, x.dtype(), x.layout(), [&](size_t device) {
    Numbers numbers;
    forEach(sizes, [&](Sizes index) {
      index[along] += static_cast<int64_t>(ranks.rankOf(device)) * sizes[along];
      numbers.push_back(at(x, device)[place(index, from)]);
    });
    return numbers;
  });
}

Tensor reduce_scatter(const Tensor &x, int32_t dim, Number axis, SubDevice,
                      Memory, Memory, MaybeTensor, Number, Joined, Number,
                      Number, Number,
                      const std::optional<ComputeKernelConfig> &, bool) {
  return mesh_partition(all_reduce(x, axis), dim, axis);
}

Tensor point_to_point(const Tensor &x, const MeshCoordinate &receiver,
                      const MeshCoordinate &sender, ccl::Topology,
                      MaybeTensor into, MaybeTensor) {
  MeshDevice &mesh = meshOf(x);
  expect(receiver[0] == sender[0] || receiver[1] == sender[1],
         "point_to_point: devices are not in one row or column");
  size_t from = sender.to_linear_index(mesh.shape());
  size_t to = receiver.to_linear_index(mesh.shape());
  if (from != to)
    expectFabric("point_to_point");
  expect(into.has_value(), "point_to_point: the stand-in wants an output");
  expect(sizesOf(*into) == sizesOf(x) && into->dtype() == x.dtype() &&
             into->layout() == x.layout(),
         "point_to_point: the output has another spec");
  expect(into->tensor_attributes != x.tensor_attributes || from == to,
         "point_to_point: a shard is written while it is read");
  into->tensor_attributes->shards[to] = at(x, from);
  ++cluster().calls;
  return *into;
}

} // namespace ttnn
