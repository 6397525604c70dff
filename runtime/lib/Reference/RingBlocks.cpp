// SPDX-License-Identifier: Apache-2.0
//
// The ring dialect's blocks: parts, states, merging, gradients.

#include "Reference/AttentionRow.h"
#include "Reference/Dilated.h"

namespace ring::rt::reference {

namespace {

/// Who sees whom in the block of operands `first` to `first + 2`. Operand
/// `late` places queries, the next one keys, where they are there; rows before
/// position 0 take no part then.
struct BlockSight {
  const Call &call;
  BlockRows rows;
  Sight sight;
  int64_t limit;
  size_t late;

  BlockSight(const Call &call, size_t first, size_t late)
      : call(call), rows(blockRows(call, first, first + 1)),
        sight(Sight::of(call)),
        limit(call.types.intOr("length", std::numeric_limits<int64_t>::max())),
        late(late) {}

  int64_t place(size_t side, int64_t b, int64_t row) const {
    if (!call.hasInput(late + side))
      return side ? rows.keys[row] : rows.queries[row];
    return static_cast<int64_t>(call.input(
        late + side)[broadcastPlace(call.inputShape(late + side), {b, row})]);
  }

  bool sees(int64_t b, int64_t i, int64_t j) const {
    int64_t query = place(0, b, i), key = place(1, b, j);
    if ((call.hasInput(late) && query < 0) ||
        (call.hasInput(late + 1) && key < 0))
      return false;
    return key < limit && sight.sees(query, key);
  }
};

/// Calls `visit(b, h, i, flat row)` for every query row of a shape.
template <typename Visit>
void forEachRow(const Shape &shape, Visit visit) {
  int64_t flat = 0;
  for (int64_t b = 0; b < shape[0]; ++b)
    for (int64_t h = 0; h < shape[1]; ++h)
      for (int64_t i = 0; i < shape[2]; ++i)
        visit(b, h, i, flat++);
}

/// The attention of one block: output and log-sum-exp.
void attendBlock(const Call &call, size_t mask, Numbers &out, Numbers &lse) {
  const Shape &q = call.inputShape(0), &k = call.inputShape(1);
  const Shape &v = call.inputShape(2);
  BlockSight sight(call, 0, mask + 1);
  double scale = scaleOf(call.types, q[3]);
  forEachRow(q, [&](int64_t b, int64_t h, int64_t i, int64_t flat) {
    int64_t kv = h / (q[1] / k[1]);
    AttentionRow row(rowOf(call.input(0), q, b, h, i), q[3], v[3], scale);
    for (int64_t j = 0; j < k[2]; ++j)
      if (sight.sees(b, i, j))
        row.add(rowOf(call.input(1), k, b, kv, j),
                rowOf(call.input(2), v, b, kv, j),
                maskTerm(call, mask, b, h, i, j));
    lse[flat] = row.finish(out.data() + flat * v[3]);
  });
}

Status partial(Call &call) {
  attendBlock(call, 3, call.outputs[0], call.outputs[1]);
  return Status::success();
}

/// Joins (out, lse) pairs of `rows` rows into the first.
void join(Numbers &out, Numbers &lse, const Numbers &otherOut,
          const Numbers &otherLse) {
  int64_t dim = static_cast<int64_t>(out.size() / lse.size());
  for (size_t row = 0; row < lse.size(); ++row) {
    double base = larger(lse[row], otherLse[row]);
    if (base == kNothing)
      continue;
    double a = std::exp(lse[row] - base), b = std::exp(otherLse[row] - base);
    for (int64_t d = 0; d < dim; ++d) {
      double &number = out[row * dim + d];
      number = (number * a + otherOut[row * dim + d] * b) / (a + b);
    }
    lse[row] = base + std::log(a + b);
  }
}

Status merge(Call &call) {
  call.outputs[0] = call.input(0);
  call.outputs[1] = call.input(1);
  join(call.outputs[0], call.outputs[1], call.input(2), call.input(3));
  return Status::success();
}

double sinkOf(const Call &call, int64_t head) {
  return call.hasInput(0) ? call.input(0)[head] : kNothing;
}

Status empty(Call &call) {
  call.outputs[0].assign(call.outputs[0].size(), 0);
  forEachRow(call.outputShape(0),
             [&](int64_t, int64_t h, int64_t, int64_t flat) {
               call.outputs[1][flat] = sinkOf(call, h);
             });
  return Status::success();
}

// A state is kept here as its normalised output and its log-sum-exp in place of
// the maximum, with the sum 1: another form of the same thing.

Status init(Call &call) {
  const Shape &shape = call.outputShape(0);
  int64_t rows = shape[0] * shape[1] * shape[2];
  Numbers &state = call.outputs[0];
  state.assign(state.size(), 0);
  forEachRow(shape, [&](int64_t, int64_t h, int64_t, int64_t flat) {
    state[rows * shape[3] + flat] = sinkOf(call, h);
  });
  return Status::success();
}

void split(const Numbers &state, const Shape &shape, Numbers &out,
           Numbers &lse) {
  int64_t rows = shape[0] * shape[1] * shape[2];
  auto middle = state.begin() + rows * shape[3];
  out.assign(state.begin(), middle);
  lse.assign(middle, middle + rows);
}

Status accumulate(Call &call) {
  Numbers out, lse;
  split(call.input(3), call.inputShape(3), out, lse);
  Numbers blockOut(out.size()), blockLse(lse.size());
  attendBlock(call, 4, blockOut, blockLse);
  join(out, lse, blockOut, blockLse);
  std::copy(out.begin(), out.end(), call.outputs[0].begin());
  std::copy(lse.begin(), lse.end(), call.outputs[0].begin() + out.size());
  return Status::success();
}

Status finish(Call &call) {
  split(call.input(0), call.inputShape(0), call.outputs[0], call.outputs[1]);
  return Status::success();
}

Status select(Call &call) {
  int64_t rank = Ring::of(call).rankOf(call.device);
  call.outputs[0] = call.input(call.types.bools("choice")[rank] ? 0 : 1);
  return Status::success();
}

/// Gradients by the chain rule, with the weights from the final log-sum-exp:
/// P = exp(score - lse), dV = P^T dO, dP = dO V^T, dS = P (dP - sum(dO O)),
/// dQ = scale dS K, dK = scale dS^T Q.
struct GradientOperands {
  size_t outGrad, out, lse, query;
};

template <typename Sees>
Status gradients(Call &call, const GradientOperands &at, Sees term) {
  const Shape &q = call.inputShape(at.query),
              &k = call.inputShape(at.query + 1);
  const Shape &v = call.inputShape(at.query + 2);
  int64_t columns = call.inputShape(at.lse)[3];
  double scale = scaleOf(call.types, q[3]);
  for (Numbers &gradient : call.outputs)
    gradient.assign(gradient.size(), 0);
  const Shape out = {q[0], q[1], q[2], v[3]};
  forEachRow(q, [&](int64_t b, int64_t h, int64_t i, int64_t flat) {
    int64_t kv = h / (q[1] / k[1]);
    const double *query = rowOf(call.input(at.query), q, b, h, i);
    const double *outRow = rowOf(call.input(at.out), out, b, h, i);
    const double *outGrad = rowOf(call.input(at.outGrad), out, b, h, i);
    double lse = call.input(at.lse)[flat * columns];
    if (lse == kNothing)
      return;
    double delta = 0;
    for (int64_t d = 0; d < v[3]; ++d)
      delta += outRow[d] * outGrad[d];
    for (int64_t j = 0; j < k[2]; ++j) {
      double added = term(b, h, i, j);
      if (added == kNothing)
        continue;
      const double *key = rowOf(call.input(at.query + 1), k, b, kv, j);
      const double *value = rowOf(call.input(at.query + 2), v, b, kv, j);
      double score = 0, weightGrad = 0;
      for (int64_t d = 0; d < q[3]; ++d)
        score += query[d] * key[d];
      double weight = std::exp(score * scale + added - lse);
      double *valueGrad =
          call.outputs[2].data() + (value - call.input(at.query + 2).data());
      for (int64_t d = 0; d < v[3]; ++d) {
        weightGrad += outGrad[d] * value[d];
        valueGrad[d] += weight * outGrad[d];
      }
      double scoreGrad = weight * (weightGrad - delta) * scale;
      double *queryGrad =
          call.outputs[0].data() + (query - call.input(at.query).data());
      double *keyGrad =
          call.outputs[1].data() + (key - call.input(at.query + 1).data());
      for (int64_t d = 0; d < q[3]; ++d) {
        queryGrad[d] += scoreGrad * key[d];
        keyGrad[d] += scoreGrad * query[d];
      }
    }
  });
  return Status::success();
}

Status partialBackward(Call &call) {
  constexpr size_t kMask = 6, kLate = 7, kDocuments = 9;
  BlockSight sight(call, 3, kLate);
  return gradients(call, {0, 1, 2, 3},
                   [&](int64_t b, int64_t h, int64_t i, int64_t j) {
                     bool seen = sight.sees(b, i, j);
                     if (call.hasInput(kDocuments))
                       seen &= areInOneDocument(call.input(kDocuments), i, j);
                     return seen ? maskTerm(call, kMask, b, h, i, j) : kNothing;
                   });
}

Status wholeBackward(Call &call) {
  std::string type = call.types.text("mask_type");
  return gradients(call, {0, 1, 5, 2},
                   [&](int64_t b, int64_t h, int64_t i, int64_t j) {
                     bool hidden = type == "causal" && j > i;
                     if (type == "arbitrary")
                       hidden = maskTerm(call, 6, b, h, i, j) == 0;
                     return hidden ? kNothing : 0.0;
                   });
}

} // namespace

void addRingBlocks(Table &table) {
  table["ring.partial"] = partial;
  table["ring.merge"] = merge;
  table["ring.empty"] = empty;
  table["ring.init"] = init;
  table["ring.accumulate"] = accumulate;
  table["ring.finish"] = finish;
  table["ring.select"] = select;
  table["ring.partial_backward"] = partialBackward;
  table["ring.attention_backward"] = rowSetGradients;
  table["sdpa_bw"] = wholeBackward;
}

} // namespace ring::rt::reference
