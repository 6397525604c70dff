// SPDX-License-Identifier: Apache-2.0
//
// Rows of operands in pieces.

#include "Ops/PieceRows.h"

#include "Data/Numbers.h"
#include "Ops/PieceMoves.h"

namespace ring::rt {

namespace {

int64_t rowLength(const Shape &shape) {
  return shape.empty() ? 1 : shape.back();
}

/// The piece by rows and columns; nothing if it has parts of rows.
std::optional<AlignedPiece> wholeRows(const TensorPiece &piece,
                                      const Shape &shape) {
  int64_t dim = rowLength(shape);
  std::optional<AlignedPiece> aligned =
      align(piece, {elementCount(shape) / dim, dim});
  if (!aligned || dim == 1)
    return aligned;
  std::vector<PieceDim *> columns = aligned->along(1);
  if (columns.size() != 1 || columns[0]->size != dim ||
      columns[0]->fromStride != 1)
    return std::nullopt;
  return aligned;
}

} // namespace

bool RowReader::reads(const OpTypes &types, size_t i,
                      const TensorPieces &pieces) {
  for (const TensorPiece &piece : pieces.pieces)
    if (!wholeRows(piece, types.input(i)->shape))
      return false;
  return true;
}

RowReader::RowReader(OpRun &run, size_t i)
    : element(run.inputElement(i)), dim(rowLength(run.types.input(i)->shape)),
      rowBytes(dim * heldElementBytes(element)) {
  const TensorPieces *pieces = run.inputStorage(i)->pieces();
  if (!pieces) {
    data = run.input(i);
    return;
  }
  const Shape &shape = run.types.input(i)->shape;
  fill.assign(dim, static_cast<float>(pieces->fill));
  rows.assign(elementCount(shape) / dim, nullptr);
  for (const TensorPiece &piece : pieces->pieces) {
    AlignedPiece aligned = *wholeRows(piece, shape);
    std::vector<PieceDim *> along = aligned.along(0);
    int64_t count = 1;
    for (const PieceDim *one : along)
      count *= one->size;
    for (int64_t index = 0; index < count; ++index) {
      int64_t row = aligned.begins[0], from = aligned.from, rest = index;
      for (const PieceDim *one : along) {
        row += rest % one->size * one->step;
        from += rest % one->size * one->fromStride;
        rest /= one->size;
      }
      rows[row] = piece.source->data() + from * heldElementBytes(element);
    }
  }
}

const float *RowReader::read(int64_t row, float *memory) const {
  const uint8_t *from = data ? data + row * rowBytes : rows[row];
  if (!from)
    return fill.data();
  if (element == ElementType::F32)
    return reinterpret_cast<const float *>(from);
  loadNumbers(from, element, 0, 1, memory, dim);
  return memory;
}

} // namespace ring::rt
