// SPDX-License-Identifier: Apache-2.0
//
// Reductions, softmax, running sums, norms and rotary embedding, by definition.

#include "Reference/Reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ring::rt::reference {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Function reduction(double start, double (*fold)(double, double), bool mean) {
  return [start, fold, mean](Call &call) {
    const Shape &shape = call.inputShape(0);
    std::vector<int64_t> dims = call.types.ints("dims");
    std::vector<bool> reduced(shape.size(), dims.empty());
    for (int64_t dim : dims)
      reduced[dim < 0 ? dim + shape.size() : dim] = true;
    Shape kept;
    for (size_t d = 0; d < shape.size(); ++d)
      kept.push_back(reduced[d] ? 1 : shape[d]);
    call.outputs[0].assign(call.outputs[0].size(), start);
    forEachIndex(shape, [&](Shape index, int64_t flat) {
      for (size_t d = 0; d < shape.size(); ++d)
        if (reduced[d])
          index[d] = 0;
      double &into = call.outputs[0][flatten(kept, index)];
      into = fold(into, call.input(0)[flat]);
    });
    if (mean)
      for (double &number : call.outputs[0])
        number *= static_cast<double>(call.outputs[0].size()) /
                  static_cast<double>(call.input(0).size());
    return Status::success();
  };
}

Status softmax(Call &call) {
  const Shape &shape = call.inputShape(0);
  size_t dim = call.types.dim("dim", shape.size());
  Shape first = shape;
  first[dim] = 1;
  forEachIndex(first, [&](Shape index, int64_t) {
    double peak = -kInfinity, sum = 0;
    for (index[dim] = 0; index[dim] < shape[dim]; ++index[dim])
      peak = larger(peak, call.input(0)[flatten(shape, index)]);
    for (index[dim] = 0; index[dim] < shape[dim]; ++index[dim])
      sum += std::exp(call.input(0)[flatten(shape, index)] - peak);
    for (index[dim] = 0; index[dim] < shape[dim]; ++index[dim]) {
      int64_t flat = flatten(shape, index);
      call.outputs[0][flat] =
          peak == -kInfinity ? 0 : std::exp(call.input(0)[flat] - peak) / sum;
    }
  });
  return Status::success();
}

Status cumsum(Call &call) {
  const Shape &shape = call.inputShape(0);
  size_t dim = call.types.dim("dim", shape.size());
  forEachIndex(shape, [&](Shape index, int64_t flat) {
    double sum = 0;
    for (; index[dim] >= 0; --index[dim])
      sum += call.input(0)[flatten(shape, index)];
    call.outputs[0][flat] = sum;
  });
  return Status::success();
}

Status norm(Call &call, bool centred) {
  const Shape &shape = call.inputShape(0);
  int64_t length = 1;
  for (int64_t i = 0; i < call.types.intOr("normalized_rank", 1); ++i)
    length *= shape[shape.size() - 1 - i];
  for (size_t begin = 0; begin < call.input(0).size(); begin += length) {
    double mean = 0, square = 0;
    for (int64_t i = 0; centred && i < length; ++i)
      mean += call.input(0)[begin + i] / static_cast<double>(length);
    for (int64_t i = 0; i < length; ++i)
      square += std::pow(call.input(0)[begin + i] - mean, 2) /
                static_cast<double>(length);
    double deviation = std::sqrt(square + call.types.floatOr("epsilon", 1e-5));
    for (int64_t i = 0; i < length; ++i) {
      double y = (call.input(0)[begin + i] - mean) / deviation;
      if (call.hasInput(1))
        y *= call.input(1)[i];
      if (call.hasInput(2))
        y += call.input(2)[i];
      call.outputs[0][begin + i] = y;
    }
  }
  return Status::success();
}

Status rotary(Call &call) {
  const Shape &shape = call.inputShape(0);
  int64_t dim = shape.back(), half = dim / 2;
  forEachIndex(shape, [&](const Shape &index, int64_t flat) {
    int64_t i = index.back();
    int64_t row = call.types.has("token_index")
                      ? call.types.intOr("token_index", 0)
                      : index[index.size() - 2];
    double turned =
        i < half ? -call.input(0)[flat + half] : call.input(0)[flat - half];
    call.outputs[0][flat] = call.input(0)[flat] * call.input(1)[row * dim + i] +
                            turned * call.input(2)[row * dim + i];
  });
  return Status::success();
}

} // namespace

void addRows(Table &table) {
  auto sum = [](double a, double b) { return a + b; };
  table["sum"] = reduction(0, sum, false);
  table["mean"] = reduction(0, sum, true);
  table["max"] = reduction(
      -kInfinity, [](double a, double b) { return a > b ? a : b; }, false);
  table["min"] = reduction(
      kInfinity, [](double a, double b) { return a < b ? a : b; }, false);
  table["softmax"] = softmax;
  table["cumsum"] = cumsum;
  table["rms_norm"] = [](Call &call) { return norm(call, false); };
  table["layer_norm"] = [](Call &call) { return norm(call, true); };
  table["rotary_embedding"] = rotary;
}

} // namespace ring::rt::reference
