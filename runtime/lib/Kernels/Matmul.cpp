// SPDX-License-Identifier: Apache-2.0
//
// Batched matrix product; see Matmul.h.

#include "Kernels/Matmul.h"
#include "Kernels/AttentionLayout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Kernels/Matmul.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "Kernels/MatmulBlock-inl.h"

#ifndef RING_RUNTIME_KERNELS_MATMUL_ONCE
#define RING_RUNTIME_KERNELS_MATMUL_ONCE
namespace ring::rt::kernels {
namespace {

// A block of the result is 192 x 256, taken in steps of 256 along the depth:
// 192 KiB each for both operands and the result, within the L2 cache.
constexpr int64_t kBlockRows = 192;
constexpr int64_t kBlockColumns = 256;
constexpr int64_t kBlockDepth = 256;

/// One call.
struct MatmulCall {
  const MatmulShape &shape;
  const MatrixView &left;
  const MatrixView &right;
  const MutableMatrixView &result;
  float *scratch;
};

} // namespace
} // namespace ring::rt::kernels
#endif // RING_RUNTIME_KERNELS_MATMUL_ONCE

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
StridedMatrix<T> blockOf(const MatrixView &view, int64_t batch, int64_t row,
                         int64_t column) {
  const T *data = static_cast<const T *>(view.data) + batch * view.batchStride +
                  row * view.rowStride + column * view.columnStride;
  return {data, view.rowStride, view.columnStride};
}

void matmulItem(const MatmulCall &call, int64_t batch, int64_t row,
                int64_t column) {
  const MatmulShape &shape = call.shape;
  const int64_t rows = std::min(kBlockRows, shape.rows - row);
  const int64_t columns = std::min(kBlockColumns, shape.columns - column);
  float *packedLeft = call.scratch;
  float *packedRight = packedLeft + kBlockRows * kBlockDepth;
  float *sums = packedRight + kBlockDepth * kBlockColumns;
  std::fill_n(sums, kBlockRows * kBlockColumns, 0.0f);
  for (int64_t step = 0; step < shape.depth; step += kBlockDepth) {
    const int64_t depth = std::min(kBlockDepth, shape.depth - step);
    if (call.left.type == ElementType::F32)
      packLeft(blockOf<float>(call.left, batch, row, step), rows, depth, 1.0f,
               packedLeft);
    else
      packLeft(blockOf<uint16_t>(call.left, batch, row, step), rows, depth,
               1.0f, packedLeft);
    if (call.right.type == ElementType::F32)
      packRight(blockOf<float>(call.right, batch, step, column), depth, columns,
                packedRight);
    else
      packRight(blockOf<uint16_t>(call.right, batch, step, column), depth,
                columns, packedRight);
    multiplyBlock(packedLeft, packedRight, rows, columns, depth,
                  /*accumulate=*/true, sums, kBlockColumns);
  }
  for (int64_t index = 0; index < rows; ++index) {
    const int64_t to = batch * call.result.batchStride +
                       (row + index) * call.result.rowStride + column;
    const float *from = sums + index * kBlockColumns;
    if (call.result.type == ElementType::F32)
      std::copy_n(from, columns, static_cast<float *>(call.result.data) + to);
    else
      std::transform(from, from + columns,
                     static_cast<uint16_t *>(call.result.data) + to,
                     floatToBf16);
  }
}

void matmulItems(const MatmulCall &call, WorkRange items) {
  const int64_t rowBlocks = divideUp(call.shape.rows, kBlockRows);
  const int64_t columnBlocks = divideUp(call.shape.columns, kBlockColumns);
  for (int64_t item = items.begin; item < items.end; ++item)
    matmulItem(call, item / (rowBlocks * columnBlocks),
               item / columnBlocks % rowBlocks * kBlockRows,
               item % columnBlocks * kBlockColumns);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ring::rt::kernels {
HWY_EXPORT(matmulItems);

int64_t matmulWorkItems(const MatmulShape &shape) {
  return shape.batch * divideUp(shape.rows, kBlockRows) *
         divideUp(shape.columns, kBlockColumns);
}

size_t matmulScratchBytes(const MatmulShape &) {
  return sizeof(float) *
         (kBlockRows * kBlockDepth + kBlockDepth * kBlockColumns +
          kBlockRows * kBlockColumns);
}

void matmul(const MatmulShape &shape, const MatrixView &left,
            const MatrixView &right, const MutableMatrixView &result,
            WorkRange items, void *scratch) {
  HWY_DYNAMIC_DISPATCH(matmulItems)
  ({shape, left, right, result, static_cast<float *>(scratch)}, items);
}

void matmulReference(const MatmulShape &shape, const MatrixView &left,
                     const MatrixView &right, const MutableMatrixView &result) {
  for (int64_t b = 0; b < shape.batch; ++b)
    for (int64_t row = 0; row < shape.rows; ++row)
      for (int64_t column = 0; column < shape.columns; ++column) {
        float sum = 0.0f;
        for (int64_t step = 0; step < shape.depth; ++step)
          sum += loadElement(left.data, left.type,
                             b * left.batchStride + row * left.rowStride +
                                 step * left.columnStride) *
                 loadElement(right.data, right.type,
                             b * right.batchStride + step * right.rowStride +
                                 column * right.columnStride);
        storeElement(result.data, result.type,
                     b * result.batchStride + row * result.rowStride + column,
                     sum);
      }
}

} // namespace ring::rt::kernels
#endif // HWY_ONCE
