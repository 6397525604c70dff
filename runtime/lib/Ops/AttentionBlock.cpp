// SPDX-License-Identifier: Apache-2.0
//
// From an instruction's operands to the kernels' problem, and through it.

#include "Ops/AttentionBlock.h"

#include "Data/Numbers.h"
#include "Ops/PieceMoves.h"

#include <limits>

namespace ring::rt {

kernels::ElementType kernelElement(ElementType element) {
  return element == ElementType::F32 ? kernels::ElementType::F32
                                     : kernels::ElementType::BF16;
}

kernels::AttentionState stateView(uint8_t *data,
                                  const kernels::AttentionShape &shape) {
  int64_t rows = shape.batch * shape.queryHeads * shape.queries;
  kernels::AttentionState state;
  state.out = reinterpret_cast<float *>(data);
  state.max = state.out + rows * shape.valueDim;
  state.sum = state.max + rows;
  return state;
}

std::vector<float> loadSink(OpRun &run, size_t sink, float factor) {
  if (!run.hasInput(sink))
    return {};
  std::vector<float> logits(elementCount(run.types.input(sink)->shape));
  loadNumbers(run.input(sink), run.inputElement(sink), 0, 1, logits.data(),
              static_cast<int64_t>(logits.size()));
  for (float &logit : logits)
    logit *= factor;
  return logits;
}

kernels::AdditiveMask maskView(OpRun &run, size_t mask) {
  kernels::AdditiveMask view;
  if (!run.hasInput(mask))
    return view;
  const Shape &shape = run.types.input(mask)->shape;
  view.data = run.input(mask);
  view.type = kernelElement(run.inputElement(mask));
  view.rowStride = shape[2] == 1 ? 0 : shape[3];
  view.headStride = shape[1] == 1 ? 0 : shape[2] * shape[3];
  view.batchStride = shape[0] == 1 ? 0 : shape[1] * shape[2] * shape[3];
  return view;
}

void AttentionBlock::setPositions(const Positions &queries,
                                  const Positions &keys) {
  queryRanges = queries;
  keyRanges = keys;
  problem.queryPositions = queryRanges;
  problem.keyPositions = keyRanges;
}

void AttentionBlock::setBand(const Band &band) {
  problem.masking.causal = band.after == 0;
  problem.masking.windowLeft = band.before.value_or(-1);
  problem.masking.windowRight = band.after.value_or(-1);
}

AttentionBlock blockOf(OpRun &run, size_t first) {
  const OpTypes &types = run.types;
  AttentionBlock block;
  block.problem.shape = attentionShape(
      *types.input(first), *types.input(first + 1), *types.input(first + 2));
  block.problem.scale = scaleOf(types, block.problem.shape.keyDim);
  block.setBand(types.band());
  block.problem.masking.keyLimit =
      types.intOr("length", std::numeric_limits<int64_t>::max());
  if (types.hasBlock() || types.has("key_shift")) {
    BlockPositions rows = types.positions(first, first + 1, run.device());
    block.setPositions(rows.queries, rows.keys);
  }
  return block;
}

kernels::TensorView viewOf(OpRun &run, size_t i) {
  const Shape &shape = run.types.input(i)->shape;
  return kernels::denseView(static_cast<const void *>(run.input(i)),
                            kernelElement(run.inputElement(i)), shape[1],
                            shape[2], shape[3]);
}

namespace {

/// Where the rows of every head lie, one entry for each of `[B, H]`.
struct HeadTable {
  int64_t rowStride = 0;
  std::vector<const void *> heads;
};

/// The table of a tensor of `shape` in pieces; nothing if the rows of a head
/// are not all in one piece at one distance.
std::optional<HeadTable> tableOf(const TensorPieces &tensor, const Shape &shape,
                                 int64_t elementBytes) {
  if (!tensor.covers || shape.size() != 4)
    return std::nullopt;
  HeadTable table;
  table.heads.resize(shape[0] * shape[1]);
  std::optional<int64_t> rowStride;
  for (const TensorPiece &piece : tensor.pieces) {
    std::optional<AlignedPiece> aligned = align(piece, shape);
    if (!aligned)
      return std::nullopt;
    for (size_t dim : {2, 3}) {
      std::vector<PieceDim *> along = aligned->along(dim);
      if (shape[dim] == 1 && along.empty())
        continue;
      if (along.size() != 1 || along[0]->size != shape[dim])
        return std::nullopt;
      if (dim == 3 && along[0]->fromStride != 1)
        return std::nullopt;
      if (dim == 2 &&
          rowStride.value_or(along[0]->fromStride) != along[0]->fromStride)
        return std::nullopt;
      if (dim == 2)
        rowStride = along[0]->fromStride;
    }
    // All combinations of what runs along batches and heads.
    std::vector<std::pair<int64_t, int64_t>> starts = {
        {aligned->begins[0] * shape[1] + aligned->begins[1], aligned->from}};
    for (const PieceDim &one : aligned->dims) {
      if (one.dim > 1)
        continue;
      int64_t step = one.step * (one.dim == 0 ? shape[1] : 1);
      for (size_t j = 0, e = starts.size(); j < e; ++j)
        for (int64_t i = 1; i < one.size; ++i)
          starts.push_back({starts[j].first + i * step,
                            starts[j].second + i * one.fromStride});
    }
    for (auto [head, offset] : starts)
      table.heads[head] = piece.source->data() + offset * elementBytes;
  }
  table.rowStride = rowStride.value_or(shape[3]);
  return table;
}

/// Makes a view of a table, by strides where these say it all.
void setView(HeadRows &rows, HeadTable table, const Shape &shape,
             int64_t elementBytes) {
  auto distance = [&](int64_t from, int64_t to) {
    return static_cast<const uint8_t *>(table.heads[to]) -
           static_cast<const uint8_t *>(table.heads[from]);
  };
  kernels::TensorView &view = rows.view;
  view.data = table.heads[0];
  view.rowStride = table.rowStride;
  int64_t head = shape[1] > 1 ? distance(0, 1) : 0;
  int64_t batch = shape[0] > 1 ? distance(0, shape[1]) : 0;
  bool even = head % elementBytes == 0 && batch % elementBytes == 0;
  for (int64_t i = 0; even && i < shape[0] * shape[1]; ++i)
    even = distance(0, i) == i / shape[1] * batch + i % shape[1] * head;
  view.headStride = head / elementBytes;
  view.batchStride = batch / elementBytes;
  if (even)
    return;
  rows.heads =
      std::make_shared<const std::vector<const void *>>(std::move(table.heads));
  view.heads = rows.heads->data();
}

} // namespace

HeadRows rowsOf(OpRun &run, size_t i) {
  const ValueType &type = *run.types.input(i);
  HeadRows rows;
  rows.storage = run.inputStorage(i);
  if (const TensorPieces *pieces = rows.storage->pieces()) {
    int64_t bytes = heldElementBytes(type.element);
    rows.view.type = kernelElement(type.element);
    setView(rows, *tableOf(*pieces, type.shape, bytes), type.shape, bytes);
    return rows;
  }
  rows.view = viewOf(run, i);
  return rows;
}

HeadRows keyRowsOf(OpRun &run, size_t i) {
  const ValueType &type = *run.types.input(i);
  HeadRows rows = rowsOf(run, i);
  if (isBlockFormat(type.element)) {
    rows.tiles = &type;
    rows.view.data = nullptr;
  }
  return rows;
}

bool readsRows(const OpTypes &types, size_t i, const TensorPieces &pieces) {
  return i <= 2 && tableOf(pieces, types.input(i)->shape,
                           heldElementBytes(types.input(i)->element));
}

bool isKeyOrValue(const OpTypes &, size_t i) { return i == 1 || i == 2; }

namespace {

/// Calls `use` with views of elements, unpacked for the time of the call where
/// they are of a block format.
template <typename Use>
Status withElements(OpRun &run, const HeadRows &key, const HeadRows &value,
                    Use use) {
  kernels::TensorView views[2] = {key.view, value.view};
  StorageRef unpacked[2];
  for (size_t i : {0, 1}) {
    const HeadRows &rows = i ? value : key;
    if (!rows.tiles)
      continue;
    Result<StorageRef> elements = run.unpack(rows.storage, *rows.tiles);
    if (!elements)
      return elements.status();
    unpacked[i] = *elements;
    views[i].data = unpacked[i]->data();
  }
  return use(views[0], views[1]);
}

} // namespace

bool packsKeys(const kernels::AttentionShape &shape) {
  constexpr int64_t kManyRows = 96;
  return shape.queries * (shape.queryHeads / shape.keyValueHeads) > kManyRows;
}

int64_t accumulateScratch(const kernels::AttentionShape &shape, int threads) {
  if (!packsKeys(shape))
    return threads *
           static_cast<int64_t>(kernels::accumulateUnpackedScratchBytes(shape));
  return static_cast<int64_t>(kernels::packedKeyValueBytes(shape)) +
         threads * static_cast<int64_t>(kernels::accumulateScratchBytes(shape));
}

namespace {

/// Whether the values are columns of the keys, each row from where the key's
/// row begins.
bool areInKeys(const HeadRows &key, const HeadRows &value,
               const kernels::AttentionShape &shape) {
  if (key.tiles || value.tiles || !key.view.data ||
      key.view.rowStride != value.view.rowStride ||
      key.view.type != value.view.type)
    return false;
  for (int64_t batch = 0; batch < shape.batch; ++batch)
    for (int64_t head = 0; head < shape.keyValueHeads; ++head)
      if (key.view.rowAt(batch, head, shape.keyValueHeads, 0) !=
          value.view.rowAt(batch, head, shape.keyValueHeads, 0))
        return false;
  return true;
}

} // namespace

Result<PackedKeys> packKeys(OpRun &run,
                            const kernels::AttentionProblem &problem,
                            const HeadRows &key, const HeadRows &value) {
  const kernels::AttentionShape &shape = problem.shape;
  // Values that lie in the keys are there as long as these are: whoever cuts
  // them out anew finds them packed.
  const StorageRef &holder =
      areInKeys(key, value, shape) ? key.storage : value.storage;
  Storage::PackedKey form = {holder.get(), shape, problem.scale, key.view.type,
                             value.view.type};
  int64_t size = static_cast<int64_t>(kernels::packedKeyValueBytes(shape));
  Status packing = Status::success();
  const auto packAll = [&](const kernels::KeyValueBlock &block) {
    return run.parallelFor(
        kernels::packWorkItems(shape), 1, [&](int64_t begin, int64_t end) {
          kernels::packKeyValue(shape, problem.scale, block, {begin, end});
        });
  };
  Bytes packed = key.storage->packed(
      form, holder, [&] { return run.help(); },
      [&] {
        run.packedBytes += size;
        return run.allocate(size);
      },
      [&](uint8_t *into) {
        kernels::startPacking(shape, into);
        // Kernels pack elements that they can read on the way.
        if (key.tiles || value.tiles)
          packing = withElements(run, key, value,
                                 [&](const kernels::TensorView &keys,
                                     const kernels::TensorView &values) {
                                   return packAll({keys, values, into});
                                 });
        return bool(packing);
      });
  if (!packing)
    return packing;
  if (!packed)
    return error("there is no memory for ", size, " bytes of packed keys");
  return PackedKeys{packed, {key.view, value.view, packed.get()}};
}

namespace {

/// The packed form of queries that have been used before: one block would gain
/// nothing. Null without it, also for lack of memory, since it only saves time,
/// and for f32, which kernels read where it is or copy in no time.
Bytes keptQuery(OpRun &run, const kernels::AttentionProblem &problem,
                const kernels::TensorView &query, const StorageRef &storage) {
  if (!storage || query.type == kernels::ElementType::F32)
    return nullptr;
  if (!run.keepsQueries) {
    storage->forgetPackedQuery();
    return nullptr;
  }
  const kernels::AttentionShape &shape = problem.shape;
  return storage->packedQuery(
      {shape, query.type}, [&] { return run.help(); },
      [&] {
        return run.allocate(
            static_cast<int64_t>(kernels::packedQueryBytes(shape)));
      },
      [&](uint8_t *into) {
        return run.parallelFor(
            kernels::workItems(shape), 1, [&](int64_t begin, int64_t end) {
              kernels::packQuery(problem, query, into, {begin, end});
            });
      });
}

} // namespace

Status accumulateBlock(OpRun &run, const AttentionBlock &block,
                       const kernels::TensorView &query, const HeadRows &key,
                       const HeadRows &value,
                       const kernels::AttentionState &state,
                       const StorageRef &queryStorage) {
  const kernels::AttentionProblem &problem = block.problem;
  const kernels::AttentionShape &shape = problem.shape;
  int64_t items = kernels::workItems(shape);
  if (!packsKeys(shape))
    return withElements(
        run, key, value,
        [&](const kernels::TensorView &keys,
            const kernels::TensorView &values) {
          return run.parallelFor(
              items, 1, kernels::accumulateUnpackedScratchBytes(shape),
              [&](int64_t begin, int64_t end, void *scratch) {
                kernels::accumulateUnpacked(problem, query, keys, values, state,
                                            {begin, end}, scratch);
              });
        });

  Result<PackedKeys> packed = packKeys(run, problem, key, value);
  if (!packed)
    return packed.status();
  Bytes packedQuery = keptQuery(run, problem, query, queryStorage);
  return run.parallelFor(items, 1, kernels::accumulateScratchBytes(shape),
                         [&](int64_t begin, int64_t end, void *scratch) {
                           kernels::accumulate(problem, query, packed->block,
                                               state, {begin, end}, scratch,
                                               packedQuery.get());
                         });
}

} // namespace ring::rt
