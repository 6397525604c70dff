// SPDX-License-Identifier: Apache-2.0
//
// Types and attributes between programs and tt-metal; the table put together.

#include "Ttnn/TtnnCall.h"

namespace ring::rt {

std::optional<::ttnn::DataType> dataTypeOf(ElementType element) {
  switch (element) {
  case ElementType::F32:
    return ::ttnn::DataType::FLOAT32;
  case ElementType::BF16:
    return ::ttnn::DataType::BFLOAT16;
  case ElementType::BFP8B:
    return ::ttnn::DataType::BFLOAT8_B;
  case ElementType::BFP4B:
    return ::ttnn::DataType::BFLOAT4_B;
  case ElementType::I32:
    return ::ttnn::DataType::INT32;
  case ElementType::U32:
    return ::ttnn::DataType::UINT32;
  case ElementType::U16:
    return ::ttnn::DataType::UINT16;
  case ElementType::U8:
    return ::ttnn::DataType::UINT8;
  case ElementType::I64:
  case ElementType::Bool:
    return std::nullopt;
  }
  return std::nullopt;
}

void TtnnCall::output(size_t i, const ::ttnn::Tensor &tensor) {
  int32_t value = types.outputValue(i);
  if (value == kAbsent)
    return;
  // Truth values stay in the type that a comparison gives them.
  std::optional<::ttnn::DataType> type = dataTypeOf(types.output(i)->element);
  bool converts = type && tensor.dtype() != *type;
  values[value] = converts ? ::ttnn::typecast(tensor, *type) : tensor;
}

Result<uint32_t> TtnnCall::clusterAxis() const {
  if (types.has("axis_size") || types.has("axis_stride"))
    return error("expects a whole mesh axis on devices, but got a part of one");
  const Shape &mesh = types.program().mesh();
  // A mesh of one axis is opened as 1 x P.
  int64_t axis = types.intOr("axis", 0) + (mesh.size() == 1 ? 1 : 0);
  return static_cast<uint32_t>(axis);
}

std::optional<float> TtnnCall::scale() const {
  if (!types.has("scale"))
    return std::nullopt;
  return static_cast<float>(types.floatOr("scale", 1));
}

::ttnn::Shape TtnnCall::shapeOf(const Shape &shape) {
  ttsl::SmallVector<uint32_t> sizes;
  for (int64_t size : shape)
    sizes.push_back(static_cast<uint32_t>(size));
  return ::ttnn::Shape(sizes);
}

const TtnnTable &ttnnTable() {
  static const TtnnTable table = [] {
    TtnnTable made;
    addTtnnElementwise(made);
    addTtnnShape(made);
    addTtnnProducts(made);
    addTtnnAttention(made);
    addTtnnCollectives(made);
    return made;
  }();
  return table;
}

} // namespace ring::rt
