// SPDX-License-Identifier: Apache-2.0
//
// The double precision oracle; see AttentionOracle.h.

#include "AttentionOracle.h"

#include <cmath>

namespace ring::rt::kernels::test {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

std::vector<int64_t> positionsOf(const std::vector<PositionRange> &ranges,
                                 int64_t rows) {
  std::vector<int64_t> positions;
  for (const PositionRange &range : ranges)
    for (int64_t i = 0; i < range.size; ++i)
      positions.push_back(range.begin + i * range.stride);
  if (ranges.empty())
    for (int64_t i = 0; i < rows; ++i)
      positions.push_back(i);
  return positions;
}

/// The weights of one (batch, head, query), normalised, and its lse.
struct RowWeights {
  std::vector<double> weight;
  double lse;
};

RowWeights rowWeights(const AttentionCase &test, int64_t b, int64_t h,
                      int64_t i) {
  const AttentionShape &s = test.problem.shape;
  const AttentionMasking &m = test.problem.masking;
  const int64_t kv = h * s.keyValueHeads / s.queryHeads;
  const int64_t at = positionsOf(test.queryRanges, s.queries)[i];
  const std::vector<int64_t> keys = positionsOf(test.keyRanges, s.keys);
  std::vector<double> score(s.keys, kMinusInfinity);
  double top = test.sinks.empty() ? kMinusInfinity : test.sinks[h];
  for (int64_t j = 0; j < s.keys; ++j) {
    if (keys[j] >= m.keyLimit || (m.causal && keys[j] > at) ||
        (m.windowLeft >= 0 && at - keys[j] > m.windowLeft) ||
        (m.windowRight >= 0 && keys[j] - at > m.windowRight))
      continue;
    double dot = 0;
    for (int64_t d = 0; d < s.keyDim; ++d)
      dot +=
          test.q
              .exact[((b * s.queryHeads + h) * s.queries + i) * s.keyDim + d] *
          test.k
              .exact[((b * s.keyValueHeads + kv) * s.keys + j) * s.keyDim + d];
    score[j] = dot * test.problem.scale;
    if (m.additive.data) {
      const int64_t offset = b * m.additive.batchStride +
                             h * m.additive.headStride +
                             i * m.additive.rowStride + j;
      score[j] += m.additive.type == ElementType::F32
                      ? test.maskWide[offset]
                      : bf16ToFloat(test.maskNarrow[offset]);
    }
    top = std::max(top, score[j]);
  }
  RowWeights row{std::vector<double>(s.keys, 0.0), kMinusInfinity};
  if (top == kMinusInfinity)
    return row;
  double sum = test.sinks.empty() ? 0.0 : std::exp(test.sinks[h] - top);
  for (double value : score)
    sum += std::exp(value - top);
  for (int64_t j = 0; j < s.keys; ++j)
    row.weight[j] = std::exp(score[j] - top) / sum;
  row.lse = top + std::log(sum);
  return row;
}

} // namespace

TestTensor TestTensor::random(std::mt19937 &engine, int64_t batch,
                              int64_t heads, int64_t rows, int64_t dim,
                              ElementType type, int64_t gap, float spread) {
  std::normal_distribution<float> normal(0.0f, spread);
  TestTensor tensor;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int64_t row = 0; row < batch * heads * rows; ++row) {
    for (int64_t d = 0; d < dim + gap; ++d) {
      const float value = d < dim ? normal(engine) : nan;
      tensor.wide.push_back(value);
      tensor.narrow.push_back(floatToBf16(value));
      if (d < dim)
        tensor.exact.push_back(type == ElementType::F32
                                   ? value
                                   : bf16ToFloat(tensor.narrow.back()));
    }
  }
  const int64_t rowStride = dim + gap;
  const void *data = tensor.wide.data();
  if (type == ElementType::BF16)
    data = tensor.narrow.data();
  tensor.view = {data, type, heads * rows * rowStride, rows * rowStride,
                 rowStride};
  return tensor;
}

void AttentionCase::usePositions(std::vector<PositionRange> query,
                                 std::vector<PositionRange> key) {
  queryRanges = std::move(query);
  keyRanges = std::move(key);
  problem.queryPositions = {queryRanges.data(),
                            static_cast<int64_t>(queryRanges.size())};
  problem.keyPositions = {keyRanges.data(),
                          static_cast<int64_t>(keyRanges.size())};
}

void AttentionCase::useMask(std::mt19937 &engine, bool perBatch, bool perHead,
                            bool perQuery, ElementType type) {
  const AttentionShape &s = problem.shape;
  const int64_t rows = perQuery ? s.queries : 1;
  const int64_t heads = perHead ? s.queryHeads : 1;
  const int64_t batch = perBatch ? s.batch : 1;
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < batch * heads * rows * s.keys; ++i) {
    const bool hidden = engine() % 4 == 0;
    maskWide.push_back(hidden ? -std::numeric_limits<float>::infinity()
                              : normal(engine));
    maskNarrow.push_back(floatToBf16(maskWide.back()));
  }
  AdditiveMask &mask = problem.masking.additive;
  mask.type = type;
  mask.data = maskWide.data();
  if (type == ElementType::BF16)
    mask.data = maskNarrow.data();
  mask.rowStride = perQuery ? s.keys : 0;
  mask.headStride = perHead ? rows * s.keys : 0;
  mask.batchStride = perBatch ? heads * rows * s.keys : 0;
}

AttentionCase makeCase(std::mt19937 &engine, const AttentionShape &shape,
                       ElementType type, int64_t gap, float spread) {
  AttentionCase test;
  test.problem.shape = shape;
  test.problem.scale = 1.0f / std::sqrt(static_cast<float>(shape.keyDim));
  test.q = TestTensor::random(engine, shape.batch, shape.queryHeads,
                              shape.queries, shape.keyDim, type, gap, spread);
  test.k = TestTensor::random(engine, shape.batch, shape.keyValueHeads,
                              shape.keys, shape.keyDim, type, gap, spread);
  test.v = TestTensor::random(engine, shape.batch, shape.keyValueHeads,
                              shape.keys, shape.valueDim, type, gap);
  return test;
}

OracleResult oracle(const AttentionCase &test) {
  const AttentionShape &s = test.problem.shape;
  OracleResult result;
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t h = 0; h < s.queryHeads; ++h)
      for (int64_t i = 0; i < s.queries; ++i) {
        const RowWeights row = rowWeights(test, b, h, i);
        const int64_t kv = h * s.keyValueHeads / s.queryHeads;
        result.lse.push_back(row.lse);
        for (int64_t d = 0; d < s.valueDim; ++d) {
          double sum = 0;
          for (int64_t j = 0; j < s.keys; ++j)
            sum += row.weight[j] *
                   test.v.exact[((b * s.keyValueHeads + kv) * s.keys + j) *
                                    s.valueDim +
                                d];
          result.out.push_back(sum);
        }
      }
  return result;
}

OracleGradients oracleBackward(const AttentionCase &test,
                               const std::vector<double> &outGrad) {
  const AttentionShape &s = test.problem.shape;
  OracleGradients grads;
  grads.q.resize(test.q.exact.size());
  grads.k.resize(test.k.exact.size());
  grads.v.resize(test.v.exact.size());
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t h = 0; h < s.queryHeads; ++h)
      for (int64_t i = 0; i < s.queries; ++i) {
        const RowWeights row = rowWeights(test, b, h, i);
        const int64_t kv = h * s.keyValueHeads / s.queryHeads;
        const int64_t q = (b * s.queryHeads + h) * s.queries + i;
        const int64_t k0 = (b * s.keyValueHeads + kv) * s.keys;
        // The weights' gradient and its mean under the weights, which the
        // normalisation takes off.
        std::vector<double> weightGrad(s.keys, 0.0);
        double mean = 0;
        for (int64_t j = 0; j < s.keys; ++j) {
          for (int64_t d = 0; d < s.valueDim; ++d) {
            const double g = outGrad[q * s.valueDim + d];
            weightGrad[j] += g * test.v.exact[(k0 + j) * s.valueDim + d];
            grads.v[(k0 + j) * s.valueDim + d] += row.weight[j] * g;
          }
          mean += row.weight[j] * weightGrad[j];
        }
        for (int64_t j = 0; j < s.keys; ++j) {
          const double scoreGrad =
              row.weight[j] * (weightGrad[j] - mean) * test.problem.scale;
          for (int64_t d = 0; d < s.keyDim; ++d) {
            grads.q[q * s.keyDim + d] +=
                scoreGrad * test.k.exact[(k0 + j) * s.keyDim + d];
            grads.k[(k0 + j) * s.keyDim + d] +=
                scoreGrad * test.q.exact[q * s.keyDim + d];
          }
        }
      }
  return grads;
}

} // namespace ring::rt::kernels::test
