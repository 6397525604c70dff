// SPDX-License-Identifier: Apache-2.0
//
// The carried state of blockwise attention: start, merge, finish. All of it is
// linear in the number of query rows, so the compiler's own vectors suffice.

#include "Kernels/Attention.h"
#include "Kernels/BaseTwo.h"

namespace ring::rt::kernels {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

int64_t rowsPerHead(const AttentionShape &shape, const AttentionState &state) {
  return state.rowsPerHead ? state.rowsPerHead : shape.queries;
}

/// The larger of two maxima, of which one may be NaN: then that.
float largerOf(float a, float b) { return a > b || std::isnan(a) ? a : b; }

/// part - whole where `whole` >= `part`: the logarithm of what the part weighs.
/// An empty part weighs 0 even when the whole is empty too, where the
/// difference would be NaN.
float below(float part, float whole) {
  return part == kMinusInfinity ? part : part - whole;
}

/// into := weight * into + otherWeight * other. A weight of 0 drops its part,
/// whatever the memory holds.
void blendRow(int64_t dim, float *into, float weight, const float *other,
              float otherWeight) {
  if (otherWeight == 0.0f) {
    if (weight == 1.0f)
      return;
    for (int64_t d = 0; d < dim; ++d)
      into[d] *= weight;
    return;
  }
  if (weight == 0.0f) {
    for (int64_t d = 0; d < dim; ++d)
      into[d] = otherWeight * other[d];
    return;
  }
  for (int64_t d = 0; d < dim; ++d)
    into[d] = weight * into[d] + otherWeight * other[d];
}

void storeRow(const float *from, int64_t dim, float factor, float *to) {
  for (int64_t d = 0; d < dim; ++d)
    to[d] = from[d] * factor;
}

void storeRow(const float *from, int64_t dim, float factor, uint16_t *to) {
  for (int64_t d = 0; d < dim; ++d)
    to[d] = floatToBf16(from[d] * factor);
}

} // namespace

void initState(const AttentionShape &shape, const AttentionState &state,
               const float *sinks, WorkRange rows) {
  const int64_t headRows = rowsPerHead(shape, state);
  for (int64_t flat = rows.begin; flat < rows.end; ++flat) {
    const int64_t head = flat / shape.queries;
    const int64_t row = head * headRows + flat % shape.queries;
    std::fill_n(state.out + row * shape.valueDim, shape.valueDim, 0.0f);
    const RowStart start =
        sinks ? startFrom(sinks[head % shape.queryHeads]) : RowStart();
    state.max[row] = start.max;
    state.sum[row] = start.sum;
  }
}

void mergeStates(const AttentionShape &shape, const AttentionState &into,
                 const AttentionState &from) {
  const int64_t dim = shape.valueDim;
  for (int64_t head = 0; head < shape.batch * shape.queryHeads; ++head)
    for (int64_t query = 0; query < shape.queries; ++query) {
      const int64_t row = head * rowsPerHead(shape, into) + query;
      const int64_t other = head * rowsPerHead(shape, from) + query;
      const float max = largerOf(into.max[row], from.max[other]);
      const float weight = std::exp2(below(into.max[row], max));
      const float otherWeight = std::exp2(below(from.max[other], max));
      blendRow(dim, into.out + row * dim, weight, from.out + other * dim,
               otherWeight);
      into.sum[row] = weight * into.sum[row] + otherWeight * from.sum[other];
      into.max[row] = max;
    }
}

void finish(const AttentionShape &shape, const AttentionState &state,
            const MutableTensorView &result, float *lse, WorkRange rows) {
  const int64_t dim = shape.valueDim;
  for (int64_t flat = rows.begin; flat < rows.end; ++flat) {
    const int64_t index = flat / shape.queries, query = flat % shape.queries;
    const int64_t row = index * rowsPerHead(shape, state) + query;
    const float sum = state.sum[row];
    const bool empty = sum == 0.0f;
    const float inverse = empty ? 0.0f : 1.0f / sum;
    const float *out = state.out + row * dim;
    const int64_t target = index / shape.queryHeads * result.batchStride +
                           index % shape.queryHeads * result.headStride +
                           query * result.rowStride;
    // A row without keys is 0 times 0: out is 0 there.
    if (result.type == ElementType::F32)
      storeRow(out, dim, inverse, static_cast<float *>(result.data) + target);
    else
      storeRow(out, dim, inverse,
               static_cast<uint16_t *>(result.data) + target);
    if (lse)
      lse[flat] = empty ? kMinusInfinity
                        : static_cast<float>(double(state.max[row]) * kLn2 +
                                             std::log(double(sum)));
  }
}

void mergeNormalised(int64_t rows, int64_t dim, float *out, float *lse,
                     const float *otherOut, const float *otherLse) {
  for (int64_t row = 0; row < rows; ++row) {
    const float max = largerOf(lse[row], otherLse[row]);
    if (max == kMinusInfinity) {
      std::fill_n(out + row * dim, dim, 0.0f);
      continue;
    }
    const float weight = std::exp(below(lse[row], max));
    const float otherWeight = std::exp(below(otherLse[row], max));
    const float sum = weight + otherWeight;
    blendRow(dim, out + row * dim, weight / sum, otherOut + row * dim,
             otherWeight / sum);
    lse[row] = max + std::log(sum);
  }
}

void stateFromNormalised(const AttentionShape &shape,
                         const AttentionState &state, const float *out,
                         const float *lse) {
  const int64_t dim = shape.valueDim;
  for (int64_t head = 0; head < shape.batch * shape.queryHeads; ++head)
    for (int64_t query = 0; query < shape.queries; ++query) {
      const int64_t row = head * rowsPerHead(shape, state) + query;
      const int64_t source = head * shape.queries + query;
      const RowStart start = startFrom(lse[source]);
      const float *from = out + source * dim;
      for (int64_t d = 0; d < dim; ++d)
        state.out[row * dim + d] = start.isEmpty() ? 0.0f : from[d] * start.sum;
      state.max[row] = start.max;
      state.sum[row] = start.sum;
    }
}

} // namespace ring::rt::kernels
