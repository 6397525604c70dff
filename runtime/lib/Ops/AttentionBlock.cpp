// SPDX-License-Identifier: Apache-2.0
//
// From an instruction's operands to the kernels' problem, and through it.

#include "Ops/AttentionBlock.h"

#include "Data/Numbers.h"

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
  auto convert = [](const Positions &from,
                    std::vector<kernels::PositionRange> &into) {
    into.clear();
    for (const PositionRange &range : from)
      into.push_back({range.begin, range.size, range.stride});
    return kernels::PositionList{into.data(),
                                 static_cast<int64_t>(into.size())};
  };
  problem.queryPositions = convert(queries, queryRanges);
  problem.keyPositions = convert(keys, keyRanges);
}

void AttentionBlock::setBand(const Band &band) {
  problem.masking.causal = band.after == 0;
  problem.masking.windowLeft = band.before;
  problem.masking.windowRight = band.after;
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

KeyRows keyRowsOf(OpRun &run, size_t i) {
  const ValueType &type = *run.types.input(i);
  KeyRows rows;
  rows.storage = run.inputStorage(i);
  rows.view = viewOf(run, i);
  if (isBlockFormat(type.element)) {
    rows.tiles = &type;
    rows.view.data = nullptr;
  }
  return rows;
}

bool isKeyOrValue(const OpTypes &, size_t i) { return i == 1 || i == 2; }

namespace {

/// Calls `use` with views of elements, unpacked for the time of the call where
/// they are of a block format.
template <typename Use>
Status withElements(OpRun &run, const KeyRows &key, const KeyRows &value,
                    Use use) {
  kernels::TensorView views[2] = {key.view, value.view};
  StorageRef unpacked[2];
  for (size_t i : {0, 1}) {
    const KeyRows &rows = i ? value : key;
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

Result<Bytes> packKeys(OpRun &run, const kernels::AttentionShape &shape,
                       const KeyRows &key, const KeyRows &value) {
  Storage::PackedKey form = {value.storage.get(), shape, key.view.type,
                             value.view.type};
  int64_t size = static_cast<int64_t>(kernels::packedKeyValueBytes(shape));
  Status packing = Status::success();
  Bytes packed =
      key.storage->packed(form, value.storage, size, [&](uint8_t *into) {
        packing =
            withElements(run, key, value,
                         [&](const kernels::TensorView &keys,
                             const kernels::TensorView &values) {
                           return run.parallelFor(
                               kernels::packWorkItems(shape), 1,
                               [&](int64_t begin, int64_t end) {
                                 kernels::packKeyValue(shape, keys, values,
                                                       into, {begin, end});
                               });
                         });
      });
  if (!packing)
    return packing;
  if (!packed)
    return error("there is no memory for ", size, " bytes of packed keys");
  return packed;
}

Status accumulateBlock(OpRun &run, const AttentionBlock &block,
                       const kernels::TensorView &query, const KeyRows &key,
                       const KeyRows &value,
                       const kernels::AttentionState &state) {
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

  Result<Bytes> packed = packKeys(run, shape, key, value);
  if (!packed)
    return packed.status();
  return run.parallelFor(items, 1, kernels::accumulateScratchBytes(shape),
                         [&](int64_t begin, int64_t end, void *scratch) {
                           kernels::accumulate(problem, query, packed->get(),
                                               state, {begin, end}, scratch);
                         });
}

} // namespace ring::rt
