// SPDX-License-Identifier: Apache-2.0
//
// Numbers become ranges, and a batch becomes its entries.

#include "Ops/LatePositions.h"

#include "Data/Numbers.h"
#include "ring/Positions/Documents.h"

#include <algorithm>

namespace ring::rt {

namespace {

/// A list of numbers as ranges, evenly spaced ones together.
Positions rangesOf(const std::vector<int64_t> &numbers) {
  Positions ranges;
  for (int64_t number : numbers) {
    if (!ranges.empty()) {
      positions::PositionRange &last = ranges.back();
      int64_t step = number - last.last();
      if (step > 0 && (last.size == 1 || step == last.stride)) {
        last.stride = step;
        ++last.size;
        continue;
      }
    }
    ranges.push_back({number, 1, 1});
  }
  return ranges;
}

std::vector<int64_t> loadIntegers(OpRun &run, size_t i) {
  std::vector<double> numbers(elementCount(run.types.input(i)->shape));
  loadNumbers(run.input(i), run.inputElement(i), 0, 1, numbers.data(),
              static_cast<int64_t>(numbers.size()));
  return {numbers.begin(), numbers.end()};
}

/// Where queries stand that see no key, by a band that reaches `after` ahead:
/// near the others, for kernels take distances in 32 bits.
int64_t beforeAllKeys(int64_t after) { return -after - 1; }

/// Where keys stand that none of these queries sees.
int64_t behindAllQueries(const std::vector<Positions> &queries, int64_t after) {
  int64_t last = 0;
  for (const Positions &entry : queries)
    for (const positions::PositionRange &range : entry)
      last = std::max(last, range.last());
  return last + after + 1;
}

/// The positions of operand `i` by batch entry. Rows before position 0 go to
/// `nowhere`.
std::vector<Positions> loadPositions(OpRun &run, size_t i, int64_t nowhere) {
  const Shape &shape = run.types.input(i)->shape;
  std::vector<int64_t> all = loadIntegers(run, i);
  std::vector<Positions> entries;
  for (int64_t entry = 0; entry < shape[0]; ++entry) {
    std::vector<int64_t> numbers(all.begin() + entry * shape[1],
                                 all.begin() + (entry + 1) * shape[1]);
    for (int64_t &number : numbers)
      if (number < 0)
        number = nowhere;
    entries.push_back(rangesOf(numbers));
  }
  return entries;
}

kernels::TensorView entryOf(const kernels::TensorView &view, int64_t entry,
                            int64_t heads) {
  kernels::TensorView one = view;
  if (view.heads)
    one.heads = view.heads + entry * heads;
  else
    one.data = static_cast<const uint8_t *>(view.data) +
               entry * view.batchStride * kernels::elementBytes(view.type);
  return one;
}

/// One entry's keys or values. Their packed form is theirs alone.
HeadRows entryOf(const HeadRows &rows, int64_t entry, int64_t heads) {
  HeadRows one = rows;
  one.view = entryOf(rows.view, entry, heads);
  one.storage = Storage::wrap(Bytes());
  return one;
}

/// Block formats, which hold several entries in one tile of rows, as elements.
Status unpackTiles(OpRun &run, HeadRows &rows) {
  if (!rows.tiles)
    return Status::success();
  Result<StorageRef> elements = run.unpack(rows.storage, *rows.tiles);
  if (!elements)
    return elements.status();
  rows.storage = *elements;
  rows.view.data = rows.storage->data();
  rows.tiles = nullptr;
  return Status::success();
}

} // namespace

Status verifyPositions(const OpTypes &types, PositionOperands operands,
                       size_t query) {
  const size_t sides[] = {operands.queries, operands.keys};
  for (size_t side : {0, 1}) {
    const ValueType *type = types.input(sides[side]);
    if (!type)
      continue;
    int64_t batch = types.input(query)->shape[0];
    int64_t rows = types.input(query + side)->shape[2];
    if (type->kind != ValueKind::Tensor || isFloat(type->element) ||
        type->shape.size() != 2 || type->shape[1] != rows ||
        (type->shape[0] != 1 && type->shape[0] != batch))
      return error("expects operand ", sides[side], " to be integers of [1 or ",
                   batch, ", ", rows, "], but got ", describe(*type));
    if (!types.band().after)
      return error("expects a band behind the queries beside positions");
  }
  return Status::success();
}

LatePositions LatePositions::of(OpRun &run, const AttentionBlock &block,
                                PositionOperands operands) {
  LatePositions late;
  const kernels::AttentionShape &shape = block.problem.shape;
  auto placed = [](const Positions &ranges, int64_t rows) {
    return ranges.empty() ? Positions{{0, rows}} : ranges;
  };
  late.queries = {placed(block.queryRanges, shape.queries)};
  late.keys = {placed(block.keyRanges, shape.keys)};
  int64_t after = run.types.band().after.value_or(0);
  if (run.hasInput(operands.queries))
    late.queries = loadPositions(run, operands.queries, beforeAllKeys(after));
  if (run.hasInput(operands.keys))
    late.keys = loadPositions(run, operands.keys,
                              behindAllQueries(late.queries, after));
  return late;
}

Result<LatePositions> LatePositions::fromStart(OpRun &run,
                                               const AttentionBlock &block,
                                               size_t start, int64_t firstKey) {
  LatePositions late;
  const kernels::AttentionShape &shape = block.problem.shape;
  late.keys = {{{firstKey, shape.keys}}};
  for (int64_t first : loadIntegers(run, start)) {
    if (first < -positions::kMostPositions || first > positions::kMostPositions)
      return error("expects queries to start within 2^40, but got ", first);
    late.queries.push_back({{first, shape.queries}});
  }
  return late;
}

LatePositions LatePositions::ofDocuments(OpRun &run, AttentionBlock &block,
                                         size_t ends) {
  int64_t rows = block.problem.shape.keys;
  std::vector<int64_t> sorted = loadIntegers(run, ends);
  for (int64_t &end : sorted)
    end = std::clamp<int64_t>(end, 0, rows);
  std::sort(sorted.begin(), sorted.end());
  positions::Documents documents{sorted, run.types.band().after == 0};
  block.setBand(documents.band());
  const positions::PositionRange all{0, rows};
  int64_t idle = documents.idleRows();
  LatePositions late;
  late.keys = {documents.placesOf(all, idle)};
  // Queries of no document see not even the keys of none.
  late.queries = {documents.placesOf(all, idle + rows + documents.longest())};
  return late;
}

void LatePositions::place(AttentionBlock &block, int64_t entry) const {
  auto of = [&](const std::vector<Positions> &entries) {
    return entries[entries.size() == 1 ? 0 : entry];
  };
  block.setPositions(of(queries), of(keys));
}

Status LatePositions::forEntries(OpRun &run, AttentionBlock block,
                                 const kernels::TensorView &query, HeadRows key,
                                 HeadRows value, const Visit &visit) const {
  int64_t batch = block.problem.shape.batch;
  if (areAlike()) {
    place(block, 0);
    return visit(block, query, key, value, 0);
  }
  for (HeadRows *rows : {&key, &value})
    if (Status status = unpackTiles(run, *rows); !status)
      return status;
  block.problem.shape.batch = 1;
  const kernels::AttentionShape &shape = block.problem.shape;
  kernels::AdditiveMask &mask = block.problem.masking.additive;
  const void *allMasks = mask.data;
  for (int64_t entry = 0; entry < batch; ++entry) {
    place(block, entry);
    if (allMasks)
      mask.data = static_cast<const uint8_t *>(allMasks) +
                  entry * mask.batchStride * kernels::elementBytes(mask.type);
    Status status = visit(block, entryOf(query, entry, shape.queryHeads),
                          entryOf(key, entry, shape.keyValueHeads),
                          entryOf(value, entry, shape.keyValueHeads), entry);
    if (!status)
      return status;
  }
  return Status::success();
}

kernels::AttentionState entriesOf(const kernels::AttentionState &state,
                                  const kernels::AttentionShape &shape,
                                  int64_t first) {
  int64_t row = first * shape.queryHeads * shape.queries;
  return {state.out + row * shape.valueDim, state.max + row, state.sum + row};
}

Band bandToCount(const OpTypes &types, PositionOperands operands) {
  return operands.any(types) ? Band{} : types.band();
}

} // namespace ring::rt
