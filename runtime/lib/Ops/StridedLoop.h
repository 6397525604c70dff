// SPDX-License-Identifier: Apache-2.0
//
// Loops over tensors of any rank, row by row. Broadcasting, slicing, permuting
// and repeating are all the same loop with other strides.

#ifndef RING_RUNTIME_OPS_STRIDEDLOOP_H
#define RING_RUNTIME_OPS_STRIDEDLOOP_H

#include "Ops/OpRun.h"
#include "ring-runtime/Types.h"

namespace ring::rt {

/// Elements between neighbours in each dimension of a dense tensor.
Shape denseStrides(const Shape &shape);

/// The strides with which a dense tensor of shape `from` is read as `to`: 0 in
/// dimensions that are repeated.
Shape broadcastStrides(const Shape &from, const Shape &to);

/// Several operands walked in step over one index space. Neighbouring
/// dimensions that are dense for all operands are joined, so rows are long:
/// 8x512x1 over dense operands is one row of 4096.
class StridedLoop {
public:
  /// `strides[i]` are the strides of operand i over `shape`.
  StridedLoop(const Shape &shape, std::vector<Shape> strides);

  int64_t rows() const { return rowCount; }
  int64_t rowLength() const { return length; }
  /// The stride of an operand within a row.
  int64_t innerStride(size_t operand) const { return inner[operand]; }
  /// The first element of an operand in a row.
  int64_t offset(size_t operand, int64_t row) const;

  /// How many rows make a piece of work that is worth a hand-over.
  int64_t grain() const;

private:
  Shape outer; ///< sizes of the dimensions that rows run over
  std::vector<Shape> outerStrides;
  std::vector<int64_t> inner;
  int64_t length = 1;
  int64_t rowCount = 1;
};

/// Where one side of a copy begins and how it goes on.
struct StridedSide {
  ElementType element;
  int64_t offset;
  Shape strides;
};

/// Copies an index space of `shape`, converting the elements.
Status copyStrided(OpRun &run, const Shape &shape, const uint8_t *from,
                   const StridedSide &source, uint8_t *into,
                   const StridedSide &target);

/// Copies rows along one dimension of dense tensors of one element type:
/// `count` rows from `fromRow` (every `fromStep`-th) to `intoRow` and on.
/// `outer` is the product of the dimensions before, `rowBytes` the bytes of one
/// row, that is of the dimensions behind.
struct RowCopy {
  int64_t outer;
  int64_t rowBytes;
  int64_t fromRows; ///< the size of the dimension in the source
  int64_t intoRows; ///< and in the target
};
void copyRows(const RowCopy &geometry, const uint8_t *from, int64_t fromRow,
              int64_t fromStep, uint8_t *into, int64_t intoRow,
              int64_t intoStep, int64_t count);

/// The geometry of copying along `dim` between tensors of these shapes.
RowCopy rowCopyAlong(const ValueType &from, const ValueType &into, int64_t dim);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_STRIDEDLOOP_H
