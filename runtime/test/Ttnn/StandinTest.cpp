// SPDX-License-Identifier: Apache-2.0
//
// The stand-in itself: calls that devices would refuse, or be spoilt by, are
// refused. Were it lenient, the tests of the backend would prove nothing.

#include "MeshState.h"
#include "TtnnTest.h"
#include "standin/Cluster.hpp"
#include "ttnn/device.hpp"
#include "ttnn/distributed/api.hpp"
#include "ttnn/global_semaphore.hpp"
#include "ttnn/operations/ccl/all_gather/all_gather.hpp"
#include "ttnn/operations/ccl/mesh_partition/mesh_partition.hpp"
#include "ttnn/operations/creation/creation.hpp"
#include "ttnn/operations/data_movement/pad/pad.hpp"
#include "ttnn/operations/eltwise/binary/binary.hpp"
#include "ttnn/operations/embedding/embedding.hpp"
#include "ttnn/operations/matmul/matmul.hpp"
#include "ttnn/operations/transformer/sdpa/sdpa.hpp"
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/experimental/fabric/fabric.hpp>

#include <cmath>

namespace ring::rt::test {

namespace {

using tt::tt_fabric::FabricConfig;
using tt::tt_fabric::SetFabricConfig;
using ::ttnn::CoreCoord;
using ::ttnn::DataType;
using ::ttnn::Layout;
using DeviceTensor = ::ttnn::Tensor;

class Standin : public Ttnn {
protected:
  void SetUp() override {
    Ttnn::SetUp();
    SetFabricConfig(FabricConfig::FABRIC_1D);
    mesh = ::ttnn::distributed::open_mesh_device(
        ::ttnn::MeshShape(1, 2), 0, 0, 1,
        ::ttnn::device::create_cluster_aware_dispatch_config());
  }
  void TearDown() override {
    ::ttnn::distributed::close_mesh_device(mesh);
    SetFabricConfig(FabricConfig::DISABLED);
    Ttnn::TearDown();
  }

  DeviceTensor filled(std::initializer_list<uint32_t> sizes, float value,
                      DataType type = DataType::BFLOAT16,
                      Layout layout = Layout::TILE) {
    return ::ttnn::full(::ttnn::Shape(sizes), value, type, layout,
                        std::ref(*mesh));
  }

  /// What a call throws; empty if it does not.
  template <typename Function>
  static std::string thrown(Function function) {
    try {
      (void)function();
    } catch (const std::exception &problem) {
      return problem.what();
    }
    return "";
  }

  std::shared_ptr<::ttnn::MeshDevice> mesh;
};

/// One fused ring with everything right, to make one thing wrong in.
struct Ring {
  DeviceTensor q, keys, values;
  std::vector<::ttnn::GlobalSemaphore> semaphores;
  size_t length = 128;
  CoreCoord grid{8, 7}, offset{0, 7};
  uint32_t links = 1;
  ::ttnn::ccl::Topology topology = ::ttnn::ccl::Topology::Linear;
  ::ttnn::ccl::CoreAllocationStrategy strategy =
      ::ttnn::ccl::CoreAllocationStrategy::ROW_MAJOR;
  bool causal = false, cross = false;
  std::optional<DeviceTensor> sink;

  Ring(::ttnn::MeshDevice &mesh, const DeviceTensor &operand)
      : q(operand), keys(roomOf(mesh)), values(roomOf(mesh)), mesh(mesh) {
    ::ttnn::CoreRangeSet cores(
        ::ttnn::CoreRange(CoreCoord(0, 0), CoreCoord(7, 7)));
    for (int i = 0; i < 2; ++i)
      semaphores.push_back(
          ::ttnn::global_semaphore::create_global_semaphore(&mesh, cores, 0));
  }

  static DeviceTensor roomOf(::ttnn::MeshDevice &mesh) {
    return ::ttnn::empty(::ttnn::Shape({1, 2, 128, 32}), DataType::BFLOAT16,
                         Layout::TILE, &mesh, ::ttnn::DRAM_MEMORY_CONFIG);
  }

  void synchronize() {
    tt::tt_metal::distributed::Synchronize(mesh, std::nullopt);
  }

  DeviceTensor run() {
    ::ttnn::operations::transformer::SDPAProgramConfig program{};
    program.compute_with_storage_grid_size = grid;
    program.q_chunk_size = program.k_chunk_size = 32;
    program.exp_approx_mode = false;
    ::ttnn::DeviceComputeKernelConfig numbers;
    numbers.math_fidelity = tt::tt_metal::MathFidelity::HiFi2;
    numbers.math_approx_mode = false;
    return std::get<0>(
        ::ttnn::transformer::ring_joint_scaled_dot_product_attention(
            q, q, q, std::nullopt, std::nullopt, std::nullopt, keys, values,
            "rear", length, 0, program, 2, semaphores, links, 1, mesh, topology,
            std::nullopt, offset, causal, false, cross, std::nullopt, numbers,
            strategy, std::nullopt, std::nullopt, sink));
  }

  ::ttnn::MeshDevice &mesh;
};

TEST_F(Standin, RingsWantEverythingAtOnce) {
  using Spoil = std::function<void(Ring &)>;
  auto refusal = [&](const Spoil &spoil) {
    Ring ring(*mesh, filled({1, 2, 64, 32}, 1));
    ring.synchronize();
    spoil(ring);
    return thrown([&] { return ring.run(); });
  };
  EXPECT_EQ(refusal([](Ring &) {}), "");
  EXPECT_NE(refusal([&](Ring &ring) {
              ring.keys = filled({1, 2, 64, 32}, 0);
              ring.synchronize();
            }).find("no room for the shards"),
            std::string::npos);
  EXPECT_NE(refusal([&](Ring &ring) {
              ring.keys = filled({1, 2, 128, 32}, 0, DataType::BFLOAT8_B);
            }).find("another type than its shards"),
            std::string::npos);
  EXPECT_NE(refusal([](Ring &ring) {
              ring.semaphores.pop_back();
            }).find("two semaphores"),
            std::string::npos);
  EXPECT_NE(refusal([](Ring &ring) {
              ring.grid = CoreCoord(8, 8);
            }).find("within those that compute"),
            std::string::npos);
  // The last column, allocated by rows.
  EXPECT_NE(refusal([](Ring &ring) {
              ring.grid = CoreCoord(7, 8);
              ring.offset = CoreCoord(7, 0);
            }).find("within those that compute"),
            std::string::npos);
  EXPECT_NE(refusal([](Ring &ring) {
              ring.offset = CoreCoord(7, 7);
            }).find("not on the grid"),
            std::string::npos);
  EXPECT_NE(refusal([](Ring &ring) {
              ring.topology = ::ttnn::ccl::Topology::Ring;
            }).find("does not go round"),
            std::string::npos);
  EXPECT_NE(refusal([&](Ring &ring) {
              ring.causal = true;
              ring.sink = filled({1, 2, 1, 1}, 0, DataType::FLOAT32);
            }).find("a sink is BFLOAT16"),
            std::string::npos);
  EXPECT_NE(refusal([&](Ring &ring) {
              ring.sink = filled({1, 2, 1, 1}, 0);
            }).find("a sink is for a causal ring"),
            std::string::npos);
  EXPECT_NE(refusal([](Ring &ring) { ring.length = 0; }).find("the length"),
            std::string::npos);
  EXPECT_NE(refusal([](Ring &ring) { ring.cross = true; }).find("'cross'"),
            std::string::npos);
}

TEST_F(Standin, RingsWantAllDevicesToHaveWhatTheyUse) {
  Ring ring(*mesh, filled({1, 2, 64, 32}, 1));
  EXPECT_NE(thrown([&] { return ring.run(); }).find("synchronize"),
            std::string::npos);
}

TEST_F(Standin, RingsDoNotShareWhatTheOneBeforeHas) {
  Ring one(*mesh, filled({1, 2, 64, 32}, 1)), two = one;
  two.keys = Ring::roomOf(*mesh);
  two.values = Ring::roomOf(*mesh);
  one.synchronize();
  EXPECT_EQ(thrown([&] { return one.run(); }), "");
  EXPECT_NE(thrown([&] { return one.run(); }).find("of the ring before"),
            std::string::npos);
  // Own buffers alone are not enough: these have the semaphores of the first.
  EXPECT_NE(thrown([&] { return two.run(); }).find("semaphores are those"),
            std::string::npos);
  one.synchronize();
  EXPECT_EQ(thrown([&] { return one.run(); }), "");
}

TEST_F(Standin, OperandsAreOnDevicesInTiles) {
  DeviceTensor tiles = filled({32, 32}, 1);
  DeviceTensor rows =
      filled({32, 32}, 1, DataType::BFLOAT16, Layout::ROW_MAJOR);
  EXPECT_NE(thrown([&] {
              return ::ttnn::add(tiles, tiles.cpu());
            }).find("not on devices"),
            std::string::npos);
  EXPECT_NE(
      thrown([&] { return ::ttnn::add(tiles, rows); }).find("not in tiles"),
      std::string::npos);
  EXPECT_NE(thrown([&] {
              return ::ttnn::add(tiles, filled({32, 32}, 1, DataType::FLOAT32));
            }).find("two types"),
            std::string::npos);
  EXPECT_NE(thrown([&] {
              return tiles.cpu().to_vector<int32_t>();
            }).find("another type"),
            std::string::npos);
}

TEST_F(Standin, MovesByTheRules) {
  DeviceTensor tiles = filled({32, 32}, 1);
  ttsl::SmallVector<std::array<uint32_t, 2>> before;
  before.push_back({32, 0});
  before.push_back({0, 0});
  EXPECT_NE(thrown([&] {
              return ::ttnn::pad(tiles, before, 0.0f);
            }).find("no padding in front"),
            std::string::npos);
  EXPECT_NE(thrown([&] {
              return ::ttnn::mesh_partition(tiles, 0, 1);
            }).find("not whole tiles"),
            std::string::npos);
  EXPECT_NE(thrown([&] {
              return ::ttnn::embedding(
                  filled({1, 4}, 0, DataType::INT32, Layout::ROW_MAJOR), tiles);
            }).find("UINT32 or BFLOAT16"),
            std::string::npos);
}

TEST_F(Standin, TheFabricIsSetWhileNothingIsOpen) {
  EXPECT_NE(thrown([] {
              SetFabricConfig(FabricConfig::FABRIC_1D_RING);
              return 0;
            }).find("before a mesh is opened"),
            std::string::npos);
}

/// Left to itself tt-metal multiplies five bits.
TEST_F(Standin, CoarseNumbersShow) {
  DeviceTensor x = filled({32, 32}, 1.1f, DataType::FLOAT32);
  auto first = [](const DeviceTensor &tensor) {
    return ::ttnn::distributed::get_device_tensors(tensor.cpu())[0]
        .to_vector<float>()[0];
  };
  ::ttnn::DeviceComputeKernelConfig exact;
  exact.math_fidelity = tt::tt_metal::MathFidelity::HiFi4;
  float coarse = first(::ttnn::matmul(x, x));
  float fine =
      first(::ttnn::matmul(x, x, false, false, std::nullopt, std::nullopt,
                           std::nullopt, std::nullopt, exact));
  EXPECT_NEAR(fine, 32 * 1.21, 1e-4);
  EXPECT_GT(std::abs(coarse - fine), 0.5);
}

} // namespace

} // namespace ring::rt::test
