// SPDX-License-Identifier: Apache-2.0
//
// The library baseline; see OneDnnAttention.h.

#include "OneDnnAttention.h"
#include "PeakFlops.h"

#include <dnnl.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ring::bench {

void oneDnnAttention(const rt::kernels::AttentionShape &shape, float scale,
                     bool causal, const float *q, const float *k,
                     const float *v, float *out, int64_t queryBlock,
                     int64_t keyBlock) {
  constexpr float kLog2E = 1.44269504f;
  const float minusInfinity = -std::numeric_limits<float>::infinity();
  const int64_t dim = shape.keyDim;
  std::vector<float> scores(queryBlock * keyBlock);
  std::vector<float> max(queryBlock), sum(queryBlock);
  for (int64_t head = 0; head < shape.queryHeads; ++head)
    for (int64_t i = 0; i < shape.queries; i += queryBlock) {
      const int64_t rows = std::min(queryBlock, shape.queries - i);
      const float *queryAt = q + (head * shape.queries + i) * dim;
      float *outAt = out + (head * shape.queries + i) * dim;
      std::fill_n(outAt, rows * dim, 0.0f);
      std::fill(max.begin(), max.end(), minusInfinity);
      std::fill(sum.begin(), sum.end(), 0.0f);
      const int64_t end = causal ? std::min(shape.keys, i + rows) : shape.keys;
      for (int64_t j = 0; j < end; j += keyBlock) {
        const int64_t columns = std::min(keyBlock, end - j);
        const int64_t padded = (columns + 15) / 16 * 16;
        const int64_t at = (head * shape.keys + j) * dim;
        dnnl_sgemm('N', 'T', rows, columns, dim, scale * kLog2E, queryAt, dim,
                   k + at, dim, 0.0f, scores.data(), keyBlock);
        for (int64_t row = 0; row < rows; ++row) {
          float *line = scores.data() + row * keyBlock;
          int64_t visible = columns;
          if (causal)
            visible = std::clamp<int64_t>(i + row + 1 - j, 0, columns);
          std::fill(line + visible, line + padded, minusInfinity);
          const float factor = softmaxRow(line, padded, max[row], sum[row]);
          if (factor != 1.0f)
            scaleRow(outAt + row * dim, dim, factor);
        }
        dnnl_sgemm('N', 'N', rows, dim, columns, 1.0f, scores.data(), keyBlock,
                   v + at, dim, 1.0f, outAt, dim);
      }
      for (int64_t row = 0; row < rows; ++row)
        scaleRow(outAt + row * dim, dim, 1.0f / sum[row]);
    }
}

} // namespace ring::bench
