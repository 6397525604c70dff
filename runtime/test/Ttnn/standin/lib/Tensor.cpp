// SPDX-License-Identifier: Apache-2.0
//
// Tensors, their specs, and their way between host and devices.

#include "TensorState.h"

#include "ring-runtime/Tensor.h"
#include "standin/Cluster.hpp"
#include "ttnn/distributed/api.hpp"

#include <cmath>

using namespace standin;
namespace rt = ring::rt;

// ---- Specs ---------------------------------------------------------------

namespace tt::tt_metal {

size_t Shape::rank() const { return size(); }
uint64_t Shape::volume() const {
  uint64_t volume = 1;
  for (uint32_t one : *this)
    volume *= one;
  return volume;
}
bool Shape::operator==(const Shape &other) const {
  return std::ranges::equal(view(), other.view());
}

PageConfig::PageConfig(Layout layout) : layout_(layout) {}
Layout PageConfig::get_layout() const { return layout_; }

MemoryConfig::MemoryConfig()
    : MemoryConfig(TensorMemoryLayout::INTERLEAVED, BufferType::DRAM) {}
MemoryConfig::MemoryConfig(TensorMemoryLayout layout, BufferType buffer,
                           std::optional<ShardSpec>)
    : memory_layout_(layout), buffer_type_(buffer) {}
bool MemoryConfig::is_dram() const { return buffer_type_ == BufferType::DRAM; }

TensorLayout::TensorLayout(DataType dtype, const PageConfig &page,
                           const MemoryConfig &memory, const Alignment &)
    : dtype_(dtype), page_config_(page), memory_config_(memory) {}
Layout TensorLayout::get_layout() const { return page_config_.get_layout(); }
DataType TensorLayout::get_data_type() const { return dtype_; }
const MemoryConfig &TensorLayout::get_memory_config() const {
  return memory_config_;
}

/// In tiles the last two dimensions are filled up.
static Shape paddedShape(const Shape &shape, Layout layout) {
  if (layout != Layout::TILE)
    return shape;
  ttsl::SmallVector<uint32_t> sizes(shape.begin(), shape.end());
  while (sizes.size() < 2)
    sizes.insert(sizes.begin(), 1);
  for (size_t i = sizes.size() - 2; i < sizes.size(); ++i)
    sizes[i] = (sizes[i] + 31) / 32 * 32;
  return Shape(sizes);
}

TensorSpec::TensorSpec(Shape shape, TensorLayout layout)
    : logical_shape_(shape), tensor_layout_(layout),
      padded_shape_(paddedShape(shape, layout.get_layout())) {
  bool blocks =
      data_type() == DataType::BFLOAT8_B || data_type() == DataType::BFLOAT4_B;
  expect(!blocks || layout.get_layout() == Layout::TILE,
         "block formats exist in tiles only");
}

} // namespace tt::tt_metal

// ---- Numbers -------------------------------------------------------------

namespace standin {

Sizes sizesOf(const Tensor &tensor) {
  auto view = tensor.logical_shape().view();
  return {view.begin(), view.end()};
}

int64_t countOf(const Sizes &sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

bool isInteger(DataType type) {
  return type == DataType::INT32 || type == DataType::UINT32 ||
         type == DataType::UINT16 || type == DataType::UINT8;
}

static rt::ElementType elementOf(DataType type) {
  switch (type) {
  case DataType::FLOAT32:
    return rt::ElementType::F32;
  case DataType::BFLOAT16:
    return rt::ElementType::BF16;
  case DataType::BFLOAT8_B:
    return rt::ElementType::BFP8B;
  case DataType::BFLOAT4_B:
    return rt::ElementType::BFP4B;
  case DataType::INT32:
    return rt::ElementType::I32;
  case DataType::UINT32:
    return rt::ElementType::U32;
  case DataType::UINT16:
    return rt::ElementType::U16;
  case DataType::UINT8:
    return rt::ElementType::U8;
  default:
    expect(false, "no such element type");
    return rt::ElementType::F32;
  }
}

static Numbers rounded(const Numbers &numbers, const Sizes &sizes,
                       DataType type) {
  rt::Result<rt::Tensor> tensor =
      rt::Tensor::fromNumbers(elementOf(type), sizes, numbers);
  expect(bool(tensor), tensor ? "" : tensor.message());
  return tensor->numbers();
}

static tt::tt_metal::TensorSpec specOf(const Sizes &sizes, DataType type,
                                       Layout layout) {
  ttsl::SmallVector<uint32_t> shape(sizes.begin(), sizes.end());
  return {ttnn::Shape(shape), tt::tt_metal::TensorLayout(
                                  type, tt::tt_metal::PageConfig(layout), {})};
}

ttnn::MeshDevice &meshOf(const Tensor &tensor) {
  expect(tensor.tensor_attributes && tensor.tensor_attributes->onDevice,
         "an operand is not on devices");
  std::shared_ptr<ttnn::MeshDevice> mesh =
      tensor.tensor_attributes->mesh.lock();
  expect(mesh && mesh->impl().open, "the mesh of an operand is closed");
  return *mesh;
}

void expectTiles(const char *op,
                 std::initializer_list<const Tensor *> tensors) {
  for (const Tensor *tensor : tensors) {
    expect(&meshOf(*tensor) == &meshOf(**tensors.begin()), op,
           ": operands are on two meshes");
    expect(tensor->layout() == Layout::TILE, op,
           ": an operand is not in tiles");
  }
}

Tensor made(const Tensor &like, const Sizes &sizes, DataType type,
            Layout layout, std::vector<Numbers> shards) {
  ttnn::MeshDevice &mesh = meshOf(like);
  ++cluster().calls;
  for (Numbers &numbers : shards)
    numbers = rounded(numbers, sizes, type);
  Tensor tensor;
  tensor.tensor_attributes = std::make_shared<ttnn::TensorAttributes>(
      ttnn::TensorAttributes{specOf(sizes, type, layout),
                             std::move(shards),
                             mesh.weak_from_this(),
                             true,
                             {mesh.impl().epoch}});
  return tensor;
}

Tensor eachDevice(const Tensor &like, const Sizes &sizes, DataType type,
                  Layout layout,
                  const std::function<Numbers(size_t)> &compute) {
  std::vector<Numbers> shards;
  for (size_t device = 0; device < meshOf(like).num_devices(); ++device)
    shards.push_back(compute(device));
  return made(like, sizes, type, layout, std::move(shards));
}

void forEach(const Sizes &sizes,
             const std::function<void(const Sizes &)> &visit) {
  Sizes index(sizes.size(), 0);
  for (int64_t left = countOf(sizes); left > 0; --left) {
    visit(index);
    for (size_t i = sizes.size(); i-- > 0;) {
      if (++index[i] < sizes[i])
        break;
      index[i] = 0;
    }
  }
}

int64_t place(const Sizes &index, const Sizes &sizes) {
  int64_t place = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t at = index[index.size() - sizes.size() + i];
    place = place * sizes[i] + (sizes[i] == 1 ? 0 : at);
  }
  return place;
}

double seen(double number, const ttnn::DeviceComputeKernelConfig &config) {
  if (config.math_fidelity != tt::tt_metal::MathFidelity::LoFi ||
      !std::isfinite(number))
    return number;
  int exponent = 0;
  double fraction = std::frexp(number, &exponent);
  return std::ldexp(std::trunc(fraction * 32) / 32, exponent);
}

} // namespace standin

// ---- Tensors -------------------------------------------------------------

namespace ttnn {

Tensor::~Tensor() = default;
Tensor &Tensor::operator=(Tensor &&) noexcept = default;
DataType Tensor::dtype() const { return tensor_spec().data_type(); }
Layout Tensor::layout() const { return tensor_spec().layout(); }
const tt::tt_metal::TensorSpec &Tensor::tensor_spec() const {
  return tensor_attributes->spec;
}
const Shape &Tensor::logical_shape() const {
  return tensor_spec().logical_shape();
}
const Shape &Tensor::padded_shape() const {
  return tensor_spec().padded_shape();
}
const MemoryConfig &Tensor::memory_config() const {
  return tensor_spec().memory_config();
}

template <typename T>
constexpr DataType typeOf() {
  if constexpr (std::is_same_v<T, float>)
    return DataType::FLOAT32;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DataType::INT32;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return DataType::UINT32;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return DataType::UINT16;
  else
    return DataType::UINT8;
}

template <typename T>
Tensor Tensor::from_vector(std::vector<T> &&buffer,
                           const tt::tt_metal::TensorSpec &spec, MeshDevice *,
                           std::optional<QueueId>, T) {
  expect(buffer.size() == spec.logical_shape().volume(),
         "a tensor gets other numbers than it has room for");
  expect(isInteger(typeOf<T>()) == isInteger(spec.data_type()),
         "numbers are not of the kind that the tensor has");
  Tensor tensor;
  auto view = spec.logical_shape().view();
  Sizes sizes(view.begin(), view.end());
  Numbers numbers(buffer.begin(), buffer.end());
  tensor.tensor_attributes =
      std::make_shared<TensorAttributes>(TensorAttributes{
          spec, {rounded(numbers, sizes, spec.data_type())}, {}, false, {}});
  return tensor;
}

template <typename T>
std::vector<T> Tensor::to_vector(std::optional<QueueId>) const {
  bool same = typeOf<T>() == dtype() ||
              (std::is_same_v<T, float> && !isInteger(dtype()));
  expect(same, "numbers are asked for in another type than the tensor has");
  const std::vector<Numbers> &shards = tensor_attributes->shards;
  expect(shards.size() == 1, "a tensor of several devices has no one vector");
  return {shards[0].begin(), shards[0].end()};
}

Tensor Tensor::to_device(MeshDevice *mesh,
                         ttsl::optional_reference<const MemoryConfig>,
                         std::optional<QueueId>) const {
  expect(!tensor_attributes->onDevice, "a tensor is on devices already");
  expect(tensor_attributes->shards.size() == mesh->num_devices(),
         "a tensor has shards for another mesh");
  Tensor sent;
  sent.tensor_attributes = std::make_shared<TensorAttributes>(
      TensorAttributes{tensor_spec(),
                       tensor_attributes->shards,
                       mesh->weak_from_this(),
                       true,
                       {mesh->impl().epoch}});
  return sent;
}

Tensor Tensor::cpu(bool, std::optional<QueueId>) const {
  meshOf(*this);
  Tensor fetched;
  fetched.tensor_attributes =
      std::make_shared<TensorAttributes>(TensorAttributes{
          tensor_spec(), tensor_attributes->shards, {}, false, {}});
  return fetched;
}

template Tensor Tensor::from_vector(std::vector<float> &&,
                                    const tt::tt_metal::TensorSpec &,
                                    MeshDevice *, std::optional<QueueId>,
                                    float);
template Tensor Tensor::from_vector(std::vector<int32_t> &&,
                                    const tt::tt_metal::TensorSpec &,
                                    MeshDevice *, std::optional<QueueId>,
                                    int32_t);
template Tensor Tensor::from_vector(std::vector<uint32_t> &&,
                                    const tt::tt_metal::TensorSpec &,
                                    MeshDevice *, std::optional<QueueId>,
                                    uint32_t);
template Tensor Tensor::from_vector(std::vector<uint16_t> &&,
                                    const tt::tt_metal::TensorSpec &,
                                    MeshDevice *, std::optional<QueueId>,
                                    uint16_t);
template Tensor Tensor::from_vector(std::vector<uint8_t> &&,
                                    const tt::tt_metal::TensorSpec &,
                                    MeshDevice *, std::optional<QueueId>,
                                    uint8_t);
template std::vector<float> Tensor::to_vector(std::optional<QueueId>) const;
template std::vector<int32_t> Tensor::to_vector(std::optional<QueueId>) const;
template std::vector<uint32_t> Tensor::to_vector(std::optional<QueueId>) const;
template std::vector<uint16_t> Tensor::to_vector(std::optional<QueueId>) const;
template std::vector<uint8_t> Tensor::to_vector(std::optional<QueueId>) const;

std::vector<Tensor> distributed::get_device_tensors(const Tensor &tensor) {
  std::vector<Tensor> tensors;
  for (const Numbers &shard : tensor.tensor_attributes->shards) {
    Tensor one;
    one.tensor_attributes = std::make_shared<TensorAttributes>(
        TensorAttributes{tensor.tensor_spec(), {shard}, {}, false, {}});
    tensors.push_back(one);
  }
  return tensors;
}

Tensor distributed::from_host_shards(const std::vector<Tensor> &shards,
                                     const MeshShape &mesh, int) {
  expect(shards.size() == mesh.mesh_size(),
         "there are other shards than devices");
  std::vector<Numbers> numbers;
  for (const Tensor &shard : shards) {
    expect(!shard.tensor_attributes->onDevice, "a shard is not on the host");
    expect(shard.logical_shape() == shards[0].logical_shape() &&
               shard.dtype() == shards[0].dtype(),
           "shards differ in shape or type");
    numbers.push_back(shard.tensor_attributes->shards[0]);
  }
  Tensor whole;
  whole.tensor_attributes = std::make_shared<TensorAttributes>(
      TensorAttributes{shards[0].tensor_spec(), numbers, {}, false, {}});
  return whole;
}

} // namespace ttnn
