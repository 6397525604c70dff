// SPDX-License-Identifier: Apache-2.0
//
// Host tensors.

#include "ring-runtime/Tensor.h"

#include "Data/BlockTensor.h"
#include "Data/Numbers.h"
#include "Memory/Storage.h"

#include <cstring>

namespace ring::rt {

Tensor Tensor::share(ElementType element, Shape shape,
                     std::shared_ptr<uint8_t> data) {
  Tensor tensor;
  tensor.type = element;
  tensor.sizes = std::move(shape);
  tensor.memory = std::move(data);
  return tensor;
}

int64_t Tensor::bytes() const { return heldBytes(wholeTensor(type, sizes)); }

Result<Tensor> Tensor::zeros(ElementType element, Shape shape) {
  int64_t bytes = heldBytes(wholeTensor(element, shape));
  Bytes memory = allocateBytes(bytes);
  if (!memory)
    return error("there is no memory for a tensor of ", bytes, " bytes");
  std::memset(memory.get(), 0, bytes);
  return share(element, std::move(shape), std::move(memory));
}

Result<Tensor> Tensor::fromNumbers(ElementType element, Shape shape,
                                   const double *numbers) {
  Result<Tensor> tensor = zeros(element, std::move(shape));
  if (!tensor)
    return tensor;
  if (!isBlockFormat(element)) {
    storeNumbers(tensor->data(), element, 0, numbers, tensor->count());
    return tensor;
  }
  std::vector<float> rounded(numbers, numbers + tensor->count());
  BlockTensor blocks(element, tensor->sizes);
  blocks.pack(rounded.data(), tensor->data(), 0, blocks.strips());
  return tensor;
}

Result<Tensor> Tensor::fromNumbers(ElementType element, Shape shape,
                                   const std::vector<double> &numbers) {
  int64_t count = elementCount(shape);
  if (static_cast<int64_t>(numbers.size()) != count)
    return error("expects ", count, " numbers, but got ", numbers.size());
  return fromNumbers(element, std::move(shape), numbers.data());
}

Result<Tensor> Tensor::copyOf(ElementType element, Shape shape,
                              const void *data) {
  Result<Tensor> tensor = zeros(element, std::move(shape));
  if (tensor)
    std::memcpy(tensor->data(), data, tensor->bytes());
  return tensor;
}

std::vector<double> Tensor::numbers() const {
  std::vector<double> numbers(count());
  if (!isBlockFormat(type)) {
    loadNumbers(data(), type, 0, 1, numbers.data(), count());
    return numbers;
  }
  std::vector<uint16_t> bf16(count());
  BlockTensor blocks(type, sizes);
  blocks.unpack(data(), bf16.data(), 0, blocks.strips());
  loadNumbers(bf16.data(), ElementType::BF16, 0, 1, numbers.data(), count());
  return numbers;
}

} // namespace ring::rt
