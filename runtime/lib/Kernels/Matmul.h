// SPDX-License-Identifier: Apache-2.0
//
// Batched matrix product with f32 accumulation. Transposition is a matter of
// strides and broadcasting over the batch is a batch stride of 0.

#ifndef RING_RUNTIME_KERNELS_MATMUL_H
#define RING_RUNTIME_KERNELS_MATMUL_H

#include "Kernels/Attention.h"

namespace ring::rt::kernels {

/// left [batch, rows, depth] times right [batch, depth, columns].
struct MatmulShape {
  int64_t batch = 1;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
};

/// Element (b, row, column) is at b * batchStride + row * rowStride +
/// column * columnStride, in elements.
struct MatrixView {
  const void *data = nullptr;
  ElementType type = ElementType::F32;
  int64_t batchStride = 0;
  int64_t rowStride = 0;
  int64_t columnStride = 1;
};

/// The result; its columns are contiguous.
struct MutableMatrixView {
  void *data = nullptr;
  ElementType type = ElementType::F32;
  int64_t batchStride = 0;
  int64_t rowStride = 0;
};

/// Items of work: blocks of the result.
int64_t matmulWorkItems(const MatmulShape &shape);

/// Scratch of one `matmul` call, any number of items.
size_t matmulScratchBytes(const MatmulShape &shape);

/// result = left * right for the blocks of `items`.
void matmul(const MatmulShape &shape, const MatrixView &left,
            const MatrixView &right, const MutableMatrixView &result,
            WorkRange items, void *scratch);

/// The same for all of the result, in plain loops.
void matmulReference(const MatmulShape &shape, const MatrixView &left,
                     const MatrixView &right, const MutableMatrixView &result);

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_MATMUL_H
