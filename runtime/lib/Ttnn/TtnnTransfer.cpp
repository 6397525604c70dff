// SPDX-License-Identifier: Apache-2.0
//
// Numbers to devices and back. tt-metal takes and gives them in the type that
// the tensor has, so there is one way for each.

#include "Ttnn/TtnnTransfer.h"

#include "Ttnn/TtnnConvert.h"

#include <limits>

namespace ring::rt {

namespace {

using tt::tt_metal::TensorSpec;
using ::ttnn::DataType;

template <typename T>
::ttnn::Tensor madeOf(const std::vector<double> &numbers,
                      const TensorSpec &spec) {
  return ::ttnn::Tensor::from_vector(
      std::vector<T>(numbers.begin(), numbers.end()), spec);
}

template <typename T>
std::vector<double> numbersAs(const ::ttnn::Tensor &tensor) {
  std::vector<T> found = tensor.to_vector<T>();
  return {found.begin(), found.end()};
}

/// Calls `function` with a number of the type that tt-metal has for a tensor's
/// elements on the host; real ones are floats whatever they are stored as.
template <typename Function>
auto withHostType(DataType type, Function function) {
  switch (type) {
  case DataType::INT32:
    return function(int32_t());
  case DataType::UINT32:
    return function(uint32_t());
  case DataType::UINT16:
    return function(uint16_t());
  case DataType::UINT8:
    return function(uint8_t());
  default:
    return function(float());
  }
}

Result<::ttnn::Tensor> onHost(const Tensor &shard) {
  DataType type = heldAs(shard.element());
  TensorSpec spec(shapeOf(shard.shape()),
                  tt::tt_metal::TensorLayout(
                      type, tt::tt_metal::PageConfig(::ttnn::Layout::TILE),
                      ::ttnn::MemoryConfig()));
  std::vector<double> numbers = shard.numbers();
  if (shard.element() == ElementType::I64)
    for (double number : numbers)
      if (number < std::numeric_limits<int32_t>::min() ||
          number > std::numeric_limits<int32_t>::max())
        return error("expects integers of 32 bits on devices, but got ",
                     number);
  return withHostType(
      type, [&](auto host) { return madeOf<decltype(host)>(numbers, spec); });
}

} // namespace

Result<::ttnn::Tensor> send(OpenMesh &mesh, const PortTensors &shards) {
  std::vector<::ttnn::Tensor> tensors;
  for (const Tensor &shard : shards) {
    Result<::ttnn::Tensor> made = onHost(shard);
    if (!made)
      return made.status();
    tensors.push_back(*made);
  }
  return ::ttnn::distributed::from_host_shards(tensors, mesh.shape)
      .to_device(&mesh.device());
}

Result<PortTensors> fetch(const ::ttnn::Tensor &tensor, const ValueType &type) {
  PortTensors shards;
  for (const ::ttnn::Tensor &shard :
       ::ttnn::distributed::get_device_tensors(tensor.cpu())) {
    std::vector<double> numbers = withHostType(shard.dtype(), [&](auto host) {
      return numbersAs<decltype(host)>(shard);
    });
    Result<Tensor> made =
        Tensor::fromNumbers(type.element, type.shape, numbers);
    if (!made)
      return made.status();
    shards.push_back(*made);
  }
  return shards;
}

} // namespace ring::rt
