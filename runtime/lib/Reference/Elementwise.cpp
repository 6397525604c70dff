// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops and creation, by definition.

#include "Reference/Reference.h"

#include "Data/Numbers.h"

#include <cmath>

namespace ring::rt::reference {

namespace {

/// What a number becomes in an integer type; real types keep it.
double convert(double value, ElementType element) {
  if (isFloat(element))
    return value;
  if (element == ElementType::Bool)
    return value != 0;
  uint8_t memory[8];
  storeNumbers(memory, element, 0, &value, 1);
  return loadNumber(memory, element, 0);
}

Function unary(double (*function)(double)) {
  return [function](Call &call) {
    for (size_t i = 0; i < call.outputs[0].size(); ++i)
      call.outputs[0][i] =
          convert(function(call.input(0)[i]), call.types.output(0)->element);
    return Status::success();
  };
}

Function binary(double (*function)(double, double)) {
  return [function](Call &call) {
    forEachIndex(call.outputShape(0), [&](const Shape &index, int64_t flat) {
      double a = call.input(0)[broadcastPlace(call.inputShape(0), index)];
      double b = call.input(1)[broadcastPlace(call.inputShape(1), index)];
      call.outputs[0][flat] =
          convert(function(a, b), call.types.output(0)->element);
    });
    return Status::success();
  };
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

Status where(Call &call) {
  forEachIndex(call.outputShape(0), [&](const Shape &index, int64_t flat) {
    bool first = call.input(0)[broadcastPlace(call.inputShape(0), index)] != 0;
    size_t taken = first ? 1 : 2;
    call.outputs[0][flat] = convert(
        call.input(taken)[broadcastPlace(call.inputShape(taken), index)],
        call.types.output(0)->element);
  });
  return Status::success();
}

Status constant(Call &call) {
  const ConstantData &data =
      call.types.program().constants()[call.types.intOr("data", 0)];
  ElementType element = call.types.output(0)->element;
  if (element == ElementType::BFP8B || element == ElementType::BFP4B)
    element = ElementType::F32;
  std::vector<uint8_t> aligned(data.data, data.data + data.size);
  for (size_t i = 0; i < call.outputs[0].size(); ++i)
    call.outputs[0][i] = loadNumber(aligned.data(), element,
                                    data.splat ? 0 : static_cast<int64_t>(i));
  return Status::success();
}

Status arange(Call &call) {
  int64_t dim = call.types.dim("dim", call.outputShape(0).size());
  forEachIndex(call.outputShape(0), [&](const Shape &index, int64_t flat) {
    call.outputs[0][flat] =
        static_cast<double>(call.types.intOr("start", 0) +
                            index[dim] * call.types.intOr("step", 1));
  });
  return Status::success();
}

} // namespace

void addElementwise(Table &table) {
  table["add"] = binary([](double a, double b) { return a + b; });
  table["subtract"] = binary([](double a, double b) { return a - b; });
  table["multiply"] = binary([](double a, double b) { return a * b; });
  table["divide"] = binary([](double a, double b) { return a / b; });
  table["pow"] = binary([](double a, double b) { return std::pow(a, b); });
  table["maximum"] = binary([](double a, double b) {
    return std::isnan(a) ? a : std::isnan(b) ? b : std::fmax(a, b);
  });
  table["minimum"] = binary([](double a, double b) {
    return std::isnan(a) ? a : std::isnan(b) ? b : std::fmin(a, b);
  });
  table["eq"] = binary([](double a, double b) { return double(a == b); });
  table["ne"] = binary([](double a, double b) { return double(a != b); });
  table["gt"] = binary([](double a, double b) { return double(a > b); });
  table["ge"] = binary([](double a, double b) { return double(a >= b); });
  table["lt"] = binary([](double a, double b) { return double(a < b); });
  table["le"] = binary([](double a, double b) { return double(a <= b); });
  table["logical_and"] =
      binary([](double a, double b) { return double(a && b); });
  table["logical_or"] =
      binary([](double a, double b) { return double(a || b); });

  table["neg"] = unary([](double x) { return -x; });
  table["abs"] = unary([](double x) { return std::fabs(x); });
  table["exp"] = unary([](double x) { return std::exp(x); });
  table["log"] = unary([](double x) { return std::log(x); });
  table["sqrt"] = unary([](double x) { return std::sqrt(x); });
  table["rsqrt"] = unary([](double x) { return 1 / std::sqrt(x); });
  table["reciprocal"] = unary([](double x) { return 1 / x; });
  table["sigmoid"] = unary(logistic);
  table["silu"] = unary([](double x) { return x * logistic(x); });
  table["tanh"] = unary([](double x) { return std::tanh(x); });
  table["relu"] = unary([](double x) { return x < 0 ? 0 : x; });
  table["sin"] = unary([](double x) { return std::sin(x); });
  table["cos"] = unary([](double x) { return std::cos(x); });
  table["erf"] = unary([](double x) { return std::erf(x); });
  table["floor"] = unary([](double x) { return std::floor(x); });
  table["ceil"] = unary([](double x) { return std::ceil(x); });
  table["sign"] = unary([](double x) { return double((x > 0) - (x < 0)); });
  table["logical_not"] = unary([](double x) { return double(x == 0); });
  table["typecast"] = unary([](double x) { return x; });
  table["copy"] = unary([](double x) { return x; });
  table["where"] = where;
  table["gelu"] = [](Call &call) {
    bool approximate = call.types.flag("approximate");
    for (size_t i = 0; i < call.outputs[0].size(); ++i) {
      double x = call.input(0)[i];
      double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
      double phi = approximate ? (1 + std::tanh(inner)) / 2
                               : (1 + std::erf(x / std::sqrt(2.0))) / 2;
      call.outputs[0][i] = x * phi;
    }
    return Status::success();
  };
  table["clamp"] = [](Call &call) {
    for (size_t i = 0; i < call.outputs[0].size(); ++i)
      call.outputs[0][i] = convert(
          std::fmin(std::fmax(call.input(0)[i], call.types.floatOr("min", 0)),
                    call.types.floatOr("max", 0)),
          call.types.output(0)->element);
    return Status::success();
  };
  table["full"] = [](Call &call) {
    double value =
        convert(call.types.floatOr("value", 0), call.types.output(0)->element);
    call.outputs[0].assign(call.outputs[0].size(), value);
    return Status::success();
  };
  table["constant"] = constant;
  table["arange"] = arange;
}

} // namespace ring::rt::reference
