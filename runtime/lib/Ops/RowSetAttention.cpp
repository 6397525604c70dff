// SPDX-License-Identifier: Apache-2.0
//
// One set of rows after the other, each merged into what its rows have so far.

#include "Ops/RowSetAttention.h"

#include "Data/Numbers.h"
#include "Ops/RowSets.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ring::rt {

namespace {

constexpr float kEmpty = -std::numeric_limits<float>::infinity();

/// Floats of one thread: a state, and output and lse of a whole head.
int64_t headFloats(const OpTypes &types, const RowSets &sets) {
  int64_t dim = types.input(2)->shape[3];
  return sets.largestSet() * (dim + 3) + sets.length * (dim + 1);
}

int64_t threadBytes(const OpTypes &types, const RowSets &sets) {
  int64_t most = sets.largestSet();
  kernels::AttentionShape shape = sets.shapeOf(most, most);
  int64_t floats = (headFloats(types, sets) + 15) / 16 * 16;
  return floats * static_cast<int64_t>(sizeof(float)) +
         static_cast<int64_t>(kernels::accumulateUnpackedScratchBytes(shape));
}

/// Joins a finished row to what the row has so far. The mean adds outputs and
/// divides at the end; everything else weighs them by their exponentials.
void joinRow(const float *part, float partLse, bool averages, int64_t dim,
             float *out, float &lse) {
  float base = std::max(lse, partLse);
  if (base == kEmpty)
    return;
  float a = std::exp(lse - base), b = std::exp(partLse - base);
  float weightA = averages ? 1 : a / (a + b);
  float weightB = averages ? 1 : b / (a + b);
  for (int64_t d = 0; d < dim; ++d)
    out[d] = out[d] * weightA + part[d] * weightB;
  lse = base + std::log(a + b);
}

} // namespace

Status verifyRowSets(const OpTypes &types) {
  if (types.has("before"))
    return error("expects segments or documents without a band");
  for (size_t i = 3; i < 10; ++i)
    if (types.input(i))
      return error("expects segments or documents without joint tokens, mask, ",
                   "sink and pages, but got operand ", i);
  if (types.input(0)->shape[2] != types.input(1)->shape[2])
    return error("expects as many queries as keys, but got ",
                 types.input(0)->shape[2], " and ", types.input(1)->shape[2]);
  Result<SetPattern> pattern = setPatternOf(types, types.input(1)->shape[2]);
  return pattern ? Status::success() : pattern.status();
}

int64_t rowSetScratch(const OpTypes &types, int threads) {
  return threads * threadBytes(types, RowSets(types, /*first=*/0));
}

double rowSetFlops(const OpTypes &types) {
  const Shape &q = types.input(0)->shape;
  double pairs = RowSets(types, /*first=*/0).countPairs();
  return 2 * pairs * static_cast<double>(q[0]) *
         static_cast<double>(q[3] + types.input(2)->shape[3]);
}

Status runRowSets(OpRun &run) {
  const OpTypes &types = run.types;
  RowSets sets(types, /*first=*/0);
  const SetPattern &pattern = sets.pattern;
  const Shape &q = types.input(0)->shape, &k = types.input(1)->shape;
  const int64_t dim = types.input(2)->shape[3], length = q[2];
  const bool hasLse = run.hasOutput(2);
  const float divisor = static_cast<float>(pattern.divisor());
  return run.parallelFor(
      q[0] * q[1], 1, threadBytes(types, sets),
      [&](int64_t begin, int64_t end, void *memory) {
        float *stateOut = static_cast<float *>(memory);
        int64_t most = sets.largestSet();
        kernels::AttentionState state;
        state.out = stateOut;
        state.max = stateOut + most * dim;
        state.sum = state.max + most;
        float *setLse = stateOut + most * (dim + 2);
        float *out = setLse + most, *lse = out + length * dim;
        void *scratch = static_cast<float *>(memory) +
                        (headFloats(types, sets) + 15) / 16 * 16;
        for (int64_t item = begin; item < end; ++item) {
          int64_t batch = item / q[1], head = item % q[1];
          int64_t kv = batch * k[1] + head / (q[1] / k[1]);
          std::fill(out, out + length * dim, 0.0f);
          std::fill(lse, lse + length, kEmpty);
          for (const DilatedRows &set : sets.rowsOf(head))
            for (int64_t chunk = 0; chunk < set.chunks; ++chunk) {
              sets.attend(run, set, chunk, item, kv, state, scratch);
              kernels::finish(sets.shapeOf(set.count, set.count), state,
                              kernels::denseView(static_cast<void *>(stateOut),
                                                 kernels::ElementType::F32, 1,
                                                 set.count, dim),
                              setLse);
              for (int64_t i = 0; i < set.count; ++i) {
                int64_t row = set.beginOf(chunk) + i * set.rate;
                joinRow(stateOut + i * dim, setLse[i], pattern.averages(), dim,
                        out + row * dim, lse[row]);
              }
            }
          for (int64_t i = 0; i < length * dim; ++i)
            out[i] /= divisor;
          storeNumbers(run.output(0), run.outputElement(0), item * length * dim,
                       out, length * dim);
          if (hasLse)
            std::copy_n(lse, length,
                        reinterpret_cast<float *>(run.output(2)) +
                            item * length);
        }
      });
}

} // namespace ring::rt
