// SPDX-License-Identifier: Apache-2.0
//
// Attention of one query row, straight from the definition: all scores, their
// maximum, their exponentials, the weighted mean.

#ifndef RING_RUNTIME_REFERENCE_ATTENTIONROW_H
#define RING_RUNTIME_REFERENCE_ATTENTIONROW_H

#include "Reference/Places.h"

#include <cmath>
#include <limits>

namespace ring::rt::reference {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

/// The keys and values that one query row attends to, gathered one by one.
class AttentionRow {
public:
  AttentionRow(const double *query, int64_t keyDim, int64_t valueDim,
               double scale)
      : query(query), keyDim(keyDim), valueDim(valueDim), scale(scale) {}

  /// Adds a key; `term` is added to its score and -inf hides it.
  void add(const double *key, const double *value, double term) {
    if (term == kNothing)
      return;
    // Four sums side by side: the order that compilers may vectorise.
    double sums[4] = {0, 0, 0, 0};
    int64_t d = 0;
    for (; d + 4 <= keyDim; d += 4)
      for (int64_t lane = 0; lane < 4; ++lane)
        sums[lane] += query[d + lane] * key[d + lane];
    for (; d < keyDim; ++d)
      sums[0] += query[d] * key[d];
    double score = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    scores.push_back(score * scale + term);
    values.push_back(value);
  }

  /// Adds a logit that has no value.
  void addSink(double logit) {
    scores.push_back(logit);
    values.push_back(nullptr);
  }

  /// Writes the normalised output and gives the log-sum-exp.
  double finish(double *out) const {
    double peak = kNothing, sum = 0;
    for (double score : scores)
      peak = larger(peak, score);
    for (int64_t d = 0; d < valueDim; ++d)
      out[d] = 0;
    if (peak == kNothing)
      return kNothing;
    for (double score : scores)
      sum += std::exp(score - peak);
    for (size_t j = 0; j < scores.size(); ++j) {
      if (!values[j])
        continue;
      double weight = std::exp(scores[j] - peak) / sum;
      for (int64_t d = 0; d < valueDim; ++d)
        out[d] += weight * values[j][d];
    }
    return peak + std::log(sum);
  }

private:
  const double *query;
  int64_t keyDim, valueDim;
  double scale;
  std::vector<double> scores;
  std::vector<const double *> values;
};

/// `scale`, or 1 / sqrt(dim).
inline double scaleOf(const OpTypes &types, int64_t dim) {
  return types.floatOr("scale", 1 / std::sqrt(static_cast<double>(dim)));
}

/// Row (b, h, s) of a `[B, H, S, D]` tensor.
inline const double *rowOf(const Numbers &tensor, const Shape &shape, int64_t b,
                           int64_t h, int64_t s) {
  return tensor.data() + ((b * shape[1] + h) * shape[2] + s) * shape[3];
}

/// Whether two rows are in one document, of those that end at `ends`.
inline bool areInOneDocument(const Numbers &ends, int64_t i, int64_t j) {
  bool inside = false;
  for (double end : ends) {
    if ((static_cast<double>(i) < end) != (static_cast<double>(j) < end))
      return false;
    inside |= static_cast<double>(i) < end;
  }
  return inside;
}

/// The term of an additive mask that broadcasts, or 0 if there is none.
inline double maskTerm(const Call &call, size_t mask, int64_t b, int64_t h,
                       int64_t i, int64_t j) {
  if (!call.hasInput(mask))
    return 0;
  return call.input(mask)[broadcastPlace(call.inputShape(mask), {b, h, i, j})];
}

} // namespace ring::rt::reference

#endif // RING_RUNTIME_REFERENCE_ATTENTIONROW_H
