// SPDX-License-Identifier: Apache-2.0
//
// tt-train's attention and its gradients.

#include "AttentionRow.h"
#include "metal/ops/sdpa_bw/sdpa_bw.hpp"
#include "metal/ops/sdpa_fw/sdpa_fw.hpp"

#include <numeric>

using namespace standin;

namespace ttml::metal {

namespace {

constexpr double kHidden = -1e9; ///< what a hidden key's score becomes less by

struct Problem {
  const Tensor &q, &k, &v;
  AttentionMaskType type;
  const std::optional<Tensor> &mask;

  double added(size_t device, int64_t query, int64_t key) const {
    if (type == AttentionMaskType::Causal)
      return key <= query ? 0 : kHidden;
    return (1 - View(*mask, device).one(0, 0, query, key)) * kHidden;
  }
};

void validate(const char *op, const Problem &problem) {
  const auto &[q, k, v, type, mask] = problem;
  expectAttention(op, {&q, &k, &v});
  expect(type != AttentionMaskType::None, op,
         ": waits forever for a mask that nobody makes");
  expect((type == AttentionMaskType::Arbitrary) == mask.has_value(), op,
         ": a mask is there if and only if its type says so");
  for (const Tensor *one : {&q, &k, &v})
    expect(one->dtype() == DataType::BFLOAT16, op, ": operands are BFLOAT16");
  Sizes sizes = sizesOf(q);
  expect(sizesOf(k)[2] == sizes[2] && sizesOf(v)[2] == sizes[2], op,
         ": there are as many queries as keys");
  expect(!mask || (mask->dtype() == DataType::BFLOAT16 &&
                   sizesOf(*mask) == Sizes{1, 1, sizes[2], sizes[2]}),
         op, ": a mask is BFLOAT16, one for all heads");
}

Exactness exactness() {
  Kernel kernel;
  kernel.math_fidelity = tt::tt_metal::MathFidelity::HiFi4;
  kernel.math_approx_mode = false;
  Program program{};
  program.exp_approx_mode = false;
  return {kernel, program};
}

} // namespace

std::vector<std::optional<Tensor>>
sdpa_fw(const Tensor &q, const Tensor &k, const Tensor &v,
        AttentionMaskType type, const std::optional<Tensor> &mask,
        const float dropout, const bool intermediates) {
  Problem problem{q, k, v, type, mask};
  validate("sdpa_fw", problem);
  expect(dropout == 0, "sdpa_fw: there is no dropout");
  Exactness exact = exactness();
  Sizes sizes = sizesOf(q), out = sizes, kept = sizes;
  out[3] = sizesOf(v)[3];
  kept[3] = 32;
  int64_t group = sizes[1] / sizesOf(k)[1];
  double scale = scaleOr({}, q);
  auto rows = [&](size_t d, const std::function<void(const Row &)> &visit) {
    View queries(q, d), keys(k, d), values(v, d);
    forEach({sizes[0], sizes[1], sizes[2]}, [&](const Sizes &i) {
      Row row(exact, queries.row(i[0], i[1], i[2]), sizes[3], scale);
      for (int64_t j = 0; j < sizes[2]; ++j)
        row.meet(keys.row(i[0], i[1] / group, j),
                 values.row(i[0], i[1] / group, j), problem.added(d, i[2], j));
      visit(row);
    });
  };
  std::vector<std::optional<Tensor>> results(2);
  results[0] =
      eachDevice(q, out, DataType::BFLOAT16, Layout::TILE, [&](size_t d) {
        Numbers numbers;
        rows(d, [&](const Row &row) { row.finish(out[3], numbers); });
        return numbers;
      });
  if (intermediates)
    results[1] =
        eachDevice(q, kept, DataType::FLOAT32, Layout::TILE, [&](size_t d) {
          Numbers numbers;
          rows(d, [&](const Row &row) {
            numbers.push_back(row.lse());
            numbers.resize(numbers.size() + 31, 0.0);
          });
          return numbers;
        });
  return results;
}

std::tuple<Tensor, Tensor, Tensor>
sdpa_bw(const Tensor &gradient, const Tensor &output, const Tensor &q,
        const Tensor &k, const Tensor &v, const Tensor &intermediates,
        AttentionMaskType type, const std::optional<Tensor> &mask,
        const float dropout) {
  Problem problem{q, k, v, type, mask};
  validate("sdpa_bw", problem);
  expect(dropout == 0, "sdpa_bw: there is no dropout");
  expect(intermediates.dtype() == DataType::FLOAT32, "sdpa_bw: sums are f32");
  Sizes sizes = sizesOf(q), keys = sizesOf(k), values = sizesOf(v);
  int64_t group = sizes[1] / keys[1];
  double scale = scaleOr({}, q);
  std::vector<Numbers> shards[3];
  for (size_t d = 0; d < meshOf(q).num_devices(); ++d) {
    View queries(q, d), keyRows(k, d), valueRows(v, d), outputs(output, d);
    View gradients(gradient, d), sums(intermediates, d);
    Numbers dq(at(q, d).size()), dk(at(k, d).size()), dv(at(v, d).size());
    forEach({sizes[0], sizes[1], sizes[2], sizes[2]}, [&](const Sizes &i) {
      auto dot = [](const double *a, const double *b, int64_t dim) {
        return std::inner_product(a, a + dim, b, 0.0);
      };
      const double *query = queries.row(i[0], i[1], i[2]);
      const double *key = keyRows.row(i[0], i[1] / group, i[3]);
      const double *value = valueRows.row(i[0], i[1] / group, i[3]);
      const double *grad = gradients.row(i[0], i[1], i[2]);
      double weight =
          std::exp(dot(query, key, sizes[3]) * scale +
                   problem.added(d, i[2], i[3]) - *sums.row(i[0], i[1], i[2]));
      double slope = weight * scale *
                     (dot(grad, value, values[3]) -
                      dot(grad, outputs.row(i[0], i[1], i[2]), values[3]));
      int64_t own = place({i[0], i[1], i[2], 0}, sizes);
      int64_t other = place({i[0], i[1] / group, i[3], 0}, keys);
      int64_t third = place({i[0], i[1] / group, i[3], 0}, values);
      for (int64_t c = 0; c < sizes[3]; ++c) {
        dq[own + c] += slope * key[c];
        dk[other + c] += slope * query[c];
      }
      for (int64_t c = 0; c < values[3]; ++c)
        dv[third + c] += weight * grad[c];
    });
    shards[0].push_back(dq);
    shards[1].push_back(dk);
    shards[2].push_back(dv);
  }
  return {made(q, sizes, DataType::BFLOAT16, Layout::TILE, shards[0]),
          made(q, keys, DataType::BFLOAT16, Layout::TILE, shards[1]),
          made(q, values, DataType::BFLOAT16, Layout::TILE, shards[2])};
}

} // namespace ttml::metal
