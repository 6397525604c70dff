// SPDX-License-Identifier: Apache-2.0
//
// Attention row by row, from its definition, and what all attention kernels
// ask of their operands.

#pragma once

#include "TensorState.h"
#include "ttnn/operations/transformer/sdpa_config.hpp"

#include <cmath>

namespace standin {

using Program = ttnn::operations::transformer::SDPAProgramConfig;
using Kernel = ttnn::DeviceComputeKernelConfig;

/// How a kernel computes, once defaults are filled in: those of tt-metal take
/// exponentials approximately.
struct Exactness {
  Kernel kernel;
  bool approximate = true;

  Exactness(const std::optional<Kernel> &given,
            const std::optional<Program> &program) {
    kernel.math_fidelity = tt::tt_metal::MathFidelity::HiFi2;
    kernel = given.value_or(kernel);
    if (program && program->exp_approx_mode)
      approximate = *program->exp_approx_mode;
    approximate |= kernel.math_approx_mode;
  }

  double exponential(double x) const {
    return std::exp(approximate ? std::round(x * 8) / 8 : x);
  }
};

/// Four dimensions of a tensor on a device, by index.
class View {
public:
  View(const Tensor &tensor, size_t device)
      : sizes(sizesOf(tensor)), numbers(at(tensor, device)) {}
  const double *row(int64_t a, int64_t b, int64_t c) const {
    return numbers.data() + ((a * sizes[1] + b) * sizes[2] + c) * sizes[3];
  }
  /// With dimensions of 1 repeated.
  double one(int64_t a, int64_t b, int64_t c, int64_t d) const {
    return numbers[place({a, b, c, d}, sizes)];
  }
  const Sizes sizes;

private:
  const Numbers &numbers;
};

/// One query that meets keys one after the other.
class Row {
public:
  Row(const Exactness &exact, const double *query, int64_t dim, double scale)
      : exact(exact), query(query), dim(dim), scale(scale) {}

  void meet(const double *key, const double *value, double added = 0) {
    double score = 0;
    for (int64_t i = 0; i < dim; ++i)
      score += seen(query[i], exact.kernel) * seen(key[i], exact.kernel);
    scores.push_back(score * scale + added);
    values.push_back(value);
  }
  /// A logit without a value.
  void sink(double logit) {
    scores.push_back(logit);
    values.push_back(nullptr);
  }
  double lse() const {
    double largest = *std::max_element(scores.begin(), scores.end());
    double total = 0;
    for (double score : scores)
      total += std::exp(score - largest);
    return largest + std::log(total);
  }
  /// Appends the output to numbers.
  void finish(int64_t valueDim, Numbers &numbers) const {
    double largest = *std::max_element(scores.begin(), scores.end());
    double total = 0;
    Numbers sums(static_cast<size_t>(valueDim), 0.0);
    for (size_t j = 0; j < scores.size(); ++j) {
      double weight = exact.exponential(scores[j] - largest);
      total += weight;
      for (int64_t i = 0; values[j] && i < valueDim; ++i)
        sums[i] += weight * values[j][i];
    }
    for (double sum : sums)
      numbers.push_back(sum / total);
  }

private:
  const Exactness &exact;
  const double *query;
  const int64_t dim;
  const double scale;
  Numbers scores;
  std::vector<const double *> values;
};

inline double scaleOr(std::optional<float> scale, const Tensor &query) {
  return scale ? *scale : 1 / std::sqrt(double(sizesOf(query)[3]));
}

/// What every attention kernel asks for.
inline void expectAttention(const char *op,
                            std::initializer_list<const Tensor *> tensors) {
  expectTiles(op, tensors);
  for (const Tensor *tensor : tensors) {
    expect(tensor->dtype() == DataType::BFLOAT16 ||
               tensor->dtype() == DataType::BFLOAT8_B ||
               tensor->dtype() == DataType::BFLOAT4_B,
           op, ": operands are BFLOAT16, BFLOAT8_B or BFLOAT4_B");
    expect(tensor->memory_config().is_dram(), op, ": operands are in DRAM");
    expect(sizesOf(*tensor).size() == 4 && sizesOf(*tensor)[3] % 32 == 0, op,
           ": heads are whole tiles");
  }
}

inline void expectChunks(const char *op, const Program &program) {
  expect(program.q_chunk_size % 32 == 0 && program.k_chunk_size % 32 == 0, op,
         ": chunks are whole tiles");
}

inline void expectSink(const char *op, const Tensor &sink, int64_t heads) {
  expectTiles(op, {&sink});
  expect(sink.dtype() == DataType::BFLOAT16, op, ": a sink is BFLOAT16");
  expect(sizesOf(sink) == Sizes{1, heads, 1, 1}, op,
         ": a sink has one number for each head");
}

} // namespace standin
