// SPDX-License-Identifier: Apache-2.0
//
// Gradients of attention, tile by tile. With P the weights and s the scale, one
// tile of query rows and keys adds
//   dV += P^T dO,   dS = s * P * (dO V^T - delta),   dQ += dS K,   dK += dS^T
//   Q,
// where P = exp(s * Q K^T + mask - lse) is computed again.

#include "Kernels/AttentionBackward.h"
#include "Kernels/BaseTwo.h"
#include "Kernels/WeightTile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Kernels/AttentionBackward.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "Kernels/AttentionTile-inl.h"
#include "Kernels/MatmulBlock-inl.h"

#ifndef RING_RUNTIME_KERNELS_ATTENTIONBACKWARD_ONCE
#define RING_RUNTIME_KERNELS_ATTENTIONBACKWARD_ONCE
namespace ring::rt::kernels {
namespace {

/// Query rows and keys of a tile. The two tiles of weights and their gradients
/// take 192 KiB.
constexpr int64_t kBackwardRows = 96;
constexpr int64_t kBackwardKeys = 256;
/// Keys are the rows of a transposed product and so fill whole tiles.
constexpr int64_t kBackwardKeyRows =
    (kBackwardKeys + kTallestTile - 1) / kTallestTile * kTallestTile;

/// Cuts the scratch memory into aligned pieces; with no memory it only adds up.
class ScratchCutter {
public:
  explicit ScratchCutter(void *memory) : memory(static_cast<char *>(memory)) {}
  float *floats(int64_t count) {
    float *piece = memory ? reinterpret_cast<float *>(memory + used) : nullptr;
    used += roundUp(count * sizeof(float), kBufferAlignment);
    return piece;
  }
  size_t bytes() const { return used; }

private:
  char *memory;
  size_t used = 0;
};

/// The buffers of a backward call.
struct BackwardScratch {
  explicit BackwardScratch(const AttentionShape &shape, void *memory)
      : keyDim(roundUp(shape.keyDim, kWidestPanel)),
        valueDim(roundUp(shape.valueDim, kWidestPanel)) {
    ScratchCutter cutter(memory);
    weights = cutter.floats(kBackwardRows * kBackwardKeys);
    grads = cutter.floats(kBackwardRows * kBackwardKeys);
    left = cutter.floats(std::max(
        kBackwardKeyRows * kBackwardRows,
        std::max(kBackwardRows * kBackwardKeys,
                 kBackwardRows * std::max(shape.keyDim, shape.valueDim))));
    right = cutter.floats(kBackwardRows * std::max(keyDim, valueDim));
    keyPanels = cutter.floats(kBackwardKeys * shape.keyDim);
    valuePanels = cutter.floats(kBackwardKeys * shape.valueDim);
    keyRows = cutter.floats(kBackwardKeys * keyDim);
    queryGrad = cutter.floats(kBackwardRows * keyDim);
    keyGrad = cutter.floats(kBackwardKeyRows * keyDim);
    valueGrad = cutter.floats(kBackwardKeyRows * valueDim);
    bytes = cutter.bytes();
  }
  int64_t keyDim, valueDim; ///< padded to whole panels
  float *weights, *grads;
  float *left, *right;            ///< packed operands of a moment
  float *keyPanels, *valuePanels; ///< K^T and V^T, packed
  float *keyRows;                 ///< K, packed
  float *queryGrad, *keyGrad, *valueGrad;
  size_t bytes;
};

/// One call.
struct BackwardCall {
  const AttentionProblem &problem;
  const AttentionGradients &operands;
  BackwardScratch scratch;
};

/// One tile: query rows [row, row + rows) of `head` and the key block at hand.
struct BackwardTile {
  int64_t batch, head, row, rows;
};

} // namespace
} // namespace ring::rt::kernels
#endif // RING_RUNTIME_KERNELS_ATTENTIONBACKWARD_ONCE

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {
namespace {

/// Calls `function` with rows of one head as a matrix of their element type.
template <typename Function>
void withRows(const TensorView &view, int64_t batch, int64_t head, int64_t row,
              const Function &function) {
  const int64_t offset =
      batch * view.batchStride + head * view.headStride + row * view.rowStride;
  if (view.type == ElementType::F32)
    function(StridedMatrix<float>{
        static_cast<const float *>(view.data) + offset, view.rowStride, 1});
  else
    function(StridedMatrix<uint16_t>{
        static_cast<const uint16_t *>(view.data) + offset, view.rowStride, 1});
}

template <typename T>
StridedMatrix<T> transposed(const StridedMatrix<T> &matrix) {
  return {matrix.data, matrix.columnStride, matrix.rowStride};
}

/// to[row][column] += from[row][column], the latter with padded rows.
void addRows(const float *from, int64_t fromStride, int64_t rows,
             int64_t columns, float *HWY_RESTRICT to) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      to[row * columns + column] += from[row * fromStride + column];
}

class BackwardRun {
public:
  BackwardRun(const BackwardCall &call, int64_t item)
      : call(call), shape(call.problem.shape), scratch(call.scratch),
        batch(item / shape.keyValueHeads),
        keyValueHead(item % shape.keyValueHeads) {}

  void run() {
    const int64_t group = shape.queryHeads / shape.keyValueHeads;
    for (int64_t begin = 0; begin < shape.keys; begin += kBackwardKeys) {
      describeKeys(begin);
      bool seen = false;
      for (int64_t head = keyValueHead * group;
           head < (keyValueHead + 1) * group; ++head)
        for (int64_t row = 0; row < shape.queries; row += kBackwardRows) {
          const BackwardTile tile{batch, head, row,
                                  std::min(kBackwardRows, shape.queries - row)};
          if (!describeRows(tile))
            continue;
          if (!seen)
            packKeys();
          seen = true;
          runTile(tile);
        }
      if (seen)
        storeKeyGrads();
    }
  }

private:
  void describeKeys(int64_t begin) {
    keyBegin = begin;
    keyCount = std::min(kBackwardKeys, shape.keys - begin);
    expandPositions(call.problem.keyPositions, begin, begin + keyCount,
                    keyPositions);
    keyBounds =
        boundsOfRows(call.problem.keyPositions, begin, begin + keyCount);
  }

  /// False if no row of the tile sees any key.
  bool describeRows(const BackwardTile &tile) {
    expandPositions(call.problem.queryPositions, tile.row, tile.row + tile.rows,
                    queryPositions);
    for (int64_t row = 0; row < tile.rows; ++row)
      windows[row] = rowWindow(call.problem.masking, queryPositions[row]);
    group = groupWindow(call.problem.masking,
                        boundsOfRows(call.problem.queryPositions, tile.row,
                                     tile.row + tile.rows));
    return !group.hides(keyBounds);
  }

  void packKeys() {
    withRows(call.operands.key, batch, keyValueHead, keyBegin,
             [&](const auto &key) HWY_ATTR {
               packRight(transposed(key), shape.keyDim, keyCount,
                         scratch.keyPanels);
               packRight(key, keyCount, shape.keyDim, scratch.keyRows);
             });
    withRows(call.operands.value, batch, keyValueHead, keyBegin,
             [&](const auto &value) HWY_ATTR {
               packRight(transposed(value), shape.valueDim, keyCount,
                         scratch.valuePanels);
             });
    std::fill_n(scratch.keyGrad, kBackwardKeyRows * scratch.keyDim, 0.0f);
    std::fill_n(scratch.valueGrad, kBackwardKeyRows * scratch.valueDim, 0.0f);
  }

  void runTile(const BackwardTile &tile) {
    const float scale2 = call.problem.scale * 1.44269504f;
    withRows(call.operands.query, batch, tile.head, tile.row,
             [&](const auto &query) HWY_ATTR {
               packLeft(query, tile.rows, shape.keyDim, scale2, scratch.left);
             });
    multiplyBlock(scratch.left, scratch.keyPanels, tile.rows, keyCount,
                  shape.keyDim, /*accumulate=*/false, scratch.weights,
                  kBackwardKeys);
    withRows(call.operands.outGrad, batch, tile.head, tile.row,
             [&](const auto &outGrad) HWY_ATTR {
               packLeft(outGrad, tile.rows, shape.valueDim, 1.0f, scratch.left);
               packRight(outGrad, tile.rows, shape.valueDim, scratch.right);
             });
    multiplyBlock(scratch.left, scratch.valuePanels, tile.rows, keyCount,
                  shape.valueDim, /*accumulate=*/false, scratch.grads,
                  kBackwardKeys);
    for (int64_t row = 0; row < tile.rows; ++row)
      differentiateRow(tile, row);

    // dV += P^T dO
    const StridedMatrix<float> weights{scratch.weights, kBackwardKeys, 1};
    packLeft(transposed(weights), keyCount, tile.rows, 1.0f, scratch.left);
    multiplyBlock(scratch.left, scratch.right, keyCount, shape.valueDim,
                  tile.rows, /*accumulate=*/true, scratch.valueGrad,
                  scratch.valueDim);
    // dK += dS^T Q
    const StridedMatrix<float> grads{scratch.grads, kBackwardKeys, 1};
    packLeft(transposed(grads), keyCount, tile.rows, 1.0f, scratch.left);
    withRows(call.operands.query, batch, tile.head, tile.row,
             [&](const auto &query) HWY_ATTR {
               packRight(query, tile.rows, shape.keyDim, scratch.right);
             });
    multiplyBlock(scratch.left, scratch.right, keyCount, shape.keyDim,
                  tile.rows, /*accumulate=*/true, scratch.keyGrad,
                  scratch.keyDim);
    // dQ += dS K
    packLeft(grads, tile.rows, keyCount, 1.0f, scratch.left);
    multiplyBlock(scratch.left, scratch.keyRows, tile.rows, shape.keyDim,
                  keyCount, /*accumulate=*/false, scratch.queryGrad,
                  scratch.keyDim);
    const int64_t row =
        (batch * shape.queryHeads + tile.head) * shape.queries + tile.row;
    addRows(scratch.queryGrad, scratch.keyDim, tile.rows, shape.keyDim,
            call.operands.queryGrad + row * shape.keyDim);
  }

  /// Turns a row of scores into weights and a row of weight gradients into
  /// score gradients.
  void differentiateRow(const BackwardTile &tile, int64_t row) {
    const FloatTag d;
    const int64_t flat =
        (batch * shape.queryHeads + tile.head) * shape.queries + tile.row + row;
    float *weights = scratch.weights + row * kBackwardKeys;
    float *grads = scratch.grads + row * kBackwardKeys;
    maskRow(tile, row, weights);
    // A row that sees nothing has lse -inf and only -inf scores: weigh them
    // against 0 so that they give 0 and not NaN.
    const float lse = call.operands.lse[flat];
    const bool empty = lse == -std::numeric_limits<float>::infinity();
    const FloatVec reference = hn::Set(d, empty ? 0.0f : inBaseTwo(lse));
    const FloatVec delta = hn::Set(d, call.operands.delta[flat]);
    const FloatVec scale = hn::Set(d, call.problem.scale);
    const FloatVec none = hn::Zero(d);
    for (int64_t key = 0; key < roundUp(keyCount, kLanes); key += kLanes) {
      // No weight is more than 1; beside an lse of 10^10, which f32 rounds to a
      // thousand, one would be infinite. NaN stays.
      const FloatVec log = hn::Sub(hn::Load(d, weights + key), reference);
      const FloatVec weight =
          exp2(d, hn::IfThenZeroElse(hn::Gt(log, none), log));
      const FloatVec grad = hn::Sub(hn::Load(d, grads + key), delta);
      hn::Store(weight, d, weights + key);
      hn::Store(hn::Mul(hn::Mul(scale, weight), grad), d, grads + key);
    }
  }

  void maskRow(const BackwardTile &tile, int64_t row, float *scores) {
    const float hidden = -std::numeric_limits<float>::infinity();
    const AdditiveMask &mask = call.problem.masking.additive;
    if (mask.data) {
      const int64_t offset = batch * mask.batchStride +
                             tile.head * mask.headStride +
                             (tile.row + row) * mask.rowStride + keyBegin;
      for (int64_t key = 0; key < keyCount; ++key)
        scores[key] +=
            inBaseTwo(loadElement(mask.data, mask.type, offset + key));
    }
    if (!group.shows(keyBounds))
      for (int64_t key = 0; key < keyCount; ++key)
        if (keyPositions[key] < windows[row].low ||
            keyPositions[key] > windows[row].high)
          scores[key] = hidden;
    std::fill(scores + keyCount, scores + roundUp(keyCount, kPanel), hidden);
  }

  void storeKeyGrads() {
    const int64_t row =
        (batch * shape.keyValueHeads + keyValueHead) * shape.keys + keyBegin;
    addRows(scratch.keyGrad, scratch.keyDim, keyCount, shape.keyDim,
            call.operands.keyGrad + row * shape.keyDim);
    addRows(scratch.valueGrad, scratch.valueDim, keyCount, shape.valueDim,
            call.operands.valueGrad + row * shape.valueDim);
  }

  const BackwardCall &call;
  const AttentionShape &shape;
  const BackwardScratch &scratch;
  const int64_t batch;
  const int64_t keyValueHead;
  int64_t keyBegin = 0;
  int64_t keyCount = 0;
  PositionBounds keyBounds{0, 0};
  GroupWindow group{};
  int64_t keyPositions[kBackwardKeys];
  int64_t queryPositions[kBackwardRows];
  RowWindow windows[kBackwardRows];
};

void backwardItems(const BackwardCall &call, WorkRange items) {
  for (int64_t item = items.begin; item < items.end; ++item)
    BackwardRun(call, item).run();
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ring::rt::kernels {
HWY_EXPORT(backwardItems);

void backwardDelta(const AttentionShape &shape, const TensorView &out,
                   const TensorView &outGrad, float *delta) {
  for (int64_t b = 0; b < shape.batch; ++b)
    for (int64_t h = 0; h < shape.queryHeads; ++h)
      for (int64_t i = 0; i < shape.queries; ++i) {
        const int64_t left =
            b * out.batchStride + h * out.headStride + i * out.rowStride;
        const int64_t right = b * outGrad.batchStride + h * outGrad.headStride +
                              i * outGrad.rowStride;
        float sum = 0.0f;
        for (int64_t d = 0; d < shape.valueDim; ++d)
          sum += loadElement(out.data, out.type, left + d) *
                 loadElement(outGrad.data, outGrad.type, right + d);
        *delta++ = sum;
      }
}

int64_t backwardWorkItems(const AttentionShape &shape) {
  return shape.batch * shape.keyValueHeads;
}

size_t backwardScratchBytes(const AttentionShape &shape) {
  return BackwardScratch(shape, nullptr).bytes;
}

void accumulateBackward(const AttentionProblem &problem,
                        const AttentionGradients &operands, WorkRange items,
                        void *scratch) {
  HWY_DYNAMIC_DISPATCH(backwardItems)
  ({problem, operands, BackwardScratch(problem.shape, scratch)}, items);
}

} // namespace ring::rt::kernels
#endif // HWY_ONCE
