// SPDX-License-Identifier: Apache-2.0
//
// Softmax over the last dimension of a dense f32 [rows, columns] array. Rows
// are independent: a caller splits work by moving the pointers.

#ifndef RING_RUNTIME_KERNELS_ROWKERNELS_H
#define RING_RUNTIME_KERNELS_ROWKERNELS_H

#include <cstdint>

namespace ring::rt::kernels {

/// to[row] = softmax(from[row]). A row of nothing but -inf gives zeros.
/// `to` may be `from`.
void softmaxRows(const float *from, int64_t rows, int64_t columns, float *to);

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_ROWKERNELS_H
