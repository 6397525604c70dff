// SPDX-License-Identifier: Apache-2.0
// Walks through a square, and what they do to rows.

#include "ring/Analysis/VisitOrder.h"

#include <numeric>
#include <utility>

namespace mlir::ring {
namespace {

/// The place on a Hilbert curve through a square of `side`, a power of two,
/// after `step` steps: column and row. Every two bits of the step say which
/// quarter of ever larger squares the place is in; the curve through the first
/// quarter is mirrored at the diagonal, the one through the last at the other.
///
///   side 2: (0, 0) (0, 1) (1, 1) (1, 0)
std::pair<int64_t, int64_t> placeOnHilbertCurve(int64_t step, int64_t side) {
  int64_t column = 0, row = 0;
  for (int64_t size = 1; size < side; size *= 2, step /= 4) {
    bool right = (step & 2) != 0, low = ((step ^ (step >> 1)) & 1) != 0;
    if (!low) {
      if (right) {
        column = size - 1 - column;
        row = size - 1 - row;
      }
      std::swap(column, row);
    }
    column += right ? size : 0;
    row += low ? size : 0;
  }
  return {column, row};
}

/// Appends a row to the last range where it follows it.
void append(Positions &ranges, int64_t position) {
  if (!ranges.empty() && ranges.back().stride == 1 &&
      ranges.back().begin + ranges.back().size == position)
    ++ranges.back().size;
  else
    ranges.push_back({position, 1, 1});
}

} // namespace

SmallVector<int64_t> visitOrder(KeyOrder order, int64_t count) {
  SmallVector<int64_t> visits;
  int64_t side = 1;
  while (side * side < count)
    side *= 2;
  switch (order) {
  case KeyOrder::Identity:
    visits.resize(count);
    std::iota(visits.begin(), visits.end(), 0);
    return visits;
  case KeyOrder::Hilbert:
    for (int64_t step = 0; step < side * side; ++step) {
      auto [column, row] = placeOnHilbertCurve(step, side);
      if (int64_t number = row * side + column; number < count)
        visits.push_back(number);
    }
    return visits;
  case KeyOrder::Snake:
    for (int64_t step = 0; step < side * side; ++step) {
      int64_t row = step / side, column = step % side;
      if (row % 2 != 0)
        column = side - 1 - column;
      if (int64_t number = row * side + column; number < count)
        visits.push_back(number);
    }
    return visits;
  }
  llvm_unreachable("unknown order");
}

Positions visitPositions(ArrayRef<PositionRange> rows,
                         ArrayRef<int64_t> order) {
  SmallVector<int64_t> positions;
  for (const PositionRange &range : rows)
    for (int64_t i = 0; i < range.size; ++i)
      positions.push_back(range.begin + i * range.stride);
  Positions visited;
  for (size_t chunk = 0; chunk < positions.size(); chunk += order.size())
    for (int64_t number : order)
      append(visited, positions[chunk + number]);
  return visited;
}

ArrayAttr visitLegs(MLIRContext *context, int64_t rows,
                    ArrayRef<int64_t> order) {
  SmallVector<Attribute> legs;
  int64_t at = 0;
  for (const PositionRange &range : visitPositions({{0, rows, 1}}, order)) {
    legs.push_back(LegAttr::get(context, /*source=*/0, range.begin, range.size,
                                /*stride=*/1, at, /*step=*/1));
    at += range.size;
  }
  return ArrayAttr::get(context, legs);
}

} // namespace mlir::ring
