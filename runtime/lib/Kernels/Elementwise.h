// SPDX-License-Identifier: Apache-2.0
//
// Elementwise loops over f32 arrays. Broadcasting of shapes is the caller's
// business; here an operand is an array or, with step 0, a single value.

#ifndef RING_RUNTIME_KERNELS_ELEMENTWISE_H
#define RING_RUNTIME_KERNELS_ELEMENTWISE_H

#include <cstdint>

namespace ring::rt::kernels {

enum class UnaryOp : uint8_t {
  Abs,
  Cos,
  Exp,
  Gelu, ///< with erf, not its approximation
  Log,
  Neg,
  Reciprocal,
  Relu,
  Rsqrt,
  Sigmoid,
  Silu,
  Sin,
  Sqrt,
  Tanh,
};

enum class BinaryOp : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Maximum,
  Minimum,
  Pow,
  Equal, ///< comparisons give 1 or 0
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
};

/// The operation on single values: the definition of the loops.
float applyUnary(UnaryOp op, float value);
float applyBinary(BinaryOp op, float left, float right);

/// to[i] = op(from[i]). `to` may be `from`.
void unaryLoop(UnaryOp op, const float *from, int64_t count, float *to);

/// An operand of a loop: `step` is 1, or 0 for one value throughout.
struct LoopOperand {
  const float *data;
  int64_t step = 1;
};

/// to[i] = op(left[i], right[i]). `to` may be either operand's array.
void binaryLoop(BinaryOp op, LoopOperand left, LoopOperand right, int64_t count,
                float *to);

/// to[i] = condition[i] != 0 ? whenTrue[i] : whenFalse[i].
void selectLoop(LoopOperand condition, LoopOperand whenTrue,
                LoopOperand whenFalse, int64_t count, float *to);

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_ELEMENTWISE_H
