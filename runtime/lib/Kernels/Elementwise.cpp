// SPDX-License-Identifier: Apache-2.0
//
// Elementwise loops; see Elementwise.h. Simple arithmetic is bound by memory,
// so the compiler's own vectors do; each operation has its own loop so that the
// choice is made once and not for every element.

#include "Kernels/Elementwise.h"

#include <cmath>
#include <type_traits>

namespace ring::rt::kernels {
namespace {

/// Calls `function` with the operation as a compile-time constant.
template <typename Function>
void withConstant(UnaryOp op, const Function &function) {
  switch (op) {
  case UnaryOp::Abs:
    return function(std::integral_constant<UnaryOp, UnaryOp::Abs>());
  case UnaryOp::Neg:
    return function(std::integral_constant<UnaryOp, UnaryOp::Neg>());
  case UnaryOp::Reciprocal:
    return function(std::integral_constant<UnaryOp, UnaryOp::Reciprocal>());
  case UnaryOp::Relu:
    return function(std::integral_constant<UnaryOp, UnaryOp::Relu>());
  case UnaryOp::Rsqrt:
    return function(std::integral_constant<UnaryOp, UnaryOp::Rsqrt>());
  case UnaryOp::Sqrt:
    return function(std::integral_constant<UnaryOp, UnaryOp::Sqrt>());
  default:
    // A call of the mathematical library outweighs the choice.
    return function(op);
  }
}

template <typename Function>
void withConstant(BinaryOp op, const Function &function) {
  switch (op) {
  case BinaryOp::Add:
    return function(std::integral_constant<BinaryOp, BinaryOp::Add>());
  case BinaryOp::Subtract:
    return function(std::integral_constant<BinaryOp, BinaryOp::Subtract>());
  case BinaryOp::Multiply:
    return function(std::integral_constant<BinaryOp, BinaryOp::Multiply>());
  case BinaryOp::Divide:
    return function(std::integral_constant<BinaryOp, BinaryOp::Divide>());
  case BinaryOp::Maximum:
    return function(std::integral_constant<BinaryOp, BinaryOp::Maximum>());
  case BinaryOp::Minimum:
    return function(std::integral_constant<BinaryOp, BinaryOp::Minimum>());
  default:
    return function(op);
  }
}

/// From the side on which exp does not overflow: at -100 it is 3.8e-44, not 0.
inline float sigmoidValue(float x) {
  const float small = std::exp(-std::fabs(x));
  return (x < 0.0f ? small : 1.0f) / (1.0f + small);
}

inline float unaryValue(UnaryOp op, float x) {
  switch (op) {
  case UnaryOp::Abs:
    return std::fabs(x);
  case UnaryOp::Cos:
    return std::cos(x);
  case UnaryOp::Exp:
    return std::exp(x);
  case UnaryOp::Gelu:
    return 0.5f * x * (1.0f + std::erf(x * 0.70710678f));
  case UnaryOp::Log:
    return std::log(x);
  case UnaryOp::Neg:
    return -x;
  case UnaryOp::Reciprocal:
    return 1.0f / x;
  case UnaryOp::Relu:
    return x < 0.0f ? 0.0f : x;
  case UnaryOp::Rsqrt:
    return 1.0f / std::sqrt(x);
  case UnaryOp::Sigmoid:
    return sigmoidValue(x);
  case UnaryOp::Silu:
    return x * sigmoidValue(x);
  case UnaryOp::Sin:
    return std::sin(x);
  case UnaryOp::Sqrt:
    return std::sqrt(x);
  case UnaryOp::Tanh:
    return std::tanh(x);
  }
  return x;
}

/// A NaN of either side stays in Maximum and Minimum.
inline float binaryValue(BinaryOp op, float a, float b) {
  switch (op) {
  case BinaryOp::Add:
    return a + b;
  case BinaryOp::Subtract:
    return a - b;
  case BinaryOp::Multiply:
    return a * b;
  case BinaryOp::Divide:
    return a / b;
  case BinaryOp::Maximum:
    return a > b || a != a ? a : b;
  case BinaryOp::Minimum:
    return a < b || a != a ? a : b;
  case BinaryOp::Pow:
    return std::pow(a, b);
  case BinaryOp::Equal:
    return a == b ? 1.0f : 0.0f;
  case BinaryOp::NotEqual:
    return a != b ? 1.0f : 0.0f;
  case BinaryOp::Less:
    return a < b ? 1.0f : 0.0f;
  case BinaryOp::LessEqual:
    return a <= b ? 1.0f : 0.0f;
  case BinaryOp::Greater:
    return a > b ? 1.0f : 0.0f;
  case BinaryOp::GreaterEqual:
    return a >= b ? 1.0f : 0.0f;
  }
  return a;
}

} // namespace

float applyUnary(UnaryOp op, float value) { return unaryValue(op, value); }

float applyBinary(BinaryOp op, float left, float right) {
  return binaryValue(op, left, right);
}

void unaryLoop(UnaryOp op, const float *from, int64_t count, float *to) {
  withConstant(op, [&](auto constant) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = unaryValue(constant, from[i]);
  });
}

void binaryLoop(BinaryOp op, LoopOperand left, LoopOperand right, int64_t count,
                float *to) {
  withConstant(op, [&](auto constant) {
    // With the steps as constants each loop is a plain one. A single value is
    // read once: the result may overwrite it.
    if (left.step && right.step) {
      for (int64_t i = 0; i < count; ++i)
        to[i] = binaryValue(constant, left.data[i], right.data[i]);
    } else if (left.step) {
      const float value = *right.data;
      for (int64_t i = 0; i < count; ++i)
        to[i] = binaryValue(constant, left.data[i], value);
    } else {
      const float value = *left.data;
      const float single = *right.data;
      for (int64_t i = 0; i < count; ++i)
        to[i] =
            binaryValue(constant, value, right.step ? right.data[i] : single);
    }
  });
}

void selectLoop(LoopOperand condition, LoopOperand whenTrue,
                LoopOperand whenFalse, int64_t count, float *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = condition.data[i * condition.step] != 0.0f
                ? whenTrue.data[i * whenTrue.step]
                : whenFalse.data[i * whenFalse.step];
}

} // namespace ring::rt::kernels
