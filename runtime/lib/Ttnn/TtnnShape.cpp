// SPDX-License-Identifier: Apache-2.0
//
// Ops that move numbers about.

#include "Ops/SliceBounds.h"
#include "Ttnn/TtnnCall.h"

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

Status slice(TtnnCall &call) {
  SliceBounds bounds = *SliceBounds::get(call.types);
  std::vector<int64_t> ends;
  for (size_t i = 0; i < bounds.begins.size(); ++i) {
    if (bounds.steps[i] < 0)
      return error("expects slices with positive steps on devices, but got ",
                   bounds.steps[i]);
    ends.push_back(bounds.begins[i] + (bounds.sizes[i] - 1) * bounds.steps[i] +
                   1);
  }
  call.output(0, ::ttnn::slice(call.input(0), numbersOf<int>(bounds.begins),
                               numbersOf<int>(ends),
                               numbersOf<int>(bounds.steps)));
  return Status::success();
}

Status concat(TtnnCall &call) {
  std::vector<::ttnn::Tensor> parts;
  for (size_t i = 0; i < call.types.inputCount(); ++i)
    parts.push_back(call.input(i));
  call.output(0, ::ttnn::concat(parts, call.dim("dim", 0)));
  return Status::success();
}

Status pad(TtnnCall &call) {
  std::vector<int64_t> padding = call.types.ints("padding");
  ttsl::SmallVector<std::array<uint32_t, 2>> sides;
  for (size_t i = 0; i < padding.size(); i += 2)
    sides.push_back({static_cast<uint32_t>(padding[i]),
                     static_cast<uint32_t>(padding[i + 1])});
  call.output(0, ::ttnn::pad(call.input(0), sides,
                             static_cast<float>(call.types.floatOr("value", 0)),
                             /*use_multicore=*/true, std::nullopt));
  return Status::success();
}

/// Broadcasts by repeating: how often each dimension of the operand, filled up
/// with ones in front, goes into the result.
Status broadcast(TtnnCall &call) {
  const Shape &from = call.types.input(0)->shape;
  const Shape &to = call.types.output(0)->shape;
  Shape filled(to.size() - from.size(), 1);
  filled.insert(filled.end(), from.begin(), from.end());
  std::vector<int64_t> repeats;
  for (size_t i = 0; i < to.size(); ++i)
    repeats.push_back(to[i] / filled[i]);
  call.output(0, ::ttnn::repeat(
                     ::ttnn::reshape(call.input(0), TtnnCall::shapeOf(filled)),
                     numbersOf<uint32_t>(repeats)));
  return Status::success();
}

} // namespace

void addTtnnShape(TtnnTable &table) {
  table["slice"] = slice;
  table["concat"] = concat;
  table["pad"] = pad;
  table["broadcast"] = broadcast;
  table["permute"] = [](TtnnCall &call) {
    call.output(
        0, ::ttnn::permute(call.input(0),
                           numbersOf<int64_t>(call.types.ints("permutation"))));
    return Status::success();
  };
  table["reshape"] = [](TtnnCall &call) {
    call.output(
        0, ::ttnn::reshape(call.input(0),
                           TtnnCall::shapeOf(call.types.output(0)->shape)));
    return Status::success();
  };
  table["repeat"] = [](TtnnCall &call) {
    call.output(
        0, ::ttnn::repeat(call.input(0),
                          numbersOf<uint32_t>(call.types.ints("repeats"))));
    return Status::success();
  };
  table["repeat_interleave"] = [](TtnnCall &call) {
    uint32_t repeats = static_cast<uint32_t>(call.types.intOr("repeats", 1));
    call.output(0, ::ttnn::repeat_interleave(call.input(0), repeats,
                                             call.dim("dim", 0)));
    return Status::success();
  };
  table["embedding"] = [](TtnnCall &call) {
    call.output(0, ::ttnn::embedding(call.input(0), call.input(1)));
    return Status::success();
  };
  table["full"] = [](TtnnCall &call) {
    const ValueType &type = *call.types.output(0);
    std::optional<::ttnn::DataType> element = dataTypeOf(type.element);
    if (!element)
      return error("expects an element type of tt-metal, but got ",
                   nameOf(type.element));
    call.output(
        0, ::ttnn::full(TtnnCall::shapeOf(type.shape),
                        static_cast<float>(call.types.floatOr("value", 0)),
                        *element, ::ttnn::Layout::TILE, std::ref(call.device)));
    return Status::success();
  };
}

} // namespace ring::rt
