// SPDX-License-Identifier: Apache-2.0
//
// Row by row through an operand, wherever its rows lie.

#ifndef RING_RUNTIME_OPS_PIECEROWS_H
#define RING_RUNTIME_OPS_PIECEROWS_H

#include "Ops/OpRun.h"

#include <optional>

namespace ring::rt {

/// The rows of an operand, its last dimension being one row, as f32.
class RowReader {
public:
  /// Whether rows can be read where these pieces of operand `i` lie: none is
  /// cut, its numbers are side by side. See Op::takesPieces.
  static bool reads(const OpTypes &types, size_t i, const TensorPieces &pieces);

  /// Operand `i`, in one place or in such pieces.
  RowReader(OpRun &run, size_t i);

  /// Row `row`: where it lies, or in `memory`, which has room for it.
  const float *read(int64_t row, float *memory) const;

private:
  ElementType element;
  int64_t dim, rowBytes;
  const uint8_t *data = nullptr;     ///< where all rows follow each other
  std::vector<const uint8_t *> rows; ///< null for rows of `fill`
  std::vector<float> fill;
};

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_PIECEROWS_H
