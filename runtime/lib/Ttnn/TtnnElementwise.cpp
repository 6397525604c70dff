// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops: one call of the same name each.

#include "Ttnn/TtnnCall.h"

namespace ring::rt {

namespace {

/// A call of one tensor.
template <typename Function>
TtnnFunction unary(Function function) {
  return [function](TtnnCall &call) {
    call.output(0, function(call.input(0)));
    return Status::success();
  };
}

/// A call of two tensors; tt-metal broadcasts as NumPy does.
template <typename Function>
TtnnFunction binary(Function function) {
  return [function](TtnnCall &call) {
    call.output(0, function(call.input(0), call.input(1)));
    return Status::success();
  };
}

using Operand = const ::ttnn::Tensor &;

void addUnary(TtnnTable &table) {
  table["neg"] = unary([](Operand x) { return ::ttnn::neg(x); });
  table["abs"] = unary([](Operand x) { return ::ttnn::abs(x); });
  table["exp"] = unary([](Operand x) { return ::ttnn::exp(x); });
  table["log"] = unary([](Operand x) { return ::ttnn::log(x); });
  table["sqrt"] = unary([](Operand x) { return ::ttnn::sqrt(x); });
  table["rsqrt"] = unary([](Operand x) { return ::ttnn::rsqrt(x); });
  table["reciprocal"] = unary([](Operand x) { return ::ttnn::reciprocal(x); });
  table["sigmoid"] = unary([](Operand x) { return ::ttnn::sigmoid(x); });
  table["silu"] = unary([](Operand x) { return ::ttnn::silu(x); });
  table["tanh"] = unary([](Operand x) { return ::ttnn::tanh(x); });
  table["relu"] = unary([](Operand x) { return ::ttnn::relu(x); });
  table["sin"] = unary([](Operand x) { return ::ttnn::sin(x); });
  table["cos"] = unary([](Operand x) { return ::ttnn::cos(x); });
  table["erf"] = unary([](Operand x) { return ::ttnn::erf(x); });
  table["floor"] = unary([](Operand x) { return ::ttnn::floor(x); });
  table["ceil"] = unary([](Operand x) { return ::ttnn::ceil(x); });
  table["sign"] = unary([](Operand x) { return ::ttnn::sign(x); });
  table["logical_not"] =
      unary([](Operand x) { return ::ttnn::logical_not(x); });
  // `output` converts; a copy is the same tensor.
  table["typecast"] = unary([](Operand x) { return x; });
  table["copy"] = unary([](Operand x) { return x; });
  table["gelu"] = [](TtnnCall &call) {
    call.output(0, ::ttnn::gelu(call.input(0), call.types.flag("approximate")));
    return Status::success();
  };
  table["clamp"] = [](TtnnCall &call) {
    call.output(
        0, ::ttnn::clamp(call.input(0),
                         static_cast<float>(call.types.floatOr("min", 0)),
                         static_cast<float>(call.types.floatOr("max", 0))));
    return Status::success();
  };
}

void addBinary(TtnnTable &table) {
  table["add"] = binary([](Operand a, Operand b) { return ::ttnn::add(a, b); });
  table["subtract"] =
      binary([](Operand a, Operand b) { return ::ttnn::subtract(a, b); });
  table["multiply"] =
      binary([](Operand a, Operand b) { return ::ttnn::multiply(a, b); });
  table["divide"] =
      binary([](Operand a, Operand b) { return ::ttnn::divide(a, b); });
  table["maximum"] =
      binary([](Operand a, Operand b) { return ::ttnn::maximum(a, b); });
  table["minimum"] =
      binary([](Operand a, Operand b) { return ::ttnn::minimum(a, b); });
  table["pow"] = binary([](Operand a, Operand b) { return ::ttnn::pow(a, b); });
  table["eq"] = binary([](Operand a, Operand b) { return ::ttnn::eq(a, b); });
  table["ne"] = binary([](Operand a, Operand b) { return ::ttnn::ne(a, b); });
  table["gt"] = binary([](Operand a, Operand b) { return ::ttnn::gt(a, b); });
  table["ge"] = binary([](Operand a, Operand b) { return ::ttnn::ge(a, b); });
  table["lt"] = binary([](Operand a, Operand b) { return ::ttnn::lt(a, b); });
  table["le"] = binary([](Operand a, Operand b) { return ::ttnn::le(a, b); });
  table["logical_and"] =
      binary([](Operand a, Operand b) { return ::ttnn::logical_and(a, b); });
  table["logical_or"] =
      binary([](Operand a, Operand b) { return ::ttnn::logical_or(a, b); });
}

} // namespace

void addTtnnElementwise(TtnnTable &table) {
  addUnary(table);
  addBinary(table);
  table["where"] = [](TtnnCall &call) {
    call.output(0, ::ttnn::where(call.input(0), call.input(1), call.input(2)));
    return Status::success();
  };
}

} // namespace ring::rt
