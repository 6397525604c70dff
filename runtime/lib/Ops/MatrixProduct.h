// SPDX-License-Identifier: Apache-2.0
//
// Every product of tensors as a batch of matrix products: which dimensions are
// batch, rows, columns and contracted, and with what strides each is walked.

#ifndef RING_RUNTIME_OPS_MATRIXPRODUCT_H
#define RING_RUNTIME_OPS_MATRIXPRODUCT_H

#include "Ops/OpTypes.h"

namespace ring::rt {

/// y[batch, row, column] = sum over inner of a[batch, row, inner] *
/// b[batch, inner, column], where each of the four is an index space of any
/// rank. Strides count elements.
struct MatrixProduct {
  Shape batch, rows, columns, inner;
  Shape batchA, batchB; ///< strides of a and b over batch
  Shape rowA, columnB;  ///< strides over rows and columns
  Shape innerA, innerB; ///< strides over inner

  /// matmul and linear: the last two dimensions are matrices.
  static Result<MatrixProduct> ofMatmul(const OpTypes &types);
  /// dot_general: dimensions by attribute.
  static Result<MatrixProduct> ofDotGeneral(const OpTypes &types);

  Shape resultShape() const;
  double flops() const;
};

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_MATRIXPRODUCT_H
