// SPDX-License-Identifier: Apache-2.0
//
// Conversions of tensors on devices.

#include "Ttnn/TtnnConvert.h"

namespace ring::rt {

using ::ttnn::DataType;

DataType heldAs(ElementType element) {
  switch (element) {
  case ElementType::F32:
    return DataType::FLOAT32;
  case ElementType::BF16:
  case ElementType::Bool:
    return DataType::BFLOAT16;
  case ElementType::BFP8B:
    return DataType::BFLOAT8_B;
  case ElementType::BFP4B:
    return DataType::BFLOAT4_B;
  case ElementType::I32:
  case ElementType::I64:
    return DataType::INT32;
  case ElementType::U32:
    return DataType::UINT32;
  case ElementType::U16:
    return DataType::UINT16;
  case ElementType::U8:
    return DataType::UINT8;
  }
  return DataType::INVALID;
}

/// Where a type stands among those that hold ever more numbers.
static int rankOf(DataType type) {
  switch (type) {
  case DataType::UINT8:
    return 0;
  case DataType::UINT16:
    return 1;
  case DataType::UINT32:
    return 2;
  case DataType::INT32:
    return 3;
  case DataType::BFLOAT4_B:
    return 4;
  case DataType::BFLOAT8_B:
    return 5;
  case DataType::BFLOAT16:
    return 6;
  default:
    return 7;
  }
}

bool isInteger(DataType type) {
  return rankOf(type) <= rankOf(DataType::INT32);
}

DataType widest(DataType a, DataType b) {
  if (isInteger(a) != isInteger(b))
    return DataType::FLOAT32;
  return rankOf(a) < rankOf(b) ? b : a;
}

DataType computedAs(DataType type) {
  bool small = type == DataType::UINT8 || type == DataType::UINT16;
  return small ? DataType::INT32 : type;
}

/// Whether a type is one of the two kinds of integers of 32 bits.
static bool isWord(DataType type) {
  return type == DataType::INT32 || type == DataType::UINT32;
}

::ttnn::Shape shapeOf(const Shape &shape) {
  ttsl::SmallVector<uint32_t> sizes;
  for (int64_t size : shape)
    sizes.push_back(static_cast<uint32_t>(size));
  return ::ttnn::Shape(sizes);
}

::ttnn::Tensor inType(const ::ttnn::Tensor &tensor, DataType type) {
  if (tensor.dtype() == type)
    return tensor;
  bool words = isWord(tensor.dtype()) && isWord(type);
  return words ? ::ttnn::bitcast(tensor, type) : ::ttnn::typecast(tensor, type);
}

::ttnn::Tensor inTiles(const ::ttnn::Tensor &tensor) {
  return ::ttnn::to_layout(tensor, ::ttnn::Layout::TILE);
}

::ttnn::Tensor inRows(const ::ttnn::Tensor &tensor) {
  bool blocks = tensor.dtype() == DataType::BFLOAT8_B ||
                tensor.dtype() == DataType::BFLOAT4_B;
  return ::ttnn::to_layout(blocks ? inType(tensor, DataType::BFLOAT16) : tensor,
                           ::ttnn::Layout::ROW_MAJOR);
}

::ttnn::Tensor truthOf(const ::ttnn::Tensor &tensor) {
  ::ttnn::Tensor wide = inType(tensor, computedAs(tensor.dtype()));
  return isInteger(wide.dtype()) ? ::ttnn::ne(wide, 0) : ::ttnn::ne(wide, 0.0f);
}

::ttnn::Tensor expanded(const ::ttnn::Tensor &tensor, const Shape &from,
                        const Shape &to) {
  if (from == to)
    return tensor;
  Shape filled(to.size() - from.size(), 1);
  filled.insert(filled.end(), from.begin(), from.end());
  ttsl::SmallVector<uint32_t> repeats;
  for (size_t i = 0; i < to.size(); ++i)
    repeats.push_back(static_cast<uint32_t>(to[i] / filled[i]));
  return ::ttnn::repeat(::ttnn::reshape(tensor, shapeOf(filled)), repeats);
}

::ttnn::Tensor asExactAs(const ::ttnn::Tensor &tensor, ElementType result) {
  DataType type = computedAs(tensor.dtype());
  return inType(tensor, isFloat(result) ? widest(type, heldAs(result)) : type);
}

} // namespace ring::rt
