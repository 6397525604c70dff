// SPDX-License-Identifier: Apache-2.0
//
// Matrix products, reductions and norms.

#include "TensorState.h"
#include "ttnn/operations/eltwise/binary/binary.hpp"
#include "ttnn/operations/matmul/matmul.hpp"
#include "ttnn/operations/normalization/layernorm/layernorm.hpp"
#include "ttnn/operations/normalization/rmsnorm/rmsnorm.hpp"
#include "ttnn/operations/normalization/softmax/softmax.hpp"
#include "ttnn/operations/reduction/generic/generic_reductions.hpp"

#include <cmath>

using namespace standin;

namespace ttnn {

using standin::ConstMemory;
using standin::ConstType;
using standin::Cores;
using standin::Dims;
using standin::MaybeConstTensor;
using standin::Memory;
using standin::Stored;
using standin::SubDevice;
using Config = DeviceComputeKernelConfig;

// ---- Products ------------------------------------------------------------

namespace operations::matmul {

using Program = const std::optional<const MatmulProgramConfig> &;
using Activate = const std::optional<const Activation> &;
using TileShape = const std::optional<const tt::tt_metal::Tile> &;
using Circular =
    const std::optional<const tt::tt_metal::experimental::GlobalCircularBuffer>
        &;

Tensor matmul(const Tensor &a, const Tensor &b, bool transposeA,
              bool transposeB, ConstMemory, ConstType type, Program, Activate,
              std::optional<const Config> given, std::optional<const CoreGrid>,
              TileShape, std::optional<Tensor>, Circular, SubDevice) {
  expectTiles("matmul", {&a, &b});
  expect(!isInteger(a.dtype()) && !isInteger(b.dtype()),
         "matmul: integers where real numbers are expected");
  expect((a.dtype() == DataType::FLOAT32) == (b.dtype() == DataType::FLOAT32),
         "matmul: one operand alone is FLOAT32");
  Config config = given.value_or(Config());
  Sizes x = sizesOf(a), y = sizesOf(b);
  auto sizeOf = [](const Sizes &sizes, bool last) {
    return sizes[sizes.size() - (last ? 1 : 2)];
  };
  int64_t rows = sizeOf(x, transposeA), depth = sizeOf(x, !transposeA);
  int64_t columns = sizeOf(y, !transposeB);
  expect(sizeOf(y, transposeB) == depth, "matmul: depths differ");
  int64_t batch = countOf(x) / (rows * depth);
  int64_t batchB = countOf(y) / (depth * columns);
  expect(batchB == 1 || batchB == batch, "matmul: batches do not fit");
  Sizes sizes(x.begin(), x.end() - 2);
  sizes.insert(sizes.end(), {rows, columns});
  return eachDevice(
      a, sizes, type.value_or(a.dtype()), Layout::TILE, [&](size_t device) {
        Numbers numbers;
        forEach({batch, rows, columns}, [&](const Sizes &i) {
          const double *left = at(a, device).data() + i[0] * rows * depth;
          const double *right =
              at(b, device).data() + (batchB == 1 ? 0 : i[0]) * depth * columns;
          double sum = 0;
          for (int64_t k = 0; k < depth; ++k)
            sum +=
                seen(left[transposeA ? k * rows + i[1] : i[1] * depth + k],
                     config) *
                seen(right[transposeB ? i[2] * depth + k : k * columns + i[2]],
                     config);
          numbers.push_back(sum);
        });
        return numbers;
      });
}

} // namespace operations::matmul

// ---- Reductions ----------------------------------------------------------

template <typename Function>
static Tensor reduce(const Tensor &x, Dims given, bool keep, double start,
                     Function function) {
  expectTiles("reduction", {&x});
  Sizes from = sizesOf(x), kept = from;
  std::vector<int> dims;
  if (!given)
    for (size_t i = 0; i < from.size(); ++i)
      dims.push_back(static_cast<int>(i));
  else if (auto *list = std::get_if<ttsl::SmallVector<int>>(&*given))
    dims = *list;
  else if (auto *one = std::get_if<int>(&*given))
    dims = {*one};
  for (int dim : dims)
    kept[fromStart(dim, from.size())] = 1;
  Tensor reduced =
      eachDevice(x, kept, x.dtype(), Layout::TILE, [&](size_t device) {
        Numbers numbers(countOf(kept), start);
        forEach(from, [&](const Sizes &index) {
          double &into = numbers[place(index, kept)];
          into = function(into, at(x, device)[place(index, from)]);
        });
        return numbers;
      });
  if (keep)
    return reduced;
  Sizes left;
  for (size_t i = 0; i < from.size(); ++i) {
    bool gone = false;
    for (int dim : dims)
      gone |= fromStart(dim, from.size()) == static_cast<int64_t>(i);
    if (!gone)
      left.push_back(from[i]);
  }
  return eachDevice(reduced, left, x.dtype(), Layout::TILE,
                    [&](size_t device) { return at(reduced, device); });
}

Tensor sum(const Tensor &x, Dims dims, bool keep, Memory,
           const std::optional<Config> &, float, bool, Cores, Stored) {
  return reduce(x, dims, keep, 0, std::plus<double>());
}

Tensor mean(const Tensor &x, Dims dims, bool keep, Memory,
            const std::optional<Config> &, float, bool, Cores, bool, Stored) {
  expect(!isInteger(x.dtype()), "mean: integers have none");
  Tensor total = reduce(x, dims, keep, 0, std::plus<double>());
  double share = static_cast<double>(total.logical_shape().volume()) /
                 static_cast<double>(x.logical_shape().volume());
  // The sum is not rounded before it is divided.
  return reduce(x, dims, keep, 0,
                [=](double a, double b) { return a + b * share; });
}

Tensor max(const Tensor &x, Dims dims, bool keep, Memory,
           const std::optional<Config> &, float, bool, Cores, bool) {
  return reduce(x, dims, keep, -INFINITY,
                [](double a, double b) { return std::max(a, b); });
}

Tensor min(const Tensor &x, Dims dims, bool keep, Memory,
           const std::optional<Config> &, float, bool, Cores) {
  return reduce(x, dims, keep, INFINITY,
                [](double a, double b) { return std::min(a, b); });
}

// ---- Norms ---------------------------------------------------------------

/// Rewrites the numbers along a dimension, row by row.
static Tensor alongRows(const Tensor &x, int64_t dim,
                        const std::function<void(Numbers &, size_t)> &rewrite) {
  Sizes sizes = sizesOf(x), outer = sizes;
  outer[dim] = 1;
  return eachDevice(x, sizes, x.dtype(), Layout::TILE, [&](size_t device) {
    Numbers numbers = at(x, device);
    forEach(outer, [&](Sizes index) {
      Numbers row;
      for (index[dim] = 0; index[dim] < sizes[dim]; ++index[dim])
        row.push_back(numbers[place(index, sizes)]);
      rewrite(row, device);
      for (index[dim] = 0; index[dim] < sizes[dim]; ++index[dim])
        numbers[place(index, sizes)] = row[index[dim]];
    });
    return numbers;
  });
}

Tensor softmax(const Tensor &x, int dim, Memory, std::optional<const Config>,
               bool stable) {
  expectTiles("softmax", {&x});
  expect(stable, "softmax: large numbers would overflow");
  auto rewrite = [](Numbers &row, size_t) {
    double largest = *std::max_element(row.begin(), row.end()), total = 0;
    for (double &number : row)
      total += number = std::exp(number - largest);
    for (double &number : row)
      number /= total;
  };
  return alongRows(x, fromStart(dim, x.logical_shape().rank()), rewrite);
}

static Tensor norm(const Tensor &x, float epsilon, MaybeConstTensor weight,
                   MaybeConstTensor bias, bool centred) {
  expectTiles("norm", {&x});
  for (MaybeConstTensor one : {weight, bias})
    expect(!one || (one->layout() == Layout::TILE &&
                    one->padded_shape()[-2] == 32 &&
                    one->logical_shape()[-1] == x.logical_shape()[-1]),
           "norm: weights are one row of tiles, as wide as the operand");
  return alongRows(x, static_cast<int64_t>(x.logical_shape().rank()) - 1,
                   [&](Numbers &row, size_t device) {
                     double mean = 0, square = 0;
                     for (double number : row)
                       mean += centred ? number / row.size() : 0;
                     for (double number : row)
                       square += (number - mean) * (number - mean) / row.size();
                     for (size_t i = 0; i < row.size(); ++i)
                       row[i] = (row[i] - mean) / std::sqrt(square + epsilon) *
                                    (weight ? at(*weight, device)[i] : 1) +
                                (bias ? at(*bias, device)[i] : 0);
                   });
}

Tensor rms_norm(const Tensor &x, float epsilon, MaybeConstTensor weight,
                MaybeConstTensor bias, MaybeConstTensor, Memory,
                const std::optional<const prim::LayerNormProgramConfig> &,
                std::optional<const Config>) {
  return norm(x, epsilon, weight, bias, false);
}

Tensor layer_norm(const Tensor &x, float epsilon, MaybeConstTensor weight,
                  MaybeConstTensor bias, MaybeConstTensor, Memory,
                  const std::optional<const prim::LayerNormProgramConfig> &,
                  std::optional<const Config>, MaybeConstTensor) {
  return norm(x, epsilon, weight, bias, true);
}

} // namespace ttnn
