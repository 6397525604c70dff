// SPDX-License-Identifier: Apache-2.0
//
// Our own declarations of the tt-metal host API that lib/Ttnn calls, for a
// compile check alone: names, argument orders and types as tt-metal documents
// them, no code. They catch a misspelt call or a swapped argument where
// tt-metal is not installed; they prove nothing about devices, and nothing
// links them.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

inline constexpr size_t DEFAULT_L1_SMALL_SIZE = 0;

namespace tt::tt_metal {

enum class DataType {
  BFLOAT16,
  FLOAT32,
  UINT32,
  BFLOAT8_B,
  BFLOAT4_B,
  UINT8,
  UINT16,
  INT32
};
enum class Layout { ROW_MAJOR, TILE };
enum class BufferType { DRAM, L1 };

struct CoreCoord {
  CoreCoord(size_t x, size_t y);
  size_t x, y;
};
struct CoreRange {
  CoreRange(CoreCoord start, CoreCoord end);
};
struct CoreRangeSet {
  explicit CoreRangeSet(CoreRange range);
};
struct DispatchCoreConfig {};
struct SubDeviceId {};
struct MemoryConfig {};
struct GlobalSemaphore {};

struct PageConfig {
  explicit PageConfig(Layout layout);
};
struct TensorLayout {
  TensorLayout(DataType type, const PageConfig &page,
               const MemoryConfig &memory);
};

namespace distributed {

struct MeshShape {
  MeshShape(uint32_t rows, uint32_t columns);
};
struct MeshCoordinate {
  MeshCoordinate(uint32_t row, uint32_t column);
};
class MeshDevice {
public:
  CoreCoord compute_with_storage_grid_size() const;
};
void Synchronize(MeshDevice *device, std::optional<uint8_t> queue);

} // namespace distributed
} // namespace tt::tt_metal

namespace tt::tt_fabric {

enum class FabricConfig { DISABLED, FABRIC_1D, FABRIC_1D_RING };
void SetFabricConfig(FabricConfig config);

} // namespace tt::tt_fabric

namespace ttnn {

using tt::tt_metal::CoreCoord;
using tt::tt_metal::CoreRange;
using tt::tt_metal::CoreRangeSet;
using tt::tt_metal::DataType;
using tt::tt_metal::GlobalSemaphore;
using tt::tt_metal::Layout;
using tt::tt_metal::MemoryConfig;
using tt::tt_metal::PageConfig;
using tt::tt_metal::TensorLayout;
using tt::tt_metal::distributed::MeshCoordinate;
using tt::tt_metal::distributed::MeshDevice;
using tt::tt_metal::distributed::MeshShape;

template <typename T>
struct SmallVector : std::vector<T> {
  using std::vector<T>::vector;
};

struct Shape {
  explicit Shape(const SmallVector<uint32_t> &sizes);
};
struct TensorSpec {
  TensorSpec(Shape shape, TensorLayout layout);
};
struct DeviceComputeKernelConfig {};

class Tensor {
public:
  DataType dtype() const;
  Tensor cpu() const;
  Tensor to_device(MeshDevice *device) const;
  template <typename T>
  static Tensor from_vector(std::vector<T> &&numbers, const TensorSpec &spec);
  template <typename T>
  std::vector<T> to_vector() const;
};

namespace ccl {
enum class Topology { Ring, Linear };
enum class CoreAllocationStrategy { ROW_MAJOR, COLUMN_MAJOR };
} // namespace ccl

namespace distributed {

std::shared_ptr<MeshDevice>
open_mesh_device(const MeshShape &shape, size_t l1_small, size_t trace_region,
                 size_t num_queues,
                 const tt::tt_metal::DispatchCoreConfig &dispatch);
void close_mesh_device(const std::shared_ptr<MeshDevice> &device);
std::vector<Tensor> get_device_tensors(const Tensor &tensor);
Tensor from_host_shards(const std::vector<Tensor> &shards,
                        const MeshShape &shape, int shard_dim = 0);

} // namespace distributed

namespace global_semaphore {

GlobalSemaphore create_global_semaphore(
    MeshDevice *device, const CoreRangeSet &cores, uint32_t initial,
    tt::tt_metal::BufferType buffer = tt::tt_metal::BufferType::L1);

} // namespace global_semaphore

using Memory = const std::optional<MemoryConfig> &;
using MaybeTensor = const std::optional<Tensor> &;

// ---- Elementwise ---------------------------------------------------------

Tensor neg(const Tensor &x, Memory memory = std::nullopt);
Tensor abs(const Tensor &x, Memory memory = std::nullopt);
Tensor exp(const Tensor &x, bool fast = false, Memory memory = std::nullopt);
Tensor log(const Tensor &x, bool fast = false, Memory memory = std::nullopt);
Tensor sqrt(const Tensor &x, bool fast = false, Memory memory = std::nullopt);
Tensor rsqrt(const Tensor &x, bool fast = false, Memory memory = std::nullopt);
Tensor reciprocal(const Tensor &x, Memory memory = std::nullopt);
Tensor sigmoid(const Tensor &x);
Tensor silu(const Tensor &x, Memory memory = std::nullopt);
Tensor tanh(const Tensor &x, Memory memory = std::nullopt);
Tensor relu(const Tensor &x, Memory memory = std::nullopt);
Tensor sin(const Tensor &x, Memory memory = std::nullopt);
Tensor cos(const Tensor &x, Memory memory = std::nullopt);
Tensor erf(const Tensor &x, bool fast = false, Memory memory = std::nullopt);
Tensor floor(const Tensor &x, Memory memory = std::nullopt);
Tensor ceil(const Tensor &x, Memory memory = std::nullopt);
Tensor sign(const Tensor &x, Memory memory = std::nullopt);
Tensor logical_not(const Tensor &x, Memory memory = std::nullopt);
Tensor gelu(const Tensor &x, bool fast = true, Memory memory = std::nullopt);
Tensor clamp(const Tensor &x, std::optional<float> min,
             std::optional<float> max, Memory memory = std::nullopt);
Tensor typecast(const Tensor &x, DataType type, Memory memory = std::nullopt);

Tensor add(const Tensor &a, const Tensor &b);
Tensor subtract(const Tensor &a, const Tensor &b);
Tensor multiply(const Tensor &a, const Tensor &b);
Tensor multiply(const Tensor &a, float b);
Tensor divide(const Tensor &a, const Tensor &b);
Tensor maximum(const Tensor &a, const Tensor &b);
Tensor minimum(const Tensor &a, const Tensor &b);
Tensor pow(const Tensor &a, const Tensor &b);
Tensor eq(const Tensor &a, const Tensor &b);
Tensor ne(const Tensor &a, const Tensor &b);
Tensor gt(const Tensor &a, const Tensor &b);
Tensor ge(const Tensor &a, const Tensor &b);
Tensor lt(const Tensor &a, const Tensor &b);
Tensor le(const Tensor &a, const Tensor &b);
Tensor logical_and(const Tensor &a, const Tensor &b);
Tensor logical_or(const Tensor &a, const Tensor &b);
Tensor where(const Tensor &condition, const Tensor &a, const Tensor &b,
             Memory memory = std::nullopt);

// ---- Shape ---------------------------------------------------------------

Tensor slice(const Tensor &x, const SmallVector<int> &begins,
             const SmallVector<int> &ends, const SmallVector<int> &steps,
             Memory memory = std::nullopt);
Tensor concat(const std::vector<Tensor> &parts, int dim,
              Memory memory = std::nullopt);
Tensor pad(const Tensor &x, const SmallVector<std::array<uint32_t, 2>> &padding,
           float value, bool use_multicore, Memory memory);
Tensor permute(const Tensor &x, const SmallVector<int64_t> &permutation,
               Memory memory = std::nullopt, float pad_value = 0);
Tensor reshape(const Tensor &x, const Shape &shape,
               Memory memory = std::nullopt);
Tensor repeat(const Tensor &x, const SmallVector<uint32_t> &repeats,
              Memory memory = std::nullopt);
Tensor repeat_interleave(const Tensor &x, uint32_t repeats, int dim,
                         Memory memory = std::nullopt);
Tensor embedding(const Tensor &indices, const Tensor &table,
                 std::optional<int> pad_token = std::nullopt);
Tensor
full(const Shape &shape, float value,
     std::optional<DataType> type = std::nullopt,
     std::optional<Layout> layout = std::nullopt,
     std::optional<std::reference_wrapper<MeshDevice>> device = std::nullopt,
     Memory memory = std::nullopt);

// ---- Products, reductions, norms -----------------------------------------

Tensor matmul(const Tensor &a, const Tensor &b, bool transpose_a = false,
              bool transpose_b = false, Memory memory = std::nullopt);
Tensor linear(const Tensor &a, const Tensor &b, MaybeTensor bias = std::nullopt,
              bool transpose_a = false, bool transpose_b = false,
              Memory memory = std::nullopt);
Tensor sum(const Tensor &x, const SmallVector<int> &dims, bool keep_dim);
Tensor mean(const Tensor &x, const SmallVector<int> &dims, bool keep_dim);
Tensor max(const Tensor &x, const SmallVector<int> &dims, bool keep_dim);
Tensor min(const Tensor &x, const SmallVector<int> &dims, bool keep_dim);
Tensor softmax(const Tensor &x, int dim, Memory memory = std::nullopt);
Tensor rms_norm(const Tensor &x, float epsilon, MaybeTensor weight,
                MaybeTensor bias);
Tensor layer_norm(const Tensor &x, float epsilon, MaybeTensor weight,
                  MaybeTensor bias);

// ---- Collectives ---------------------------------------------------------

using MaybeSubDevice = std::optional<tt::tt_metal::SubDeviceId>;

Tensor all_gather(const Tensor &x, int32_t dim,
                  std::optional<uint32_t> cluster_axis = std::nullopt,
                  Memory memory = std::nullopt, MaybeTensor out = std::nullopt,
                  MaybeSubDevice sub_device = std::nullopt,
                  std::optional<CoreRangeSet> sub_core_grid = std::nullopt,
                  std::optional<uint32_t> num_links = std::nullopt,
                  std::optional<ccl::Topology> topology = std::nullopt);
Tensor all_reduce(const Tensor &x,
                  std::optional<uint32_t> cluster_axis = std::nullopt,
                  MaybeSubDevice sub_device = std::nullopt,
                  Memory memory = std::nullopt,
                  std::optional<uint32_t> num_links = std::nullopt,
                  std::optional<ccl::Topology> topology = std::nullopt);
Tensor reduce_scatter(const Tensor &x, int32_t dim,
                      std::optional<uint32_t> cluster_axis = std::nullopt,
                      MaybeSubDevice sub_device = std::nullopt,
                      Memory memory = std::nullopt,
                      Memory intermediate = std::nullopt,
                      MaybeTensor out = std::nullopt,
                      std::optional<uint32_t> num_links = std::nullopt,
                      std::optional<ccl::Topology> topology = std::nullopt);
Tensor point_to_point(const Tensor &x, const MeshCoordinate &receiver,
                      const MeshCoordinate &sender, ccl::Topology topology,
                      MaybeTensor out = std::nullopt);
Tensor mesh_partition(const Tensor &x, int32_t dim,
                      std::optional<uint32_t> cluster_axis = std::nullopt,
                      Memory memory = std::nullopt);

// ---- Attention -----------------------------------------------------------

namespace operations::transformer {

struct SDPAProgramConfig {
  CoreCoord compute_with_storage_grid_size{0, 0};
  std::optional<CoreRangeSet> sub_core_grids;
  size_t q_chunk_size = 0;
  size_t k_chunk_size = 0;
  std::optional<bool> exp_approx_mode;
  uint32_t max_cores_per_head_batch = 16;
};

} // namespace operations::transformer

namespace transformer {

using Config = std::optional<operations::transformer::SDPAProgramConfig>;
using Kernel = std::optional<DeviceComputeKernelConfig>;
using Scale = std::optional<float>;
using Window = std::optional<uint32_t>;

Tensor scaled_dot_product_attention(
    const Tensor &q, const Tensor &k, const Tensor &v,
    MaybeTensor attn_mask = std::nullopt, bool is_causal = true,
    Scale scale = std::nullopt, Window sliding_window_size = std::nullopt,
    Memory memory = std::nullopt, Config config = std::nullopt,
    Kernel kernel = std::nullopt, MaybeTensor attention_sink = std::nullopt);

Tensor scaled_dot_product_attention_decode(
    const Tensor &q, const Tensor &k, const Tensor &v, bool is_causal = true,
    MaybeTensor attn_mask = std::nullopt,
    const std::vector<uint32_t> &cur_pos = {},
    MaybeTensor cur_pos_tensor = std::nullopt,
    MaybeTensor attention_sink = std::nullopt, Scale scale = std::nullopt,
    Window sliding_window_size = std::nullopt, Memory memory = std::nullopt);

Tensor paged_scaled_dot_product_attention_decode(
    const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &page_table,
    bool is_causal = true, MaybeTensor attn_mask = std::nullopt,
    MaybeTensor cur_pos_tensor = std::nullopt,
    MaybeTensor attention_sink = std::nullopt, Scale scale = std::nullopt,
    Window sliding_window_size = std::nullopt, Memory memory = std::nullopt);

Tensor chunked_scaled_dot_product_attention(const Tensor &q, const Tensor &k,
                                            const Tensor &v,
                                            const Tensor &page_table,
                                            const Tensor &chunk_start_idx,
                                            Scale scale = std::nullopt,
                                            Memory memory = std::nullopt);

std::tuple<Tensor, Tensor> joint_scaled_dot_product_attention(
    const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &joint_q,
    const Tensor &joint_k, const Tensor &joint_v,
    const std::string &joint_strategy,
    operations::transformer::SDPAProgramConfig config,
    Scale scale = std::nullopt, Kernel kernel = std::nullopt);

std::tuple<Tensor, Tensor, Tensor> ring_joint_scaled_dot_product_attention(
    const Tensor &q, const Tensor &k, const Tensor &v, MaybeTensor joint_q,
    MaybeTensor joint_k, MaybeTensor joint_v,
    Tensor &persistent_output_buffer_k, Tensor &persistent_output_buffer_v,
    const std::string &joint_strategy, size_t logical_n, size_t logical_l,
    operations::transformer::SDPAProgramConfig config, int32_t dim,
    const std::vector<GlobalSemaphore> &semaphores, uint32_t num_links,
    uint32_t cluster_axis, const MeshDevice &device, ccl::Topology topology,
    MaybeSubDevice sub_device, CoreCoord ccl_core_grid_offset,
    bool is_causal = false, bool is_balanced = false, bool is_cross = false,
    Scale scale = std::nullopt, Kernel kernel = std::nullopt,
    ccl::CoreAllocationStrategy strategy =
        ccl::CoreAllocationStrategy::ROW_MAJOR,
    std::optional<uint32_t> kv_cache_batch_idx = std::nullopt,
    std::optional<uint32_t> kv_actual_isl = std::nullopt,
    MaybeTensor attention_sink = std::nullopt,
    Window sliding_window_size = std::nullopt,
    MaybeTensor persistent_output_buffer_joint_k = std::nullopt,
    MaybeTensor persistent_output_buffer_joint_v = std::nullopt);

Tensor ring_distributed_scaled_dot_product_attention(
    const Tensor &q, const Tensor &k, const Tensor &v, uint32_t ring_size,
    std::optional<uint32_t> ring_id = std::nullopt, Scale scale = std::nullopt,
    Memory memory = std::nullopt, const Config &config = std::nullopt,
    Kernel kernel = std::nullopt, MaybeTensor page_table = std::nullopt,
    std::optional<int64_t> chunk_start_idx = std::nullopt);

} // namespace transformer
} // namespace ttnn
