// SPDX-License-Identifier: Apache-2.0
//
// Attention in plain loops; see AttentionReference.h.

#include "Kernels/AttentionReference.h"

#include "Kernels/BaseTwo.h"

namespace ring::rt::kernels {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

int64_t rowOffset(const TensorView &view, int64_t batch, int64_t head,
                  int64_t row) {
  return batch * view.batchStride + head * view.headStride +
         row * view.rowStride;
}

float dot(const TensorView &left, int64_t leftOffset, const TensorView &right,
          int64_t rightOffset, int64_t dim) {
  float sum = 0.0f;
  for (int64_t d = 0; d < dim; ++d)
    sum += loadElement(left.data, left.type, leftOffset + d) *
           loadElement(right.data, right.type, rightOffset + d);
  return sum;
}

/// One (batch, query head, query row, key row) of a problem.
struct ScoreIndex {
  int64_t batch, head, query, key;
};

int64_t positionOf(const PositionList &list, int64_t row) {
  int64_t position;
  expandPositions(list, row, row + 1, &position);
  return position;
}

int64_t keyValueHead(const AttentionShape &shape, int64_t queryHead) {
  return queryHead / (shape.queryHeads / shape.keyValueHeads);
}

/// The scaled and masked score; -inf where the key is hidden.
float scoreOf(const AttentionProblem &problem, const TensorView &query,
              const TensorView &key, const ScoreIndex &at) {
  const AttentionShape &shape = problem.shape;
  if (!seesKey(problem.masking, positionOf(problem.queryPositions, at.query),
               positionOf(problem.keyPositions, at.key)))
    return kMinusInfinity;
  float score =
      problem.scale *
      dot(query, rowOffset(query, at.batch, at.head, at.query), key,
          rowOffset(key, at.batch, keyValueHead(shape, at.head), at.key),
          shape.keyDim);
  const AdditiveMask &mask = problem.masking.additive;
  if (mask.data)
    score +=
        loadElement(mask.data, mask.type,
                    at.batch * mask.batchStride + at.head * mask.headStride +
                        at.query * mask.rowStride + at.key);
  return score;
}

/// Folds one key with a visible score into one row of the state.
void foldKey(const AttentionShape &shape, const AttentionState &state,
             int64_t row, float score, const TensorView &value,
             int64_t valueOffset) {
  const RowStart seen = startFrom(score);
  const float max = std::max(state.max[row], seen.max);
  const float keep = std::exp2(state.max[row] - max);
  const float weight = seen.sum * std::exp2(seen.max - max);
  for (int64_t d = 0; d < shape.valueDim; ++d) {
    float &out = state.out[row * shape.valueDim + d];
    out = out * keep +
          weight * loadElement(value.data, value.type, valueOffset + d);
  }
  state.sum[row] = state.sum[row] * keep + weight;
  state.max[row] = max;
}

} // namespace

bool seesKey(const AttentionMasking &masking, int64_t query, int64_t key) {
  return !(masking.causal && key > query) &&
         !(masking.windowLeft >= 0 && key < query - masking.windowLeft) &&
         !(masking.windowRight >= 0 && key > query + masking.windowRight) &&
         key < masking.keyLimit;
}

void accumulateReference(const AttentionProblem &problem,
                         const TensorView &query, const TensorView &key,
                         const TensorView &value, const AttentionState &state) {
  const AttentionShape &shape = problem.shape;
  const int64_t headRows =
      state.rowsPerHead ? state.rowsPerHead : shape.queries;
  for (int64_t b = 0; b < shape.batch; ++b)
    for (int64_t h = 0; h < shape.queryHeads; ++h)
      for (int64_t i = 0; i < shape.queries; ++i)
        for (int64_t j = 0; j < shape.keys; ++j) {
          const float score = scoreOf(problem, query, key, {b, h, i, j});
          if (score == kMinusInfinity)
            continue;
          foldKey(shape, state, (b * shape.queryHeads + h) * headRows + i,
                  score, value, rowOffset(value, b, keyValueHead(shape, h), j));
        }
}

void accumulateBackwardReference(const AttentionProblem &problem,
                                 const AttentionGradients &operands) {
  const AttentionShape &shape = problem.shape;
  for (int64_t b = 0; b < shape.batch; ++b)
    for (int64_t h = 0; h < shape.queryHeads; ++h)
      for (int64_t i = 0; i < shape.queries; ++i)
        for (int64_t j = 0; j < shape.keys; ++j) {
          const float score =
              scoreOf(problem, operands.query, operands.key, {b, h, i, j});
          if (score == kMinusInfinity)
            continue;
          const int64_t kvHead = keyValueHead(shape, h);
          const int64_t row = (b * shape.queryHeads + h) * shape.queries + i;
          const int64_t keyRow =
              (b * shape.keyValueHeads + kvHead) * shape.keys + j;
          const int64_t q = rowOffset(operands.query, b, h, i);
          const int64_t k = rowOffset(operands.key, b, kvHead, j);
          const int64_t v = rowOffset(operands.value, b, kvHead, j);
          const int64_t g = rowOffset(operands.outGrad, b, h, i);
          const float weight =
              std::exp(std::min(score - operands.lse[row], 0.0f));
          const float weightGrad =
              dot(operands.outGrad, g, operands.value, v, shape.valueDim);
          const float scoreGrad =
              problem.scale * weight * (weightGrad - operands.delta[row]);
          for (int64_t d = 0; d < shape.valueDim; ++d)
            operands.valueGrad[keyRow * shape.valueDim + d] +=
                weight * loadElement(operands.outGrad.data,
                                     operands.outGrad.type, g + d);
          for (int64_t d = 0; d < shape.keyDim; ++d) {
            operands.queryGrad[row * shape.keyDim + d] +=
                scoreGrad *
                loadElement(operands.key.data, operands.key.type, k + d);
            operands.keyGrad[keyRow * shape.keyDim + d] +=
                scoreGrad *
                loadElement(operands.query.data, operands.query.type, q + d);
          }
        }
}

} // namespace ring::rt::kernels
