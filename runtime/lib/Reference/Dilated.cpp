// SPDX-License-Identifier: Apache-2.0
//
// Dilated attention by asking of every pair of rows whether they belong
// together. Merging by softmax denominators is the softmax over all the keys of
// all pairs at once, each as often as it occurs.

#include "Reference/Dilated.h"

#include "Reference/AttentionRow.h"
#include "Reference/Documents.h"

namespace ring::rt::reference {

namespace {

/// One pair of a segment length and a rate as one head uses it.
struct Pair {
  int64_t start, segment, rate, end; ///< rows [start, end) in segments
  int64_t most;                      ///< rows that are kept of a segment
  bool joined;                       ///< all segments are one
  std::vector<int64_t> residues;

  /// The residue and segment of a row, or -1 if the pair does not cover it.
  int64_t setOf(int64_t row) const {
    if (row < start || row >= end)
      return -1;
    int64_t within = (row - start) % segment;
    for (int64_t residue : residues)
      if (within >= residue && (within - residue) % rate == 0 &&
          (within - residue) / rate < most)
        return (joined ? 0 : (row - start) / segment * rate) + residue;
    return -1;
  }
};

/// Of the attention whose query and key are operands `first` and the next.
std::vector<Pair> pairsOf(const Call &call, size_t first, int64_t head) {
  int64_t length = call.inputShape(first + 1)[2];
  int64_t heads = call.inputShape(first)[1];
  std::vector<int64_t> segments = call.types.ints("segments");
  std::vector<int64_t> rates = call.types.ints("rates");
  int64_t groups = static_cast<int64_t>(segments.size());
  std::vector<Pair> pairs;
  int64_t concatenated = 0;
  for (int64_t i = 0; i < groups; ++i) {
    // With a mix by heads, head h belongs to the group that holds it when the
    // larger groups come first; counted from the end, when they come last.
    int64_t large = heads % groups, size = heads / groups;
    bool last = call.types.intOr("extra", 0) == 1;
    int64_t place = last ? heads - 1 - head : head;
    int64_t group = place < large * (size + 1)
                        ? place / (size + 1)
                        : large + (place - large * (size + 1)) / size;
    group = last ? groups - 1 - group : group;
    int64_t start = concatenated;
    concatenated += segments[i];
    if (call.types.intOr("mix", 0) == 0 && group != i)
      continue;
    if (segments[i] > length && call.types.intOr("shorter", 0) == 1)
      continue;
    Pair pair;
    pair.segment = std::min(segments[i], length);
    pair.rate = rates[i];
    int64_t segmentation = call.types.intOr("segmentation", 0);
    pair.most = pair.segment;
    pair.joined = segmentation == 2;
    if (pair.joined)
      pair.segment = length / call.types.intOr("chunks", 1);
    pair.start = segmentation == 1 ? start : 0;
    pair.end = segmentation == 1 ? pair.start + pair.segment : length;
    switch (call.types.intOr("phase", 0)) {
    case 0:
      pair.residues = {i % rates[i]};
      break;
    case 1:
      pair.residues = {head % rates[i]};
      break;
    case 2:
      pair.residues = {head / ((heads + rates[i] - 1) / rates[i])};
      break;
    case 4:
      pair.residues = {0};
      break;
    default:
      pair.residues = countUp(std::min(rates[i], length));
    }
    pairs.push_back(pair);
  }
  return pairs;
}

/// What the sum of a row's softmaxes is divided by.
double divisorOf(const OpTypes &types) {
  bool averages = types.intOr("mix", 0) == 2;
  bool divides = averages || types.intOr("norm", 0) == 0;
  return divides ? static_cast<double>(types.ints("segments").size()) : 1;
}

/// The operands and results of the gradients for one query row.
struct GradientRow {
  Call &call;
  int64_t batch, head, row, keyHead;
  double divisor;

  /// Differentiates one softmax over `keys`, in which a key may be several
  /// times. Nothing is taken from the output and the log-sum-exp that are
  /// given: they are what this computes again.
  void add(const std::vector<int64_t> &keys) {
    const Shape &q = call.inputShape(3), &k = call.inputShape(4);
    const Shape &v = call.inputShape(5);
    const Shape out = {q[0], q[1], q[2], v[3]};
    const double *query = rowOf(call.input(3), q, batch, head, row);
    const double *outGrad = rowOf(call.input(0), out, batch, head, row);
    double scale = scaleOf(call.types, q[3]), peak = kNothing, sum = 0;
    std::vector<double> weights(keys.size()), weightGrads(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      const double *key = rowOf(call.input(4), k, batch, keyHead, keys[i]);
      const double *value = rowOf(call.input(5), v, batch, keyHead, keys[i]);
      for (int64_t d = 0; d < q[3]; ++d)
        weights[i] += scale * query[d] * key[d];
      for (int64_t d = 0; d < v[3]; ++d)
        weightGrads[i] += outGrad[d] / divisor * value[d];
      peak = larger(peak, weights[i]);
    }
    for (double &weight : weights)
      sum += weight = std::exp(weight - peak);
    double mean = 0;
    for (size_t i = 0; i < keys.size(); ++i)
      mean += (weights[i] /= sum) * weightGrads[i];
    double *queryGrad = call.outputs[0].data() + (query - call.input(3).data());
    for (size_t i = 0; i < keys.size(); ++i) {
      const double *key = rowOf(call.input(4), k, batch, keyHead, keys[i]);
      const double *value = rowOf(call.input(5), v, batch, keyHead, keys[i]);
      double *keyGrad = call.outputs[1].data() + (key - call.input(4).data());
      double *valueGrad =
          call.outputs[2].data() + (value - call.input(5).data());
      double scoreGrad = scale * weights[i] * (weightGrads[i] - mean);
      for (int64_t d = 0; d < q[3]; ++d) {
        queryGrad[d] += scoreGrad * key[d];
        keyGrad[d] += scoreGrad * query[d];
      }
      for (int64_t d = 0; d < v[3]; ++d)
        valueGrad[d] += weights[i] * outGrad[d] / divisor;
    }
  }
};

} // namespace

Status dilated(Call &call) {
  const Shape &q = call.inputShape(0), &k = call.inputShape(1);
  const Shape &v = call.inputShape(2);
  bool causal = call.types.flag("causal");
  int64_t limit = std::min(call.types.intOr("length", k[2]), k[2]);
  bool averages = call.types.intOr("mix", 0) == 2;
  double divisor = divisorOf(call.types);
  forEachIndex({q[0], q[1], q[2]}, [&](const Shape &at, int64_t flat) {
    int64_t b = at[0], h = at[1], i = at[2], kv = h / (q[1] / k[1]);
    auto makeRow = [&] {
      return AttentionRow(rowOf(call.input(0), q, b, h, i), q[3], v[3],
                          scaleOf(call.types, q[3]));
    };
    AttentionRow all = makeRow();
    std::vector<double> sum(v[3], 0), part(v[3]);
    for (const Pair &pair : pairsOf(call, 0, h)) {
      int64_t set = pair.setOf(i);
      AttentionRow one = makeRow();
      for (int64_t j = 0; set >= 0 && j < limit; ++j) {
        if (pair.setOf(j) != set || (causal && j > i))
          continue;
        const double *key = rowOf(call.input(1), k, b, kv, j);
        const double *value = rowOf(call.input(2), v, b, kv, j);
        all.add(key, value, 0);
        one.add(key, value, 0);
      }
      one.finish(part.data());
      for (int64_t d = 0; d < v[3]; ++d)
        sum[d] += part[d];
    }
    double lse = all.finish(part.data());
    for (int64_t d = 0; d < v[3]; ++d)
      call.outputs[0][flat * v[3] + d] =
          (averages ? sum[d] : part[d]) / divisor;
    if (call.hasOutput(2))
      call.outputs[2][flat] = lse;
  });
  return Status::success();
}

Status rowSetGradients(Call &call) {
  const Shape &q = call.inputShape(3), &k = call.inputShape(4);
  bool causal = call.types.flag("causal");
  bool merges = call.types.intOr("mix", 0) == 1;
  std::optional<DocumentSight> documents;
  if (call.types.has("ends"))
    documents.emplace(call.types, k[2]);
  int64_t limit = std::min(call.types.intOr("length", k[2]), k[2]);
  for (Numbers &gradient : call.outputs)
    gradient.assign(gradient.size(), 0);
  forEachIndex({q[0], q[1], q[2]}, [&](const Shape &at, int64_t) {
    GradientRow row{call,
                    at[0],
                    at[1],
                    at[2],
                    at[1] / (q[1] / k[1]),
                    documents ? 1 : divisorOf(call.types)};
    std::vector<int64_t> keys;
    if (documents) {
      for (int64_t j = 0; j < limit; ++j)
        if (documents->sees(at[2], j))
          keys.push_back(j);
      row.add(keys);
      return;
    }
    for (const Pair &pair : pairsOf(call, 3, at[1])) {
      int64_t set = pair.setOf(at[2]);
      for (int64_t j = 0; set >= 0 && j < limit; ++j)
        if (pair.setOf(j) == set && (!causal || j <= at[2]))
          keys.push_back(j);
      if (merges)
        continue;
      row.add(keys);
      keys.clear();
    }
    row.add(keys);
  });
  return Status::success();
}

} // namespace ring::rt::reference
