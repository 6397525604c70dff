// SPDX-License-Identifier: Apache-2.0
//
// Whole attentions and attention over caches, row by row.

#include "Reference/AttentionRow.h"
#include "Reference/Dilated.h"
#include "Reference/Documents.h"

namespace ring::rt::reference {

namespace {

/// Rows of keys and values that a batch entry and head read.
struct Cache {
  const Call &call;
  size_t key;
  size_t table; ///< operand of the page table, if `paged`
  bool paged;

  int64_t count() const {
    const Shape &shape = call.inputShape(key);
    return paged ? shape[2] * call.inputShape(table)[1] : shape[2];
  }
  /// Row j of keys (`which` 0) or values (1).
  const double *row(size_t which, int64_t b, int64_t head, int64_t j) const {
    const Shape &shape = call.inputShape(key + which);
    const Numbers &numbers = call.input(key + which);
    if (!paged)
      return rowOf(numbers, shape, b, head, j);
    int64_t page = static_cast<int64_t>(
        call.input(table)[b * call.inputShape(table)[1] + j / shape[2]]);
    return rowOf(numbers, shape, page, head, j % shape[2]);
  }
  Status verify() const {
    if (!paged)
      return Status::success();
    for (double page : call.input(table))
      if (!(page >= -1 && page < static_cast<double>(call.inputShape(key)[0])))
        return error("the page table names page ", page, ", but there are ",
                     call.inputShape(key)[0]);
    return Status::success();
  }
};

Status sdpa(Call &call) {
  const Shape &q = call.inputShape(0), &k = call.inputShape(1);
  double scale = scaleOf(call.types, q[3]);
  bool causal = call.types.flag("causal");
  int64_t window = call.types.intOr("window", 0);
  forEachRow(
      call, {q[0], q[1], q[2]}, [&](const Shape &at, int64_t, int64_t slot) {
        int64_t b = at[0], h = at[1], i = at[2], kv = h / (q[1] / k[1]);
        AttentionRow row(rowOf(call.input(0), q, b, h, i), q[3],
                         call.inputShape(2)[3], scale);
        for (int64_t j = 0; j < k[2]; ++j) {
          bool seen = !causal || j <= i;
          if (window > 0)
            seen &= causal ? i - j < window : std::llabs(i - j) <= window / 2;
          if (seen)
            row.add(rowOf(call.input(1), k, b, kv, j),
                    rowOf(call.input(2), call.inputShape(2), b, kv, j),
                    maskTerm(call, 3, b, h, i, j));
        }
        if (call.hasInput(4))
          row.addSink(call.input(4)[h] *
                      (call.types.flag("sink_scaled") ? scale : 1));
        row.finish(call.outputs[0].data() + slot * call.inputShape(2)[3]);
      });
  return Status::success();
}

Status forward(Call &call) {
  const Shape &q = call.inputShape(0), &k = call.inputShape(1);
  const Shape &v = call.inputShape(2);
  std::string type = call.types.text("mask_type");
  if (call.hasOutput(1))
    call.outputs[1].assign(call.outputs[1].size(), 0);
  forEachRow(call, {q[0], q[1], q[2]},
             [&](const Shape &at, int64_t flat, int64_t slot) {
               int64_t b = at[0], h = at[1], i = at[2], kv = h / (q[1] / k[1]);
               AttentionRow row(rowOf(call.input(0), q, b, h, i), q[3], v[3],
                                scaleOf(call.types, q[3]));
               for (int64_t j = 0; j < k[2]; ++j) {
                 bool hidden = type == "causal" && j > i;
                 if (type == "arbitrary")
                   hidden = maskTerm(call, 3, b, h, i, j) == 0;
                 if (!hidden)
                   row.add(rowOf(call.input(1), k, b, kv, j),
                           rowOf(call.input(2), v, b, kv, j), 0);
               }
               double lse = row.finish(call.outputs[0].data() + slot * v[3]);
               if (call.hasOutput(1))
                 call.outputs[1][flat * call.outputShape(1)[3]] = lse;
             });
  return Status::success();
}

Status decode(Call &call, bool paged) {
  const Shape &q = call.inputShape(0);
  const int64_t heads = call.inputShape(1)[1], width = call.inputShape(2)[3];
  size_t mask = paged ? 4 : 3, position = mask + 1, sink = mask + 2;
  Cache cache = {call, 1, 3, paged};
  if (Status status = cache.verify(); !status)
    return status;
  double scale = scaleOf(call.types, q[3]);
  int64_t window = call.types.intOr("window", 0);
  forEachIndex({q[1], q[2]}, [&](const Shape &at, int64_t flat) {
    int64_t b = at[0], h = at[1], last = cache.count() - 1;
    if (call.types.intOr("causal", 1) && call.hasInput(position))
      last = static_cast<int64_t>(call.input(position)[b]);
    AttentionRow row(call.input(0).data() + flat * q[3], q[3], width, scale);
    for (int64_t j = 0; j <= last; ++j)
      if (window == 0 || last - j < window)
        row.add(cache.row(0, b, h / (q[2] / heads), j),
                cache.row(1, b, h / (q[2] / heads), j),
                maskTerm(call, mask, b, 0, h, j));
    if (call.hasInput(sink))
      row.addSink(call.input(sink)[h] *
                  (call.types.flag("sink_scaled") ? scale : 1));
    row.finish(call.outputs[0].data() + flat * width);
  });
  return Status::success();
}

/// Where the queries of a batch entry start, by operand `start`; 0 without.
int64_t startOf(const Call &call, size_t start, int64_t b) {
  if (!call.hasInput(start))
    return 0;
  const Numbers &starts = call.input(start);
  return static_cast<int64_t>(starts[starts.size() == 1 ? 0 : b]);
}

/// Queries from a position on over a paged cache.
Status chunk(Call &call, size_t table, const Sight &sight, size_t sink,
             Numbers *lse) {
  const Shape &q = call.inputShape(0);
  const int64_t heads = call.inputShape(1)[1], width = call.inputShape(2)[3];
  Cache cache = {call, 1, table, true};
  if (Status status = cache.verify(); !status)
    return status;
  int64_t limit = call.types.intOr("length", cache.count());
  int64_t shift = call.types.intOr("key_shift", 0);
  forEachRow(call, {q[0], q[1], q[2]},
             [&](const Shape &at, int64_t flat, int64_t slot) {
               AttentionRow row(call.input(0).data() + flat * q[3], q[3], width,
                                scaleOf(call.types, q[3]));
               int64_t start = startOf(call, table + 1, at[0]);
               for (int64_t j = 0; j < std::min(limit, cache.count()); ++j)
                 if (sight.sees(start + at[2], j + shift))
                   row.add(cache.row(0, at[0], at[1] / (q[1] / heads), j),
                           cache.row(1, at[0], at[1] / (q[1] / heads), j), 0);
               if (call.hasInput(sink))
                 row.addSink(call.input(sink)[at[1]]);
               double sum = row.finish(call.outputs[0].data() + slot * width);
               if (lse)
                 (*lse)[flat] = sum;
             });
  return Status::success();
}

/// One side of a joint attention: the sequence's queries, or the joint ones.
void attendJoint(Call &call, size_t query, size_t output, int64_t firstRow) {
  const Shape &q = call.inputShape(query), &k = call.inputShape(1);
  const int64_t width = call.inputShape(2)[3];
  int64_t limit = call.types.intOr("length", k[2]);
  int64_t shift = call.types.intOr("key_shift", 0);
  int64_t realJoint = 0;
  if (call.hasInput(4))
    realJoint =
        std::min(call.types.intOr("joint_length", call.inputShape(4)[2]),
                 call.inputShape(4)[2]);
  Sight sight = Sight::of(call);
  std::optional<DocumentSight> documents;
  if (call.types.has("ends"))
    documents.emplace(call.types, k[2]);
  auto sees = [&](int64_t b, int64_t i, int64_t j) {
    if (documents)
      return documents->sees(i, j);
    return sight.sees(i + startOf(call, 9, b), j + shift) &&
           (!call.hasInput(10) || areInOneDocument(call.input(10), i, j));
  };
  forEachRow(
      call, {q[0], q[1], q[2]},
      [&](const Shape &at, int64_t flat, int64_t slot) {
        int64_t b = at[0], h = at[1], i = at[2], kv = h / (q[1] / k[1]);
        AttentionRow row(call.input(query).data() + flat * q[3], q[3], width,
                         scaleOf(call.types, q[3]));
        for (int64_t j = 0; j < std::min(limit, k[2]); ++j)
          if (sees(b, i, j))
            row.add(rowOf(call.input(1), k, b, kv, j),
                    rowOf(call.input(2), call.inputShape(2), b, kv, j),
                    maskTerm(call, 6, b, h, i, j));
        if (call.hasInput(4))
          for (int64_t j = 0; j < realJoint; ++j)
            row.add(rowOf(call.input(4), call.inputShape(4), b, kv, j),
                    rowOf(call.input(5), call.inputShape(5), b, kv, j), 0);
        if (call.hasInput(7))
          row.addSink(call.input(7)[h]);
        double sum = row.finish(call.outputs[output].data() + slot * width);
        if (call.hasOutput(2)) {
          int64_t rows = call.outputShape(2)[2];
          call.outputs[2][(b * q[1] + h) * rows + firstRow + i] = sum;
        }
      });
}

Status ringAttention(Call &call) {
  if (call.types.has("segments"))
    return dilated(call);
  if (call.hasInput(8))
    return chunk(call, 8, Sight::of(call), 7,
                 call.hasOutput(2) ? &call.outputs[2] : nullptr);
  attendJoint(call, 0, 0, 0);
  if (call.hasInput(3))
    attendJoint(call, 3, 1, call.inputShape(0)[2]);
  return Status::success();
}

} // namespace

void addAttention(Table &table) {
  table["sdpa"] = sdpa;
  table["sdpa_fw"] = forward;
  table["sdpa_decode"] = [](Call &call) { return decode(call, false); };
  table["paged_sdpa_decode"] = [](Call &call) { return decode(call, true); };
  table["chunked_sdpa"] = [](Call &call) {
    return chunk(call, 3, {-1, 0}, call.types.inputCount(), nullptr);
  };
  table["ring.attention"] = ringAttention;
}

} // namespace ring::rt::reference
