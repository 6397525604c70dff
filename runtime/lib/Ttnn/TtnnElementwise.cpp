// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops: one call of the same name each. Operands of two types, which
// tt-metal refuses in most ops, are brought to the wider one.

#include "Ttnn/TtnnCall.h"

namespace ring::rt {

namespace {

using Operand = const ::ttnn::Tensor &;
using ::ttnn::DataType;
using ::ttnn::operations::unary::GeluVariant;

/// A call of one tensor.
template <typename Function>
TtnnOp unary(Function function) {
  return [function](TtnnCall &call) {
    return call.output(0, function(call.exactInput(0)));
  };
}

/// A call of one tensor of real numbers; integers become f32 first.
template <typename Function>
TtnnOp real(Function function) {
  return [function](TtnnCall &call) {
    ::ttnn::Tensor x = call.exactInput(0);
    if (isInteger(x.dtype()))
      x = inType(x, DataType::FLOAT32);
    return call.output(0, function(x));
  };
}

/// A call of two tensors; tt-metal broadcasts as NumPy does.
template <typename Function>
TtnnOp binary(Function function) {
  return [function](TtnnCall &call) {
    ::ttnn::Tensor a = call.exactInput(0), b = call.exactInput(1);
    DataType type = widest(a.dtype(), b.dtype());
    return call.output(0, function(inType(a, type), inType(b, type)));
  };
}

/// The same of real numbers.
template <typename Function>
TtnnOp realBinary(Function function) {
  return binary([function](Operand a, Operand b) {
    bool integer = isInteger(a.dtype());
    return integer ? function(inType(a, DataType::FLOAT32),
                              inType(b, DataType::FLOAT32))
                   : function(a, b);
  });
}

/// Where shapes differ tt-metal computes c * a + (1 - c) * b, which makes NaN
/// of an infinity that is not chosen: so all three get the shape of the result.
Status where(TtnnCall &call) {
  const OpTypes &types = call.types;
  ::ttnn::Tensor a = call.exactInput(1), b = call.exactInput(2);
  DataType type = widest(a.dtype(), b.dtype());
  auto operand = [&](size_t i, const ::ttnn::Tensor &tensor) {
    return expanded(inType(tensor, type), types.input(i)->shape,
                    types.output(0)->shape);
  };
  // A condition is "not 0" before it takes another type, which might round.
  bool truth = types.input(0)->element == ElementType::Bool;
  ::ttnn::Tensor chosen = truth ? call.input(0) : truthOf(call.input(0));
  return call.output(
      0, ::ttnn::where(operand(0, chosen), operand(1, a), operand(2, b)));
}

void addUnary(TtnnTable &table) {
  table["neg"] = unary([](Operand x) { return ::ttnn::neg(x); });
  table["abs"] = unary([](Operand x) { return ::ttnn::abs(x); });
  table["relu"] = unary([](Operand x) { return ::ttnn::relu(x); });
  table["sign"] = real([](Operand x) { return ::ttnn::sign(x); });
  table["exp"] = real([](Operand x) { return ::ttnn::exp(x); });
  table["log"] = real([](Operand x) { return ::ttnn::log(x); });
  table["sqrt"] = real([](Operand x) { return ::ttnn::sqrt(x); });
  table["rsqrt"] = real([](Operand x) { return ::ttnn::rsqrt(x); });
  table["reciprocal"] = real([](Operand x) { return ::ttnn::reciprocal(x); });
  table["sigmoid"] = real([](Operand x) { return ::ttnn::sigmoid(x); });
  table["silu"] = real([](Operand x) { return ::ttnn::silu(x); });
  table["tanh"] = real([](Operand x) { return ::ttnn::tanh(x); });
  table["sin"] = real([](Operand x) { return ::ttnn::sin(x); });
  table["cos"] = real([](Operand x) { return ::ttnn::cos(x); });
  table["erf"] = real([](Operand x) { return ::ttnn::erf(x); });
  table["floor"] = real([](Operand x) { return ::ttnn::floor(x); });
  table["ceil"] = real([](Operand x) { return ::ttnn::ceil(x); });
  table["logical_not"] = [](TtnnCall &call) {
    return call.output(0, ::ttnn::logical_not(call.exactInput(0)));
  };
  // `output` converts; a copy is the same tensor.
  table["typecast"] = table["copy"] = [](TtnnCall &call) {
    bool truth = call.types.output(0)->element == ElementType::Bool &&
                 call.types.input(0)->element != ElementType::Bool;
    return call.output(0, truth ? truthOf(call.input(0)) : call.input(0));
  };
  // The form that takes a bool means another thing by it: a table.
  table["gelu"] = [](TtnnCall &call) {
    GeluVariant form = call.types.flag("approximate") ? GeluVariant::TANH
                                                      : GeluVariant::ACCURATE;
    return call.output(0, ::ttnn::gelu(call.exactInput(0), form));
  };
  table["clamp"] = [](TtnnCall &call) {
    return call.output(
        0, ::ttnn::clamp(call.exactInput(0),
                         static_cast<float>(call.types.floatOr("min", 0)),
                         static_cast<float>(call.types.floatOr("max", 0))));
  };
}

void addBinary(TtnnTable &table) {
  table["add"] = binary([](Operand a, Operand b) { return ::ttnn::add(a, b); });
  table["subtract"] =
      binary([](Operand a, Operand b) { return ::ttnn::subtract(a, b); });
  table["multiply"] =
      binary([](Operand a, Operand b) { return ::ttnn::multiply(a, b); });
  table["divide"] =
      realBinary([](Operand a, Operand b) { return ::ttnn::divide(a, b); });
  table["maximum"] =
      binary([](Operand a, Operand b) { return ::ttnn::maximum(a, b); });
  table["minimum"] =
      binary([](Operand a, Operand b) { return ::ttnn::minimum(a, b); });
  table["pow"] =
      realBinary([](Operand a, Operand b) { return ::ttnn::pow(a, b); });
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
  table["where"] = where;
}

} // namespace ring::rt
