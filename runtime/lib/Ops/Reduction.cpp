// SPDX-License-Identifier: Apache-2.0
//
// Ops that reduce dimensions to one number. Sums are carried in f64, so their
// order costs no accuracy.

#include "Data/Numbers.h"
#include "Ops/Op.h"
#include "Ops/OpRun.h"
#include "Ops/StridedLoop.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ring::rt {

namespace {

enum class Reduction { Sum, Max, Min, Mean };

/// Which dimensions are reduced; nothing if the attribute is wrong.
Result<std::vector<bool>> reducedDims(const OpTypes &types) {
  int64_t rank = static_cast<int64_t>(types.input(0)->shape.size());
  std::vector<int64_t> dims = types.ints("dims");
  std::vector<bool> reduced(rank, dims.empty());
  for (int64_t dim : dims) {
    int64_t resolved = dim < 0 ? dim + rank : dim;
    if (resolved < 0 || resolved >= rank || reduced[resolved])
      return error("expects dimensions of ", describe(types.input(0)->shape),
                   ", each once, but got ", dim);
    reduced[resolved] = true;
  }
  return reduced;
}

Status verifyReduction(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  Result<std::vector<bool>> reduced = reducedDims(types);
  if (!reduced)
    return reduced.status();
  Shape shape;
  for (size_t i = 0; i < reduced->size(); ++i) {
    if (!(*reduced)[i])
      shape.push_back(types.input(0)->shape[i]);
    else if (types.flag("keep_dim"))
      shape.push_back(1);
  }
  return expectShape(types, 0, shape);
}

/// Folds one chunk of numbers into the result so far.
void fold(Reduction kind, const double *numbers, int64_t count, double &so) {
  for (int64_t i = 0; i < count; ++i) {
    switch (kind) {
    case Reduction::Sum:
    case Reduction::Mean:
      so += numbers[i];
      break;
    case Reduction::Max:
      so = numbers[i] > so || std::isnan(numbers[i]) ? numbers[i] : so;
      break;
    case Reduction::Min:
      so = numbers[i] < so || std::isnan(numbers[i]) ? numbers[i] : so;
      break;
    }
  }
}

double identityOf(Reduction kind) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (kind == Reduction::Max)
    return -kInfinity;
  return kind == Reduction::Min ? kInfinity : 0;
}

Status runReduction(OpRun &run, Reduction kind) {
  const Shape &shape = run.types.input(0)->shape;
  std::vector<bool> reduced = *reducedDims(run.types);
  Shape dense = denseStrides(shape);
  Shape keptShape, keptStrides, foldShape, foldStrides;
  for (size_t i = 0; i < shape.size(); ++i) {
    (reduced[i] ? foldShape : keptShape).push_back(shape[i]);
    (reduced[i] ? foldStrides : keptStrides).push_back(dense[i]);
  }
  // The kept dimensions as rows of one element each.
  keptShape.push_back(1);
  keptStrides.push_back(0);
  int64_t results = elementCount(keptShape);
  int64_t folded = elementCount(foldShape);
  StridedLoop inner(foldShape, {foldStrides});
  int64_t grain = std::max<int64_t>(1, (1 << 15) / folded);
  return run.parallelFor(results, grain, [&](int64_t begin, int64_t end) {
    constexpr int64_t kChunk = 512;
    double chunk[kChunk];
    for (int64_t result = begin; result < end; ++result) {
      int64_t base = 0;
      int64_t rest = result;
      for (size_t i = keptShape.size(); i-- > 0;) {
        base += rest % keptShape[i] * keptStrides[i];
        rest /= keptShape[i];
      }
      double number = identityOf(kind);
      for (int64_t row = 0; row < inner.rows(); ++row) {
        int64_t offset = base + inner.offset(0, row);
        for (int64_t i = 0; i < inner.rowLength(); i += kChunk) {
          int64_t count = std::min(kChunk, inner.rowLength() - i);
          loadNumbers(run.input(0), run.inputElement(0),
                      offset + i * inner.innerStride(0), inner.innerStride(0),
                      chunk, count);
          fold(kind, chunk, count, number);
        }
      }
      if (kind == Reduction::Mean)
        number /= static_cast<double>(folded);
      storeNumbers(run.output(0), run.outputElement(0), result, &number, 1);
    }
  });
}

} // namespace

void registerReductionOps(OpTable &table) {
  auto add = [&](const char *name, Reduction kind) {
    Op op;
    op.name = name;
    op.signature.attributes = {{"dims", AttributeKind::Ints},
                               {"keep_dim", AttributeKind::Int}};
    op.signature.verify = verifyReduction;
    op.run = [kind](OpRun &run) { return runReduction(run, kind); };
    op.costs.flops = [](const OpTypes &types, int64_t) {
      return static_cast<double>(elementCount(types.input(0)->shape));
    };
    table.add(std::move(op));
  };
  add("sum", Reduction::Sum);
  add("max", Reduction::Max);
  add("min", Reduction::Min);
  add("mean", Reduction::Mean);
}

} // namespace ring::rt
