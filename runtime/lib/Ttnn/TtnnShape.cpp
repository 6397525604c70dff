// SPDX-License-Identifier: Apache-2.0
//
// Ops that move numbers about.

#include "Ops/SliceBounds.h"
#include "Ttnn/TtnnCall.h"

#include <algorithm>

namespace ring::rt {

namespace {

/// Integers as the calls take them.
template <typename Number>
ttsl::SmallVector<Number> numbersOf(const std::vector<int64_t> &from) {
  ttsl::SmallVector<Number> numbers;
  for (int64_t number : from)
    numbers.push_back(static_cast<Number>(number));
  return numbers;
}

Status checkSlice(const OpTypes &types) {
  SliceBounds bounds = *SliceBounds::get(types);
  for (int64_t step : bounds.steps)
    if (step < 0)
      return error("expects slices with positive steps on devices, but got ",
                   step);
  return Status::success();
}

Status slice(TtnnCall &call) {
  SliceBounds bounds = *SliceBounds::get(call.types);
  std::vector<int64_t> ends;
  for (size_t i = 0; i < bounds.begins.size(); ++i)
    ends.push_back(bounds.begins[i] + (bounds.sizes[i] - 1) * bounds.steps[i] +
                   1);
  return call.output(
      0, ::ttnn::slice(call.input(0), numbersOf<int>(bounds.begins),
                       numbersOf<int>(ends), numbersOf<int>(bounds.steps)));
}

Status concat(TtnnCall &call) {
  std::vector<::ttnn::Tensor> parts;
  ::ttnn::DataType type = call.input(0).dtype();
  for (size_t i = 1; i < call.types.inputCount(); ++i)
    type = widest(type, call.input(i).dtype());
  for (size_t i = 0; i < call.types.inputCount(); ++i)
    parts.push_back(inType(call.input(i), type));
  return call.output(0, ::ttnn::concat(parts, call.dim("dim", 0)));
}

/// In tiles tt-metal pads behind a tensor only.
Status pad(TtnnCall &call) {
  const std::vector<int64_t> &padding = call.types.ints("padding");
  ttsl::SmallVector<std::array<uint32_t, 2>> sides;
  bool before = false;
  for (size_t i = 0; i < padding.size(); i += 2) {
    before |= padding[i] > 0;
    sides.push_back({static_cast<uint32_t>(padding[i]),
                     static_cast<uint32_t>(padding[i + 1])});
  }
  return call.output(
      0, ::ttnn::pad(before ? inRows(call.input(0)) : call.input(0), sides,
                     static_cast<float>(call.types.floatOr("value", 0))));
}

Status checkEmbedding(const OpTypes &types) {
  if (types.input(1)->element == ElementType::F32)
    return error("expects a table of bf16 on devices, which is what tt-metal's "
                 "embedding reads, but got f32");
  return Status::success();
}

Status embedding(TtnnCall &call) {
  const OpTypes &types = call.types;
  const Shape &table = types.input(1)->shape;
  int64_t dim = table.back();
  ::ttnn::Tensor indices = inRows(
      ::ttnn::reshape(inType(call.input(0), ::ttnn::DataType::UINT32),
                      shapeOf({1, elementCount(types.input(0)->shape)})));
  ::ttnn::Tensor rows =
      ::ttnn::reshape(inType(call.input(1), ::ttnn::DataType::BFLOAT16),
                      shapeOf({elementCount(table) / dim, dim}));
  return call.output(0, ::ttnn::embedding(indices, rows));
}

} // namespace

void addTtnnShape(TtnnTable &table) {
  table["slice"] = {checkSlice, slice};
  table["concat"] = concat;
  table["pad"] = pad;
  table["embedding"] = {checkEmbedding, embedding};
  table["broadcast"] = [](TtnnCall &call) {
    return call.output(0, expanded(call.input(0), call.types.input(0)->shape,
                                   call.types.output(0)->shape));
  };
  table["permute"] = [](TtnnCall &call) {
    return call.output(
        0, ::ttnn::permute(call.input(0),
                           numbersOf<int64_t>(call.types.ints("permutation"))));
  };
  // `output` gives the shape.
  table["reshape"] = [](TtnnCall &call) {
    return call.output(0, call.input(0));
  };
  table["repeat"] = [](TtnnCall &call) {
    return call.output(
        0, ::ttnn::repeat(call.input(0),
                          numbersOf<uint32_t>(call.types.ints("repeats"))));
  };
  table["repeat_interleave"] = [](TtnnCall &call) {
    uint32_t repeats = static_cast<uint32_t>(call.types.intOr("repeats", 1));
    return call.output(0, ::ttnn::repeat_interleave(call.input(0), repeats,
                                                    call.dim("dim", 0)));
  };
  table["full"] = [](TtnnCall &call) {
    const ValueType &type = *call.types.output(0);
    return call.output(
        0, ::ttnn::full(shapeOf(type.shape),
                        static_cast<float>(call.types.floatOr("value", 0)),
                        heldAs(type.element), ::ttnn::Layout::TILE,
                        std::ref(call.device)));
  };
}

} // namespace ring::rt
