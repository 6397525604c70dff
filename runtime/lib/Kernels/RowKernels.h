// SPDX-License-Identifier: Apache-2.0
//
// Kernels over the last dimension of a dense f32 [rows, columns] array:
// softmax, reductions and normalisations. Rows are independent: a caller splits
// work by moving the pointers.

#ifndef RING_RUNTIME_KERNELS_ROWKERNELS_H
#define RING_RUNTIME_KERNELS_ROWKERNELS_H

#include <cstdint>

namespace ring::rt::kernels {

/// to[row] = softmax(from[row]). A row of nothing but -inf gives zeros.
/// `to` may be `from`.
void softmaxRows(const float *from, int64_t rows, int64_t columns, float *to);

enum class Reduction : uint8_t { Sum, Max, Mean };

/// to[row] = the reduction of from[row]. An empty row has sum 0, maximum -inf
/// and mean NaN.
void reduceRows(Reduction reduction, const float *from, int64_t rows,
                int64_t columns, float *to);

/// to = from / sqrt(mean(from^2) + epsilon) * weight; `weight` [columns] may be
/// nullptr. `to` may be `from`.
void rmsNormRows(const float *from, const float *weight, float epsilon,
                 int64_t rows, int64_t columns, float *to);

/// to = (from - mean) / sqrt(variance + epsilon) * weight + bias; both
/// [columns], each may be nullptr. `to` may be `from`.
void layerNormRows(const float *from, const float *weight, const float *bias,
                   float epsilon, int64_t rows, int64_t columns, float *to);

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_ROWKERNELS_H
