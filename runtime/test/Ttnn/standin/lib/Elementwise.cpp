// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops.

#include "TensorState.h"
#include "ttnn/operations/copy/typecast/typecast.hpp"
#include "ttnn/operations/eltwise/binary/binary_composite.hpp"
#include "ttnn/operations/eltwise/ternary/ternary.hpp"
#include "ttnn/operations/eltwise/unary/unary_composite.hpp"

#include <cmath>

using namespace standin;

namespace ttnn {

using standin::Activations;
using standin::ConstTypeRef;
using standin::Cores;
using standin::MaybeTensor;
using standin::Memory;
using standin::SubDevice;
using Scalar = operations::unary::ScalarVariant;

// ---- One tensor ----------------------------------------------------------

template <typename Function>
static Tensor map(const Tensor &x, Function function) {
  expectTiles("unary op", {&x});
  return eachDevice(x, sizesOf(x), x.dtype(), x.layout(), [&](size_t device) {
    Numbers numbers = at(x, device);
    for (double &number : numbers)
      number = function(number);
    return numbers;
  });
}

template <typename Function>
static Tensor mapReal(const Tensor &x, Function function) {
  expect(!isInteger(x.dtype()), "integers where real numbers are expected");
  return map(x, function);
}

/// Approximations that nobody asked for would go unnoticed.
template <typename Function>
static Tensor mapExactly(const Tensor &x, bool fast, Function function) {
  expect(!fast, "an approximation is asked for");
  return mapReal(x, function);
}

Tensor abs(const Tensor &x, Memory, MaybeTensor, Cores) {
  return map(x, [](double a) { return std::abs(a); });
}
Tensor neg(const Tensor &x, Memory, MaybeTensor, Cores) {
  return map(x, [](double a) { return -a; });
}
Tensor relu(const Tensor &x, Memory, MaybeTensor, Cores) {
  return map(x, [](double a) { return std::max(a, 0.0); });
}
Tensor sign(const Tensor &x, Memory, MaybeTensor, Cores) {
  return map(x, [](double a) { return a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0; });
}
Tensor logical_not(const Tensor &x, Memory, MaybeTensor, Cores) {
  return map(x, [](double a) { return a == 0 ? 1.0 : 0.0; });
}
Tensor reciprocal(const Tensor &x, Memory, MaybeTensor, Cores) {
  return mapReal(x, [](double a) { return 1 / a; });
}
Tensor silu(const Tensor &x, Memory, MaybeTensor, Cores) {
  return mapReal(x, [](double a) { return a / (1 + std::exp(-a)); });
}
Tensor sin(const Tensor &x, Memory, MaybeTensor, Cores) {
  return mapReal(x, [](double a) { return std::sin(a); });
}
Tensor cos(const Tensor &x, Memory, MaybeTensor, Cores) {
  return mapReal(x, [](double a) { return std::cos(a); });
}
Tensor floor(const Tensor &x, Memory, MaybeTensor, Cores) {
  return mapReal(x, [](double a) { return std::floor(a); });
}
Tensor ceil(const Tensor &x, Memory, MaybeTensor, Cores) {
  return mapReal(x, [](double a) { return std::ceil(a); });
}
Tensor exp(const Tensor &x, bool fast, Memory, MaybeTensor, Cores) {
  return mapExactly(x, fast, [](double a) { return std::exp(a); });
}
Tensor log(const Tensor &x, bool fast, Memory, MaybeTensor, Cores) {
  return mapExactly(x, fast, [](double a) { return std::log(a); });
}
Tensor sqrt(const Tensor &x, bool fast, Memory, MaybeTensor, Cores) {
  return mapExactly(x, fast, [](double a) { return std::sqrt(a); });
}
Tensor rsqrt(const Tensor &x, bool fast, Memory, MaybeTensor, Cores) {
  return mapExactly(x, fast, [](double a) { return 1 / std::sqrt(a); });
}
Tensor erf(const Tensor &x, bool fast, Memory, MaybeTensor, Cores) {
  return mapExactly(x, fast, [](double a) { return std::erf(a); });
}
Tensor tanh(const Tensor &x, Memory, MaybeTensor, bool fast, Cores) {
  return mapExactly(x, fast, [](double a) { return std::tanh(a); });
}
Tensor sigmoid(const Tensor &x, int, operations::unary::SigmoidMode mode,
               Memory, MaybeTensor, Cores) {
  return mapExactly(x, mode != operations::unary::SigmoidMode::ACCURATE,
                    [](double a) { return 1 / (1 + std::exp(-a)); });
}

Tensor gelu(const Tensor &x, operations::unary::GeluVariant variant, Memory,
            MaybeTensor, Cores) {
  using operations::unary::GeluVariant;
  return mapReal(x, [=](double a) {
    switch (variant) {
    case GeluVariant::ACCURATE:
      return a / 2 * (1 + std::erf(a / std::sqrt(2.0)));
    case GeluVariant::TANH:
      return a / 2 *
             (1 + std::tanh(std::sqrt(2 / M_PI) * (a + 0.044715 * a * a * a)));
    case GeluVariant::FAST_LUT: // straight lines, which is plainly off
      break;
    }
    return a < -2 ? 0 : a > 2 ? a : (a + 2) / 2;
  });
}

Tensor clamp(const Tensor &x, std::optional<std::variant<float, int32_t>> min,
             std::optional<std::variant<float, int32_t>> max, Memory,
             MaybeTensor) {
  auto number = [](const auto &given) {
    return std::visit([](auto n) { return static_cast<double>(n); }, *given);
  };
  double low = min ? number(min) : -INFINITY,
         high = max ? number(max) : INFINITY;
  return map(x, [=](double a) { return std::min(std::max(a, low), high); });
}

static bool isWord(DataType type) {
  return type == DataType::INT32 || type == DataType::UINT32;
}

Tensor typecast(const Tensor &x, const DataType &type, Memory, MaybeTensor,
                Cores) {
  expect(!isWord(x.dtype()) || !isWord(type) || x.dtype() == type,
         "typecast: there is none between INT32 and UINT32");
  return eachDevice(x, sizesOf(x), type, x.layout(),
                    [&](size_t device) { return at(x, device); });
}

Tensor bitcast(const Tensor &x, const DataType &type, Memory, MaybeTensor,
               Cores) {
  expect(isWord(x.dtype()) && isWord(type),
         "bitcast: the stand-in knows INT32 and UINT32");
  constexpr double kAll = 4294967296.0, kHalf = kAll / 2;
  return eachDevice(x, sizesOf(x), type, x.layout(), [&](size_t device) {
    Numbers numbers = at(x, device);
    for (double &number : numbers)
      if (type == DataType::UINT32 && number < 0)
        number += kAll;
      else if (type == DataType::INT32 && number >= kHalf)
        number -= kAll;
    return numbers;
  });
}

// ---- Two tensors ---------------------------------------------------------

static Sizes broadcast(const Sizes &a, const Sizes &b) {
  Sizes sizes(std::max(a.size(), b.size()), 1);
  for (const Sizes *one : {&a, &b})
    for (size_t i = 0; i < one->size(); ++i) {
      int64_t &size = sizes[sizes.size() - one->size() + i];
      expect(size == 1 || (*one)[i] == 1 || size == (*one)[i],
             "shapes do not broadcast");
      size = std::max(size, (*one)[i]);
    }
  return sizes;
}

template <typename Function>
static Tensor zip(const Tensor &a, const Tensor &b, Function function) {
  expectTiles("binary op", {&a, &b});
  expect(a.dtype() == b.dtype(), "operands of two types");
  expect(a.dtype() != DataType::UINT8 && a.dtype() != DataType::UINT16,
         "few ops take integers of less than 32 bits");
  Sizes x = sizesOf(a), y = sizesOf(b), sizes = broadcast(x, y);
  return eachDevice(a, sizes, a.dtype(), a.layout(), [&](size_t device) {
    Numbers numbers;
    forEach(sizes, [&](const Sizes &index) {
      numbers.push_back(function(at(a, device)[place(index, x)],
                                 at(b, device)[place(index, y)]));
    });
    return numbers;
  });
}

template <typename Function>
static Tensor zipReal(const Tensor &a, const Tensor &b, Function function) {
  expect(!isInteger(a.dtype()), "integers where real numbers are expected");
  return zip(a, b, function);
}

template <typename Function>
static Tensor withScalar(const Tensor &a, const Scalar &b, Function function) {
  double number = std::visit([](auto n) { return double(n); }, b);
  return map(a, [=](double x) { return function(x, number); });
}

Tensor add(const Tensor &a, const Tensor &b, ConstTypeRef, Memory, MaybeTensor,
           Activations, Activations, Activations, Cores, SubDevice) {
  return zip(a, b, [](double x, double y) { return x + y; });
}
Tensor subtract(const Tensor &a, const Tensor &b, ConstTypeRef, Memory,
                MaybeTensor, Activations, Activations, Activations, Cores,
                SubDevice) {
  return zip(a, b, [](double x, double y) { return x - y; });
}
Tensor eq(const Tensor &a, const Tensor &b, ConstTypeRef, Memory, MaybeTensor,
          Activations, Activations, Activations, Cores, SubDevice) {
  return zip(a, b, [](double x, double y) { return x == y; });
}
Tensor ne(const Tensor &a, const Tensor &b, ConstTypeRef, Memory, MaybeTensor,
          Activations, Activations, Activations, Cores, SubDevice) {
  return zip(a, b, [](double x, double y) { return x != y; });
}
Tensor ne(const Tensor &a, Scalar b, ConstTypeRef, Memory, MaybeTensor,
          Activations, Activations, Activations, Cores, SubDevice) {
  return withScalar(a, b, [](double x, double y) { return x != y; });
}
Tensor gt(const Tensor &a, const Tensor &b, ConstTypeRef, Memory, MaybeTensor,
          Activations, Activations, Activations, Cores, SubDevice) {
  return zip(a, b, [](double x, double y) { return x > y; });
}
Tensor gt(const Tensor &a, Scalar b, ConstTypeRef, Memory, MaybeTensor,
          Activations, Activations, Activations, Cores, SubDevice) {
  return withScalar(a, b, [](double x, double y) { return x > y; });
}
Tensor ge(const Tensor &a, const Tensor &b, ConstTypeRef, Memory, MaybeTensor,
          Activations, Activations, Activations, Cores, SubDevice) {
  return zip(a, b, [](double x, double y) { return x >= y; });
}
Tensor lt(const Tensor &a, const Tensor &b, ConstTypeRef, Memory, MaybeTensor,
          Activations, Activations, Activations, Cores, SubDevice) {
  return zip(a, b, [](double x, double y) { return x < y; });
}
Tensor le(const Tensor &a, const Tensor &b, ConstTypeRef, Memory, MaybeTensor,
          Activations, Activations, Activations, Cores, SubDevice) {
  return zip(a, b, [](double x, double y) { return x <= y; });
}
Tensor logical_and(const Tensor &a, const Tensor &b, ConstTypeRef, Memory,
                   MaybeTensor, Activations, Activations, Activations, Cores,
                   SubDevice) {
  return zip(a, b, [](double x, double y) { return x != 0 && y != 0; });
}
Tensor logical_or(const Tensor &a, const Tensor &b, ConstTypeRef, Memory,
                  MaybeTensor, Activations, Activations, Activations, Cores,
                  SubDevice) {
  return zip(a, b, [](double x, double y) { return x != 0 || y != 0; });
}
Tensor multiply(const Tensor &a, const Tensor &b, ConstTypeRef, Memory,
                MaybeTensor, Activations, Activations, Activations,
                const std::optional<bool> &, Cores, SubDevice) {
  return zip(a, b, [](double x, double y) { return x * y; });
}
Tensor multiply(const Tensor &a, Scalar b, ConstTypeRef, Memory, MaybeTensor,
                Activations, Activations, Activations,
                const std::optional<bool> &, Cores, SubDevice) {
  return withScalar(a, b, [](double x, double y) { return x * y; });
}
Tensor divide(const Tensor &a, const Tensor &b, ConstTypeRef, Memory,
              MaybeTensor, Activations, Activations, Activations,
              const std::optional<bool> &, Cores, SubDevice) {
  return zipReal(a, b, [](double x, double y) { return x / y; });
}
Tensor maximum(const Tensor &a, const Tensor &b, ConstTypeRef, Memory,
               MaybeTensor, Activations, Activations, Activations) {
  return zip(a, b, [](double x, double y) { return std::max(x, y); });
}
Tensor maximum(const Tensor &a, Scalar b, ConstTypeRef, Memory, MaybeTensor,
               Activations, Activations, Activations) {
  return withScalar(a, b, [](double x, double y) { return std::max(x, y); });
}
Tensor minimum(const Tensor &a, const Tensor &b, ConstTypeRef, Memory,
               MaybeTensor, Activations, Activations, Activations) {
  return zip(a, b, [](double x, double y) { return std::min(x, y); });
}
Tensor pow(const Tensor &a, const Tensor &b, ConstTypeRef, Memory, MaybeTensor,
           Activations, Activations, Activations) {
  return zipReal(a, b, [](double x, double y) { return std::pow(x, y); });
}

// ---- Three ---------------------------------------------------------------

/// Operands of different shapes are put together from products and a sum, so
/// that an infinity which is not chosen makes NaN.
Tensor where(const Tensor &condition,
             const operations::ternary::TensorScalarVariant &yes,
             const operations::ternary::TensorScalarVariant &no, Memory,
             MaybeTensor, Cores) {
  const Tensor &a = std::get<Tensor>(yes), &b = std::get<Tensor>(no);
  expectTiles("where", {&condition, &a, &b});
  bool alike = sizesOf(condition) == sizesOf(a) && sizesOf(a) == sizesOf(b);
  if (!alike) {
    Tensor chosen = map(condition, [](double c) { return c > 0; });
    Tensor other = map(condition, [](double c) { return c <= 0; });
    return add(multiply(chosen, a), multiply(other, b));
  }
  return eachDevice(a, sizesOf(a), a.dtype(), a.layout(), [&](size_t device) {
    Numbers numbers = at(b, device);
    for (size_t i = 0; i < numbers.size(); ++i)
      if (at(condition, device)[i] != 0)
        numbers[i] = at(a, device)[i];
    return numbers;
  });
}

} // namespace ttnn
