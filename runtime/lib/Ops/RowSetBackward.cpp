// SPDX-License-Identifier: Apache-2.0
//
// Gradients of an attention within sets of rows: set of rows after set of rows,
// as strided views of whole tensors, added to the places that the rows have.

#include "Ops/RowSetBackward.h"

#include "Data/Numbers.h"
#include "Kernels/AttentionBackward.h"
#include "Ops/RowSets.h"

#include <algorithm>
#include <cstring>

namespace ring::rt {

namespace {

constexpr size_t kOutGrad = 0, kOut = 1, kLse = 2, kQuery = 3, kKey = 4,
                 kValue = 5;

/// What one thread computes a set in.
struct SetScratch {
  SetScratch(const RowSets &sets, void *memory)
      : base(static_cast<float *>(memory)) {
    int64_t rows = sets.largestSet();
    kernels::AttentionShape shape = sets.shapeOf(rows, rows);
    lse = take(rows);
    delta = take(rows);
    state.max = take(rows);
    state.sum = take(rows);
    state.out = take(rows * shape.valueDim);
    queryGrad = take(rows * shape.keyDim);
    keyGrad = take(rows * shape.keyDim);
    valueGrad = take(rows * shape.valueDim);
    kernel = take(0);
    bytes = used * static_cast<int64_t>(sizeof(float)) +
            static_cast<int64_t>(
                std::max(kernels::accumulateUnpackedScratchBytes(shape),
                         kernels::backwardScratchBytes(shape)));
  }

  float *lse, *delta, *queryGrad, *keyGrad, *valueGrad;
  /// The attention of the set's own keys, where only the mix of all is given.
  kernels::AttentionState state;
  void *kernel;
  int64_t bytes;

private:
  /// Pieces start at whole lines of the cache.
  float *take(int64_t count) {
    float *piece = base ? base + used : nullptr;
    used += (count + 15) / 16 * 16;
    return piece;
  }
  float *base;
  int64_t used = 0;
};

/// The gradients of one instruction.
class RowSetBackward {
public:
  explicit RowSetBackward(OpRun &run)
      : run(run), types(run.types), sets(types, kQuery), pattern(sets.pattern),
        query(types.input(kQuery)->shape), key(types.input(kKey)->shape),
        valueDim(types.input(kValue)->shape[3]) {
    for (size_t i : {0, 1, 2})
      gradients[i].assign(elementCount(types.output(i)->shape), 0.0f);
  }

  Status execute() {
    // Query heads that share a key head add to the same gradients.
    int64_t shared = query[1] / key[1];
    Status status = run.parallelFor(
        key[0] * key[1], 1, SetScratch(sets, nullptr).bytes,
        [&](int64_t begin, int64_t end, void *memory) {
          SetScratch scratch(sets, memory);
          for (int64_t keyHead = begin; keyHead < end; ++keyHead)
            for (int64_t i = 0; i < shared; ++i) {
              int64_t head = keyHead * shared + i;
              for (const DilatedRows &set : sets.rowsOf(head % query[1]))
                for (int64_t chunk = 0; chunk < set.chunks; ++chunk)
                  addChunk(set, chunk, head, keyHead, scratch);
            }
        });
    // All three are linear in the gradient of the output.
    float weight = 1.0f / static_cast<float>(pattern.divisor());
    for (size_t i : {0, 1, 2}) {
      for (float &number : gradients[i])
        number *= weight;
      storeNumbers(run.output(i), run.outputElement(i), 0, gradients[i].data(),
                   static_cast<int64_t>(gradients[i].size()));
    }
    return status;
  }

private:
  /// What the queries of one chunk add, over all keys that they see.
  void addChunk(const DilatedRows &set, int64_t chunk, int64_t head,
                int64_t keyHead, const SetScratch &scratch) {
    loadRows(set, chunk, head, keyHead, scratch);
    int64_t keyDim = query[3];
    std::fill_n(scratch.queryGrad, set.count * keyDim, 0.0f);
    auto add = [&](int64_t from, const AttentionBlock &block) {
      int64_t keys = block.problem.shape.keys;
      std::fill_n(scratch.keyGrad, keys * keyDim, 0.0f);
      std::fill_n(scratch.valueGrad, keys * valueDim, 0.0f);
      kernels::AttentionGradients operands;
      operands.query = strided(kQuery, set, chunk, head);
      operands.key = strided(kKey, set, from, keyHead);
      operands.value = strided(kValue, set, from, keyHead);
      operands.outGrad = strided(kOutGrad, set, chunk, head);
      operands.lse = scratch.lse;
      operands.delta = scratch.delta;
      operands.queryGrad = scratch.queryGrad;
      operands.keyGrad = scratch.keyGrad;
      operands.valueGrad = scratch.valueGrad;
      kernels::accumulateBackward(
          block.problem, operands,
          {0, kernels::backwardWorkItems(block.problem.shape)}, scratch.kernel);
      addRows(1, set, from, keyHead, keys, keyDim, scratch.keyGrad);
      addRows(2, set, from, keyHead, keys, valueDim, scratch.valueGrad);
    };
    sets.forEachKeys(set, chunk, add);
    addRows(0, set, chunk, head, set.count, keyDim, scratch.queryGrad);
  }

  /// The log-sum-exp of the rows and delta, the sum of gradient times output.
  /// The output that is given has been divided; that of the rows has not. Of a
  /// mean only the rows' own attention is known to be theirs, and is computed
  /// again.
  void loadRows(const DilatedRows &set, int64_t chunk, int64_t head,
                int64_t keyHead, const SetScratch &scratch) {
    kernels::AttentionShape shape = sets.shapeOf(set.count, set.count);
    kernels::TensorView outGrad = strided(kOutGrad, set, chunk, head);
    if (!pattern.averages()) {
      const float *lse =
          reinterpret_cast<const float *>(run.input(kLse)) + head * query[2];
      for (int64_t i = 0; i < set.count; ++i)
        scratch.lse[i] = lse[set.beginOf(chunk) + i * set.rate];
      kernels::backwardDelta(shape, strided(kOut, set, chunk, head), outGrad,
                             scratch.delta);
      float divisor = static_cast<float>(pattern.divisor());
      for (int64_t i = 0; i < set.count; ++i)
        scratch.delta[i] *= divisor;
      return;
    }
    sets.attend(run, set, chunk, head, keyHead, scratch.state, scratch.kernel);
    kernels::MutableTensorView out =
        kernels::denseView(static_cast<void *>(scratch.state.out),
                           kernels::ElementType::F32, 1, set.count, valueDim);
    kernels::finish(shape, scratch.state, out, scratch.lse);
    kernels::backwardDelta(
        shape,
        kernels::denseView(static_cast<const void *>(scratch.state.out),
                           kernels::ElementType::F32, 1, set.count, valueDim),
        outGrad, scratch.delta);
  }

  kernels::TensorView strided(size_t i, const DilatedRows &set, int64_t chunk,
                              int64_t head) const {
    return sets.strided(run, i, set, chunk, head);
  }

  /// Adds packed rows to the places that they have in gradient `i`.
  void addRows(size_t i, const DilatedRows &set, int64_t chunk, int64_t head,
               int64_t rows, int64_t columns, const float *from) {
    for (int64_t row = 0; row < rows; ++row) {
      int64_t place = head * query[2] + set.beginOf(chunk) + row * set.rate;
      float *to = gradients[i].data() + place * columns;
      for (int64_t d = 0; d < columns; ++d)
        to[d] += from[row * columns + d];
    }
  }

  OpRun &run;
  const OpTypes &types;
  RowSets sets;
  const SetPattern &pattern;
  const Shape &query, &key;
  int64_t valueDim;
  std::vector<float> gradients[3];
};

} // namespace

Status verifyRowSetBackward(const OpTypes &types) {
  const Shape &query = types.input(kQuery)->shape;
  if (query[2] != types.input(kKey)->shape[2])
    return error("expects as many queries as keys, but got ", query[2], " and ",
                 types.input(kKey)->shape[2]);
  if (types.intOr("length", 1) < 1)
    return error("expects a positive length, but got ",
                 types.intOr("length", 1));
  Result<SetPattern> pattern = setPatternOf(types, query[2]);
  return pattern ? Status::success() : pattern.status();
}

int64_t rowSetBackwardScratch(const OpTypes &types, int threads) {
  int64_t floats = 0;
  for (size_t i : {0, 1, 2})
    floats += elementCount(types.output(i)->shape);
  return floats * static_cast<int64_t>(sizeof(float)) +
         threads * SetScratch(RowSets(types, kQuery), nullptr).bytes;
}

double rowSetBackwardFlops(const OpTypes &types) {
  RowSets sets(types, kQuery);
  kernels::AttentionShape shape = sets.shapeOf(0, 0);
  return 2.0 * static_cast<double>(3 * shape.keyDim + 2 * shape.valueDim) *
         sets.countPairs() * static_cast<double>(types.input(kQuery)->shape[0]);
}

Status runRowSetBackward(OpRun &run) { return RowSetBackward(run).execute(); }

} // namespace ring::rt
