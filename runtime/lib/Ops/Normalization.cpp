// SPDX-License-Identifier: Apache-2.0
//
// Softmax, running sums, the norms and rotary embedding: ops on one row at a
// time.

#include "Data/Numbers.h"
#include "Kernels/RowKernels.h"
#include "Ops/Op.h"
#include "Ops/OpRun.h"
#include "Ops/StridedLoop.h"

#include <algorithm>
#include <cmath>

namespace ring::rt {

namespace {

Status verifyAlongDim(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  const Shape &shape = types.input(0)->shape;
  if (types.dim("dim", shape.size()) < 0)
    return error("expects a dimension of ", describe(shape), ", but got ",
                 types.intOr("dim", 0));
  return expectShape(types, 0, shape);
}

/// Applies `kernel` to every line of numbers along the dimension, in place.
template <typename Number>
Status runAlongDim(OpRun &run, void (*kernel)(Number *line, int64_t length)) {
  const Shape &shape = run.types.input(0)->shape;
  int64_t dim = run.types.dim("dim", shape.size());
  int64_t length = shape[dim];
  int64_t stride = denseStrides(shape)[dim];
  int64_t slices = elementCount(shape) / length;
  return run.parallelFor(slices, std::max<int64_t>(1, (1 << 13) / length),
                         length * static_cast<int64_t>(sizeof(Number)),
                         [&](int64_t begin, int64_t end, void *memory) {
                           Number *line = static_cast<Number *>(memory);
                           for (int64_t slice = begin; slice < end; ++slice) {
                             int64_t offset = slice / stride * stride * length +
                                              slice % stride;
                             loadNumbers(run.input(0), run.inputElement(0),
                                         offset, stride, line, length);
                             kernel(line, length);
                             if (stride == 1) {
                               storeNumbers(run.output(0), run.outputElement(0),
                                            offset, line, length);
                               continue;
                             }
                             for (int64_t i = 0; i < length; ++i)
                               storeNumbers(run.output(0), run.outputElement(0),
                                            offset + i * stride, line + i, 1);
                           }
                         });
}

Status runSoftmax(OpRun &run) {
  return runAlongDim<float>(run, [](float *line, int64_t length) {
    kernels::softmaxRows(line, 1, length, line);
  });
}

Status runCumsum(OpRun &run) {
  return runAlongDim<double>(run, [](double *line, int64_t length) {
    for (int64_t i = 1; i < length; ++i)
      line[i] += line[i - 1];
  });
}

double oneFlopEach(const OpTypes &types, int64_t) {
  return static_cast<double>(elementCount(types.input(0)->shape));
}

/// How many numbers are normalised together.
int64_t normalisedCount(const OpTypes &types) {
  const Shape &shape = types.input(0)->shape;
  int64_t count = 1;
  for (int64_t i = 0; i < types.intOr("normalized_rank", 1); ++i)
    count *= shape[shape.size() - 1 - i];
  return count;
}

Status verifyNorm(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  const Shape &shape = types.input(0)->shape;
  int64_t rank = types.intOr("normalized_rank", 1);
  if (rank < 1 || rank > static_cast<int64_t>(shape.size()))
    return error("expects to normalise 1 to ", shape.size(),
                 " dimensions, but got ", rank);
  for (size_t i : {1, 2}) {
    if (!types.input(i))
      continue;
    if (elementCount(types.input(i)->shape) != normalisedCount(types))
      return error("expects operand ", i, " to have ", normalisedCount(types),
                   " elements, but got ", describe(*types.input(i)));
  }
  return expectShape(types, 0, shape);
}

Status runNorm(OpRun &run, bool centred) {
  int64_t length = normalisedCount(run.types);
  int64_t rows = elementCount(run.types.input(0)->shape) / length;
  double epsilon = run.types.floatOr("epsilon", 1e-5);
  std::vector<float> weight(length, 1.0f), bias(length, 0.0f);
  if (run.hasInput(1))
    loadNumbers(run.input(1), run.inputElement(1), 0, 1, weight.data(), length);
  if (run.hasInput(2))
    loadNumbers(run.input(2), run.inputElement(2), 0, 1, bias.data(), length);
  return run.parallelFor(
      rows, std::max<int64_t>(1, (1 << 14) / length),
      length * static_cast<int64_t>(sizeof(float)),
      [&](int64_t begin, int64_t end, void *memory) {
        float *row = static_cast<float *>(memory);
        for (int64_t r = begin; r < end; ++r) {
          loadNumbers(run.input(0), run.inputElement(0), r * length, 1, row,
                      length);
          double mean = 0;
          for (int64_t i = 0; centred && i < length; ++i)
            mean += row[i];
          mean /= static_cast<double>(length);
          double square = 0;
          for (int64_t i = 0; i < length; ++i)
            square += (row[i] - mean) * (row[i] - mean);
          double scale =
              1 / std::sqrt(square / static_cast<double>(length) + epsilon);
          for (int64_t i = 0; i < length; ++i)
            row[i] = static_cast<float>((row[i] - mean) * scale) * weight[i] +
                     bias[i];
          storeNumbers(run.output(0), run.outputElement(0), r * length, row,
                       length);
        }
      });
}

Status verifyRotary(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  const Shape &shape = types.input(0)->shape;
  if (shape.size() < 2 || shape.back() % 2 != 0)
    return error("expects at least 2 dimensions, the last of an even size, ",
                 "but got ", describe(shape));
  for (size_t i : {1, 2}) {
    const Shape &cache = types.input(i)->shape;
    if (cache.size() < 2 || cache.back() != shape.back() ||
        elementCount(cache) != cache[cache.size() - 2] * cache.back())
      return error("expects operand ", i, " to be [1, ..., rows, ",
                   shape.back(), "], but got ", describe(cache));
    int64_t rows = cache[cache.size() - 2];
    int64_t index = types.intOr("token_index", 0);
    bool fits = types.has("token_index") ? index >= 0 && index < rows
                                         : shape[shape.size() - 2] <= rows;
    if (!fits)
      return error("expects operand ", i, " to hold every row asked for, but ",
                   "it has ", rows);
  }
  return expectShape(types, 0, shape);
}

Status runRotary(OpRun &run) {
  const Shape &shape = run.types.input(0)->shape;
  int64_t dim = shape.back();
  int64_t rows = shape[shape.size() - 2];
  bool fixed = run.types.has("token_index");
  int64_t token = run.types.intOr("token_index", 0);
  return run.parallelFor(
      elementCount(shape) / dim, std::max<int64_t>(1, (1 << 14) / dim),
      4 * dim * static_cast<int64_t>(sizeof(float)),
      [&](int64_t begin, int64_t end, void *memory) {
        float *x = static_cast<float *>(memory);
        float *cosine = x + dim, *sine = x + 2 * dim, *y = x + 3 * dim;
        for (int64_t r = begin; r < end; ++r) {
          int64_t cacheRow = fixed ? token : r % rows;
          loadNumbers(run.input(0), run.inputElement(0), r * dim, 1, x, dim);
          loadNumbers(run.input(1), run.inputElement(1), cacheRow * dim, 1,
                      cosine, dim);
          loadNumbers(run.input(2), run.inputElement(2), cacheRow * dim, 1,
                      sine, dim);
          for (int64_t i = 0; i < dim; ++i) {
            float turned = i < dim / 2 ? -x[i + dim / 2] : x[i - dim / 2];
            y[i] = x[i] * cosine[i] + turned * sine[i];
          }
          storeNumbers(run.output(0), run.outputElement(0), r * dim, y, dim);
        }
      });
}

double rowFlops(const OpTypes &types, int64_t) {
  return 5.0 * static_cast<double>(elementCount(types.input(0)->shape));
}

} // namespace

void registerNormalizationOps(OpTable &table) {
  Op softmax;
  softmax.name = "softmax";
  softmax.signature.attributes = {{"dim", AttributeKind::Int, true}};
  softmax.signature.verify = verifyAlongDim;
  softmax.run = runSoftmax;
  softmax.costs.flops = rowFlops;
  table.add(std::move(softmax));

  Op cumsum;
  cumsum.name = "cumsum";
  cumsum.signature.attributes = {{"dim", AttributeKind::Int, true}};
  cumsum.signature.verify = verifyAlongDim;
  cumsum.run = runCumsum;
  cumsum.costs.flops = oneFlopEach;
  table.add(std::move(cumsum));

  for (bool centred : {false, true}) {
    Op norm;
    norm.name = centred ? "layer_norm" : "rms_norm";
    norm.signature.inputs.most = 3;
    norm.signature.attributes = {{"epsilon", AttributeKind::Float},
                                 {"normalized_rank", AttributeKind::Int}};
    norm.signature.verify = verifyNorm;
    norm.run = [centred](OpRun &run) { return runNorm(run, centred); };
    norm.costs.flops = rowFlops;
    table.add(std::move(norm));
  }

  Op rotary;
  rotary.name = "rotary_embedding";
  rotary.signature.inputs = {3, 3};
  rotary.signature.attributes = {{"token_index", AttributeKind::Int}};
  rotary.signature.verify = verifyRotary;
  rotary.run = runRotary;
  rotary.costs.flops = rowFlops;
  table.add(std::move(rotary));
}

} // namespace ring::rt
