// SPDX-License-Identifier: Apache-2.0
//
// The shapes, their counts, and the fit. Sizes are those of whole attentions:
// queries, results and states that fit into no core's own cache.

#include "BlockRuns.h"

#include "LeastSquares.h"
#include "TimedProgram.h"

#include <algorithm>
#include <string>

using namespace ring::rt;

namespace ring::bench {

namespace {

constexpr int64_t kHeads = 8;
constexpr double kF32Bytes = 4;
/// Maximum and sum of a row of a state.
constexpr int64_t kStatistics = 2;

double real(int64_t value) { return static_cast<double>(value); }

/// A chain of blocks that are folded into one state, or one block without a
/// state.
struct Shape {
  int64_t rows, keys;
  int64_t blocks = 0; ///< 0: one, without a state
  bool causal = false;
  int64_t window = 0;   ///< keys, with `causal`
  bool ownKeys = false; ///< each block has keys of its own
};

const Shape kShapes[] = {
    // Rows with many keys and with few.
    {2048, 4096},
    {8192, 1024},
    {8192, 256},
    {8192, 128},
    // Keys for many rows and for few.
    {512, 8192},
    {256, 8192},
    // Borders: one a row, and two.
    {1024, 1024, 0, true},
    {2048, 2048, 0, true},
    {4096, 4096, 0, true},
    {4096, 4096, 0, true, 256},
    {8192, 8192, 0, true, 256},
    {8192, 8192, 0, true, 512},
    // States: made and finished, and carried through few and many blocks.
    {8192, 128, 1},
    {8192, 128, 4},
    {8192, 256, 4},
    {4096, 256, 8},
    {4096, 512, 8, false, 0, true},
    {1024, 1024, 4, true},
    {4096, 1024, 4, false, 0, true},
};

/// What is unknown, in the order of the counts.
enum Unknown { kFlop, kBorder, kStep, kState, kPack, kCopy, kUnknowns };

/// Pairs of a row and a key that count, of one head.
double pairsOf(const Shape &shape) {
  double all = real(shape.rows) * real(shape.keys);
  if (!shape.causal)
    return all;
  double triangle = real(shape.rows) * real(shape.rows + 1) / 2;
  if (shape.window == 0)
    return triangle;
  double hidden = real(shape.rows - shape.window);
  return triangle - hidden * (hidden + 1) / 2;
}

std::vector<double> countsOf(const Shape &shape, int64_t dim) {
  double blocks = real(std::max<int64_t>(shape.blocks, 1));
  double rows = real(kHeads * shape.rows) * blocks;
  double perPair = 4 * real(dim);
  std::vector<double> counts(kUnknowns);
  counts[kFlop] = blocks * real(kHeads) * pairsOf(shape) * perPair;
  if (shape.causal)
    counts[kBorder] = rows * (shape.window > 0 ? 2 : 1) * perPair;
  if (shape.blocks == 0) {
    counts[kStep] = kF32Bytes * rows * real(2 * dim);
  } else {
    counts[kState] = kF32Bytes * rows * real(3 * dim + 2 * kStatistics);
    counts[kCopy] = 2 * kF32Bytes * real(kHeads * shape.rows) * real(dim + 1);
  }
  counts[kPack] = (shape.ownKeys ? blocks : 1) * kF32Bytes *
                  real(kHeads * shape.keys) * real(dim);
  return counts;
}

ProgramBuilder programOf(const Shape &shape, int64_t dim) {
  ProgramBuilder builder("blocks", {1});
  rt::Shape rows = {1, kHeads, shape.rows, dim};
  ValueType out = localTensor(ElementType::F32, rows);
  ValueType lse = localTensor(ElementType::F32, {1, kHeads, shape.rows, 1});
  ValueType keys = localTensor(ElementType::F32, {1, kHeads, shape.keys, dim});
  Attributes pattern;
  if (shape.causal)
    pattern = {{"before", shape.window > 0 ? shape.window - 1 : int64_t(-1)},
               {"after", int64_t(0)}};
  int32_t q = builder.addInput("q", out);
  if (shape.blocks == 0) {
    int32_t k = builder.addInput("k", keys), v = builder.addInput("v", keys);
    builder.addOutput(
        "o", builder.add("ring.partial", {q, k, v}, {out, lse}, pattern)[0]);
    return builder;
  }
  int32_t k = 0, v = 0;
  int32_t state = builder.addOne("ring.init", {}, localState(rows));
  for (int64_t i = 0; i < shape.blocks; ++i) {
    if (i == 0 || shape.ownKeys) {
      k = builder.addInput("k" + std::to_string(i), keys);
      v = builder.addInput("v" + std::to_string(i), keys);
    }
    state = builder.addOne("ring.accumulate", {q, k, v, state},
                           localState(rows), pattern);
  }
  builder.addOutput("o", builder.add("ring.finish", {state}, {out, lse})[0]);
  return builder;
}

} // namespace

BlockCosts measureBlocks(int64_t dim) {
  std::vector<TimedProgram> programs;
  for (const Shape &shape : kShapes)
    programs.emplace_back(programOf(shape, dim));
  timeInTurns(programs);
  LeastSquares fit(kUnknowns);
  for (size_t i = 0; i < programs.size(); ++i)
    fit.add(countsOf(kShapes[i], dim), programs[i].median());
  std::vector<double> weights = fit.solve();
  BlockCosts costs;
  costs.flop = weights[kFlop];
  costs.border = weights[kBorder] / weights[kFlop];
  costs.stepByte = weights[kStep];
  costs.stateByte = weights[kState];
  costs.packByte = weights[kPack];
  costs.copyByte = weights[kCopy];
  costs.error = fit.error(weights);
  return costs;
}

} // namespace ring::bench
