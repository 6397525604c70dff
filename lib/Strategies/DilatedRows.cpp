// SPDX-License-Identifier: Apache-2.0
// Packing rows by columns of wider rows.

#include "DilatedRows.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {
namespace {

constexpr int64_t kHeads = 1, kRows = 2, kColumns = 3;

ArrayRef<int64_t> shapeOf(Value value) {
  return TTIRBuilder::typeOf(value).getShape();
}

/// `[b, h, count * rows, d]` as `[b, h * count, rows, d]`.
Value spansAsHeads(TTIRBuilder &tensors, Value value, int64_t count) {
  ArrayRef<int64_t> shape = shapeOf(value);
  return tensors.reshape(
      value, {shape[0], shape[1] * count, shape[2] / count, shape[3]});
}

Value headsAsSpans(TTIRBuilder &tensors, Value value, int64_t count) {
  ArrayRef<int64_t> shape = shapeOf(value);
  return tensors.reshape(
      value, {shape[0], shape[1] / count, shape[2] * count, shape[3]});
}

/// Some heads: first, first + step, ... before end.
struct HeadRange {
  int64_t first, end, step;
};

/// Rows of some heads of a shard with one phase. Spans that the rate does not
/// divide are filled up first, and lose the row that only filling has.
/// `together` says that other heads of the shard have other phases: then the
/// whole shard gets wide rows at once, and no head is copied for itself before.
Value packRows(TTIRBuilder &tensors, Value shard, const HeadRange &heads,
               const DilatedPair &pair, int64_t phase, bool together) {
  int64_t wide = llvm::divideCeil(pair.span, pair.rate);
  int64_t kept = pair.rowsOf(phase), dim = shapeOf(shard)[kColumns];
  bool alone = pair.span % pair.rate != 0 || kept != wide;
  together &= !alone && pair.rate > 1;
  Value rows = together ? shard
                        : tensors.slice(shard, kHeads, heads.first, heads.end,
                                        heads.step);
  rows = tensors.slice(rows, kRows, pair.begin,
                       pair.begin + pair.count * pair.span);
  if (alone) {
    rows = spansAsHeads(tensors, rows, pair.count);
    rows = tensors.padTo(rows, kRows, wide * pair.rate);
  }
  ArrayRef<int64_t> shape = shapeOf(rows);
  rows = tensors.reshape(
      rows, {shape[0], shape[1], shape[2] / pair.rate, pair.rate * dim});
  if (together)
    return tensors.slice(
        rows, {0, heads.first, 0, phase * dim},
        {shape[0], heads.end, shape[2] / pair.rate, (phase + 1) * dim},
        {1, heads.step, 1, 1});
  rows = tensors.slice(rows, kColumns, phase * dim, (phase + 1) * dim);
  if (!alone)
    return rows;
  rows = tensors.slice(rows, kRows, 0, kept);
  return headsAsSpans(tensors, rows, pair.count);
}

} // namespace

Value packHeads(TTIRBuilder &tensors, Value shard, ArrayRef<PackedHead> heads,
                const DilatedPair &pair) {
  SmallVector<Value> pieces;
  for (size_t first = 0; first < heads.size();) {
    // Heads with one phase and equal distance are one slice.
    size_t last = first;
    int64_t step = 1;
    if (first + 1 < heads.size())
      step = std::max<int64_t>(heads[first + 1].head - heads[first].head, 1);
    while (last + 1 < heads.size() &&
           heads[last + 1].phase == heads[first].phase &&
           heads[last + 1].head == heads[last].head + step)
      ++last;
    HeadRange range{heads[first].head, heads[last].head + 1,
                    first == last ? 1 : step};
    bool together = first > 0 || last + 1 < heads.size();
    pieces.push_back(
        packRows(tensors, shard, range, pair, heads[first].phase, together));
    first = last + 1;
  }
  return tensors.concat(pieces, kHeads);
}

Value unpackRows(TTIRBuilder &tensors, ArrayRef<PackedRows> packed,
                 const DilatedPair &pair, int64_t rows, float fill) {
  int64_t wide = llvm::divideCeil(pair.span, pair.rate);
  int64_t dim = shapeOf(packed.front().rows)[kColumns];
  Type element = TTIRBuilder::typeOf(packed.front().rows).getElementType();
  SmallVector<Value> columns;
  int64_t next = 0;
  auto fillUpTo = [&](int64_t phase, ArrayRef<int64_t> like) {
    if (phase > next)
      columns.push_back(tensors.full(
          {like[0], like[1], like[2], (phase - next) * dim}, element, fill));
    next = phase;
  };
  SmallVector<int64_t> shape;
  if (pair.rate == 1 && pair.rowsOf(0) == pair.span)
    return tensors.pad(packed.front().rows, kRows, pair.begin,
                       rows - pair.begin - pair.count * pair.span, fill);
  for (const PackedRows &entry : packed) {
    Value some = spansAsHeads(tensors, entry.rows, pair.count);
    some = tensors.padTo(some, kRows, wide, fill);
    shape.assign(shapeOf(some).begin(), shapeOf(some).end());
    if (packed.size() == 1) {
      columns.push_back(tensors.pad(some, kColumns, entry.phase * dim,
                                    (pair.rate - 1 - entry.phase) * dim, fill));
      next = pair.rate;
      break;
    }
    fillUpTo(entry.phase, shape);
    columns.push_back(some);
    next = entry.phase + 1;
  }
  fillUpTo(pair.rate, shape);
  Value result = tensors.reshape(tensors.concat(columns, kColumns),
                                 {shape[0], shape[1], wide * pair.rate, dim});
  result = tensors.slice(result, kRows, 0, pair.span);
  result = headsAsSpans(tensors, result, pair.count);
  return tensors.pad(result, kRows, pair.begin,
                     rows - pair.begin - pair.count * pair.span, fill);
}

Value foldSpans(TTIRBuilder &tensors, Value packed, int64_t spans,
                bool intoBatch) {
  if (spans == 1)
    return packed;
  if (!intoBatch)
    return spansAsHeads(tensors, packed, spans);
  SmallVector<int64_t> shape(shapeOf(packed));
  int64_t rows = shape[2] / spans;
  Value split =
      tensors.reshape(packed, {shape[0], shape[1], spans, rows, shape[3]});
  return tensors.reshape(tensors.permute(split, {0, 2, 1, 3, 4}),
                         {shape[0] * spans, shape[1], rows, shape[3]});
}

Value unfoldSpans(TTIRBuilder &tensors, Value folded, int64_t spans,
                  bool intoBatch, int64_t batch) {
  if (spans == 1)
    return folded;
  if (!intoBatch)
    return headsAsSpans(tensors, folded, spans);
  SmallVector<int64_t> shape(shapeOf(folded));
  Value split =
      tensors.reshape(folded, {batch, spans, shape[1], shape[2], shape[3]});
  return tensors.reshape(tensors.permute(split, {0, 2, 1, 3, 4}),
                         {batch, shape[1], spans * shape[2], shape[3]});
}

} // namespace mlir::ring
