// SPDX-License-Identifier: Apache-2.0
//
// What single things cost, from the times of runs that each have many of them:
// the weights with which sums of counts come nearest to the times.

#ifndef RING_BENCH_MACHINE_LEASTSQUARES_H
#define RING_BENCH_MACHINE_LEASTSQUARES_H

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace ring::bench {

/// Collects `counts . weights = time` and solves for the weights. Errors count
/// by their share of the time, so that short runs have a say. Worked example:
/// 2 a + b = 5 and a + b = 3 give a = 2 and b = 1; with three equations that
/// contradict each other, the weights that do least wrong to all.
class LeastSquares {
public:
  explicit LeastSquares(size_t unknowns)
      : size(unknowns), matrix(unknowns * unknowns), right(unknowns) {}

  void add(const std::vector<double> &counts, double time) {
    equations.emplace_back(counts, time);
    for (size_t i = 0; i < size; ++i) {
      right[i] += counts[i] / time;
      for (size_t j = 0; j < size; ++j)
        matrix[i * size + j] += counts[i] * counts[j] / (time * time);
    }
  }

  /// The weights. Things cost something: one that came out below 0 is taken
  /// out, and the others are solved for without it.
  std::vector<double> solve() const {
    std::vector<bool> out(size, false);
    while (true) {
      std::vector<double> weights = solveWithout(out);
      size_t worst = size;
      for (size_t i = 0; i < size; ++i)
        if (weights[i] < 0 && (worst == size || weights[i] < weights[worst]))
          worst = i;
      if (worst == size)
        return weights;
      out[worst] = true;
    }
  }

  /// How far sums and times are apart, on average, as a share of the times.
  double error(const std::vector<double> &weights) const {
    double sum = 0;
    for (const auto &[counts, time] : equations) {
      double predicted = 0;
      for (size_t i = 0; i < size; ++i)
        predicted += counts[i] * weights[i];
      sum += std::abs(predicted / time - 1);
    }
    return equations.empty() ? 0 : sum / static_cast<double>(equations.size());
  }

private:
  /// Gauss, with the largest pivot first. Counts differ by many orders of
  /// magnitude, so rows and columns are scaled by their diagonal.
  std::vector<double> solveWithout(const std::vector<bool> &out) const {
    std::vector<double> scale(size), a(size * size), b(size);
    for (size_t i = 0; i < size; ++i)
      scale[i] = out[i] || matrix[i * size + i] <= 0
                     ? 0
                     : 1 / std::sqrt(matrix[i * size + i]);
    for (size_t i = 0; i < size; ++i) {
      b[i] = right[i] * scale[i];
      for (size_t j = 0; j < size; ++j)
        a[i * size + j] = matrix[i * size + j] * scale[i] * scale[j];
      if (scale[i] == 0)
        a[i * size + i] = 1;
    }
    for (size_t column = 0; column < size; ++column) {
      size_t pivot = column;
      for (size_t row = column + 1; row < size; ++row)
        if (std::abs(a[row * size + column]) >
            std::abs(a[pivot * size + column]))
          pivot = row;
      for (size_t j = 0; j < size; ++j)
        std::swap(a[column * size + j], a[pivot * size + j]);
      std::swap(b[column], b[pivot]);
      for (size_t row = 0; row < size; ++row) {
        if (row == column || a[column * size + column] == 0)
          continue;
        double factor = a[row * size + column] / a[column * size + column];
        for (size_t j = column; j < size; ++j)
          a[row * size + j] -= factor * a[column * size + j];
        b[row] -= factor * b[column];
      }
    }
    for (size_t i = 0; i < size; ++i)
      b[i] = a[i * size + i] == 0 ? 0 : b[i] / a[i * size + i] * scale[i];
    return b;
  }

  size_t size;
  std::vector<double> matrix, right;
  std::vector<std::pair<std::vector<double>, double>> equations;
};

} // namespace ring::bench

#endif // RING_BENCH_MACHINE_LEASTSQUARES_H
