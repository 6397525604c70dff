// SPDX-License-Identifier: Apache-2.0
//
// Ways to run forward attention on a case: through a state that is carried, at
// once, packed and not.

#ifndef RING_RUNTIME_TEST_KERNELS_ATTENTIONRUNS_H
#define RING_RUNTIME_TEST_KERNELS_ATTENTIONRUNS_H

#include "AttentionOracle.h"
#include "KernelTest.h"
#include "Kernels/AttentionReference.h"

namespace ring::rt::kernels::test {

constexpr double kTolerance = 1e-5;
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

/// A state with its memory.
struct OwnedState {
  explicit OwnedState(const AttentionShape &shape, const float *sinks = nullptr)
      : out(shape.batch * shape.queryHeads * shape.queries * shape.valueDim,
            NAN),
        max(shape.batch * shape.queryHeads * shape.queries, NAN),
        sum(max.size(), NAN) {
    initState(shape, state(), sinks);
  }
  AttentionState state() { return {out.data(), max.data(), sum.data()}; }
  std::vector<float> out, max, sum;
};

struct Result {
  std::vector<float> out, lse;
};

inline Result finished(const AttentionShape &shape, OwnedState &owned) {
  Result result{std::vector<float>(owned.out.size(), NAN),
                std::vector<float>(owned.max.size(), NAN)};
  finish(shape, owned.state(),
         denseView(static_cast<void *>(result.out.data()), ElementType::F32,
                   shape.queryHeads, shape.queries, shape.valueDim),
         result.lse.data());
  return result;
}

/// The part of a case that keys [begin, end) make.
struct KeySlice {
  KeySlice(const AttentionCase &test, int64_t begin, int64_t end)
      : problem(test.problem), key(test.k.view), value(test.v.view) {
    problem.shape.keys = end - begin;
    key.data = static_cast<const char *>(key.data) +
               begin * key.rowStride * elementBytes(key.type);
    value.data = static_cast<const char *>(value.data) +
                 begin * value.rowStride * elementBytes(value.type);
    std::vector<int64_t> positions(test.problem.shape.keys);
    expandPositions(test.problem.keyPositions, 0, test.problem.shape.keys,
                    positions.data());
    for (int64_t key = begin; key < end; ++key)
      ranges.push_back({positions[key], 1, 1});
    problem.keyPositions = {ranges.data(), static_cast<int64_t>(ranges.size())};
    AdditiveMask &mask = problem.masking.additive;
    if (mask.data)
      mask.data = static_cast<const char *>(mask.data) +
                  begin * elementBytes(mask.type);
  }
  AttentionProblem problem;
  TensorView key, value;
  std::vector<PositionRange> ranges;
};

/// Keys and values with the memory of their packed form, which is empty.
struct PackedForm {
  PackedForm(const AttentionShape &shape, const TensorView &key,
             const TensorView &value)
      : shape(shape), memory(allocateNaN(packedKeyValueBytes(shape))),
        block{key, value, memory.get()} {
    startPacking(shape, memory.get());
  }
  /// Packs everything, after which the keys are not to be read any more.
  void packAll(float scale) {
    for (int64_t item = 0; item < packWorkItems(shape); ++item)
      packKeyValue(shape, scale, block, {item, item + 1});
    block.key.data = nullptr;
  }

  AttentionShape shape;
  std::unique_ptr<void, FreeDeleter> memory;
  KeyValueBlock block;
};

/// Whole begins and ends with the block, which it packs on the way; the others
/// carry a state, and Packed is given a form that is complete.
enum class Path { Packed, Unpacked, Reference, Whole };

inline void runBlock(const AttentionProblem &problem, const TensorView &query,
                     const TensorView &key, const TensorView &value,
                     const AttentionState &state, Path path) {
  const AttentionShape &shape = problem.shape;
  if (path == Path::Reference) {
    accumulateReference(problem, query, key, value, state);
    return;
  }
  const int64_t items = workItems(shape);
  if (path == Path::Unpacked) {
    auto scratch = allocateNaN(accumulateUnpackedScratchBytes(shape));
    accumulateUnpacked(problem, query, key, value, state, {0, items},
                       scratch.get());
    return;
  }
  PackedForm packed(shape, key, value);
  packed.packAll(problem.scale);
  // Backwards and with new scratch each: items must not lean on each other.
  for (int64_t item = items - 1; item >= 0; --item) {
    auto scratch = allocateNaN(accumulateScratchBytes(shape));
    accumulate(problem, query, packed.block, state, {item, item + 1},
               scratch.get());
  }
}

/// `attend`, item by item and backwards.
inline Result runWhole(const AttentionCase &test, ElementType type) {
  const AttentionShape &shape = test.problem.shape;
  const int64_t rows = shape.batch * shape.queryHeads * shape.queries;
  const PackedForm packed(shape, test.k.view, test.v.view);
  auto out = allocateNaN(rows * shape.valueDim * elementBytes(type));
  Result result{{}, std::vector<float>(rows, NAN)};
  for (int64_t item = workItems(shape) - 1; item >= 0; --item) {
    auto scratch = allocateNaN(accumulateScratchBytes(shape));
    attend(test.problem, test.q.view, packed.block,
           test.sinks.empty() ? nullptr : test.sinks.data(),
           denseView(out.get(), type, shape.queryHeads, shape.queries,
                     shape.valueDim),
           result.lse.data(), {item, item + 1}, scratch.get());
  }
  for (int64_t i = 0; i < rows * shape.valueDim; ++i)
    result.out.push_back(loadElement(out.get(), type, i));
  return result;
}

inline Result run(const AttentionCase &test, Path path = Path::Packed) {
  if (path == Path::Whole)
    return runWhole(test, ElementType::F32);
  OwnedState owned(test.problem.shape,
                   test.sinks.empty() ? nullptr : test.sinks.data());
  runBlock(test.problem, test.q.view, test.k.view, test.v.view, owned.state(),
           path);
  return finished(test.problem.shape, owned);
}

/// lse has -inf entries, which have no difference.
inline double lseError(const std::vector<float> &actual,
                       const std::vector<double> &expected) {
  double error = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::isinf(expected[i]) || !std::isfinite(actual[i])) {
      if (!(actual[i] == static_cast<float>(expected[i])))
        return std::numeric_limits<double>::infinity();
      continue;
    }
    error = std::max(error, std::fabs(actual[i] - expected[i]) /
                                std::max(1.0, std::fabs(expected[i])));
  }
  return error;
}

} // namespace ring::rt::kernels::test

#endif // RING_RUNTIME_TEST_KERNELS_ATTENTIONRUNS_H
