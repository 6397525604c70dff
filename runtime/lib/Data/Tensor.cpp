// SPDX-License-Identifier: Apache-2.0
//
// Host tensors.

#include "ring-runtime/Tensor.h"

#include "Data/Numbers.h"
#include "Mesh/Storage.h"

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

Result<Tensor> Tensor::zeros(ElementType element, Shape shape) {
  int64_t bytes = elementCount(shape) * heldElementBytes(element);
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
  int64_t row = tensor->sizes.empty() ? 1 : tensor->sizes.back();
  bool blocks = element == ElementType::BFP8B || element == ElementType::BFP4B;
  std::vector<float> rounded(blocks ? row : 0);
  for (int64_t i = 0; i < tensor->count(); i += row) {
    if (!blocks) {
      storeNumbers(tensor->data(), element, i, numbers + i, row);
      continue;
    }
    for (int64_t j = 0; j < row; ++j)
      rounded[j] = static_cast<float>(numbers[i + j]);
    roundToBlocks(rounded.data(), 1, row, element);
    storeNumbers(tensor->data(), element, i, rounded.data(), row);
  }
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
  loadNumbers(data(), type, 0, 1, numbers.data(), count());
  return numbers;
}

} // namespace ring::rt
