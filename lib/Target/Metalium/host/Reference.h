// SPDX-License-Identifier: Apache-2.0
// What a launch should give, in double precision, from the shards themselves:
// it knows which rows a rank sees, and nothing of kernels or transfers.

#ifndef RING_METALIUM_REFERENCE_H
#define RING_METALIUM_REFERENCE_H

#include "Tables.h"
#include "Tensors.h"

#include <cmath>

namespace ring {

/// One row of the output, and its log-sum-exp.
struct ReferenceRow {
  std::vector<double> output;
  double logSum;
};

class Reference {
public:
  Reference(const LaunchTable &table, const std::vector<Shards> &inputs)
      : table(table), inputs(inputs) {}

  ReferenceRow row(size_t device, uint32_t head, uint32_t row) const {
    const Device &own = table.devices[device];
    const Rank &rank = table.ranks[own.rank];
    const int64_t position = positionOf(rank, row);
    const Array &queries = inputs[table.queries.input][device];
    const uint32_t heads = queries.shape[1], dim = queries.shape[3];
    const double *query =
        &queries.numbers[(size_t{head} * queries.shape[2] + row) * dim];
    const size_t keyHead = head / (heads / table.keyHeads);
    std::vector<double> output(table.valueDim);
    double most = -INFINITY, sum = 0;
    if (!table.sinks.empty()) {
      most = inputs[table.sinks[0].input][device].numbers[head % heads];
      sum = 1;
    }
    for (const Seen &seen : rank.seen) {
      const Store &store = table.stores[seen.store];
      const Array &keys = inputs[store.keys.input][own.ring[seen.rank]];
      const Array &values = inputs[store.values.input][own.ring[seen.rank]];
      for (uint32_t i = 0; i < seen.keys; ++i) {
        const int64_t at = seen.position + i * seen.stride;
        if (at < position - table.before || at > position + table.after)
          continue;
        const size_t key = keyHead * keys.shape[2] + seen.row * 32 + i;
        double score = 0;
        for (uint32_t d = 0; d < dim; ++d)
          score += query[d] * keys.numbers[key * dim + d];
        score = score * table.scale + maskAt(device, head, heads, row, seen, i);
        if (score == -INFINITY)
          continue;
        const double next = std::max(most, score);
        const double old = std::exp(most - next),
                     weight = std::exp(score - next);
        for (uint32_t d = 0; d < table.valueDim; ++d)
          output[d] = output[d] * old +
                      weight * values.numbers[key * table.valueDim + d];
        sum = sum * old + weight;
        most = next;
      }
    }
    for (double &number : output)
      number = sum > 0 ? number / sum : 0;
    return {output, sum > 0 ? most + std::log(sum) : -INFINITY};
  }

private:
  static int64_t positionOf(const Rank &rank, uint32_t row) {
    const Queries *queries = &rank.queries.front();
    for (const Queries &one : rank.queries)
      if (one.row <= row / 32)
        queries = &one;
    return queries->position +
           (int64_t{row} - int64_t{queries->row} * 32) * queries->stride;
  }

  /// What is added for a key: in one row for all queries, or in each one's.
  double maskAt(size_t device, uint32_t head, uint32_t heads, uint32_t row,
                const Seen &seen, uint32_t key) const {
    if (table.masks.empty())
      return 0;
    const Array &mask = inputs[table.masks[0].tensor.input][device];
    const uint32_t batch = mask.shape[0] > 1 ? head / heads : 0;
    const uint32_t own = mask.shape[1] > 1 ? head % heads : 0;
    size_t number = size_t{batch} * mask.shape[1] + own;
    number = number * mask.shape[2] + (mask.shape[2] > 1 ? row : 0);
    return mask.numbers[number * mask.shape[3] + seen.maskColumn + key];
  }

  const LaunchTable &table;
  const std::vector<Shards> &inputs;
};

} // namespace ring

#endif // RING_METALIUM_REFERENCE_H
