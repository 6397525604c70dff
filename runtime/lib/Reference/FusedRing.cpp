// SPDX-License-Identifier: Apache-2.0
//
// The fused rings once more: every key of every rank, one after the other.

#include "Reference/AttentionRow.h"

namespace ring::rt::reference {

namespace {

constexpr int64_t kContiguous = 0, kZigzag = 2;

void attend(Call &call, size_t query, size_t output) {
  const Shape &q = call.inputShape(query), &k = call.inputShape(1);
  const Shape &v = call.inputShape(2);
  Ring axis = Ring::of(call);
  double scale = scaleOf(call.types, q[3]);
  // The sequence's queries see by position, the joint ones everything.
  Sight sight;
  if (query == 0 && call.types.flag("causal"))
    sight = {-1, 0};
  auto rowsOf = [&](int64_t count, int64_t rank) {
    return positionsOf({call.types.flag("balanced") ? kZigzag : kContiguous,
                        count * axis.ranks, axis.ranks, 0},
                       rank);
  };
  std::vector<int64_t> rows =
      query == 0 ? rowsOf(q[2], axis.rankOf(call.device)) : countUp(q[2]);
  forEachIndex({q[0], q[1], q[2]}, [&](const Shape &at, int64_t flat) {
    int64_t b = at[0], h = at[1], kv = h / (q[1] / k[1]);
    AttentionRow row(call.input(query).data() + flat * q[3], q[3], v[3], scale);
    for (int64_t rank = 0; rank < axis.ranks; ++rank) {
      int64_t source = axis.member(call.device, rank);
      std::vector<int64_t> keys = rowsOf(k[2], rank);
      for (int64_t j = 0; j < k[2]; ++j)
        if (keys[j] < call.types.intOr("length", 0) &&
            sight.sees(rows[at[2]], keys[j]))
          row.add(rowOf(call.peer(source, 1), k, b, kv, j),
                  rowOf(call.peer(source, 2), v, b, kv, j), 0);
    }
    if (call.hasInput(4))
      for (int64_t j = 0; j < call.inputShape(4)[2]; ++j)
        row.add(rowOf(call.input(4), call.inputShape(4), b, kv, j),
                rowOf(call.input(5), call.inputShape(5), b, kv, j), 0);
    if (call.hasInput(6))
      row.addSink(call.input(6)[h] * scale);
    row.finish(call.outputs[output].data() + flat * v[3]);
  });
}

Status ringJoint(Call &call) {
  attend(call, 0, 0);
  if (call.hasInput(3))
    attend(call, 3, 1);
  return Status::success();
}

Status ringDistributed(Call &call) {
  const Shape &q = call.inputShape(0), &k = call.inputShape(1);
  const Shape &out = call.outputShape(0);
  Ring axis = Ring::of(call);
  std::vector<int64_t> rows =
      positionsOf({kZigzag, q[2], axis.ranks, 0}, axis.rankOf(call.device));
  forEachIndex({out[0], out[1], out[2]}, [&](const Shape &at, int64_t flat) {
    int64_t b = at[0], h = at[1], kv = h / (q[1] / k[1]);
    AttentionRow row(rowOf(call.input(0), q, b, h, rows[at[2]]), q[3], out[3],
                     scaleOf(call.types, q[3]));
    for (int64_t j = 0; j <= rows[at[2]]; ++j)
      row.add(rowOf(call.input(1), k, b, kv, j),
              rowOf(call.input(2), call.inputShape(2), b, kv, j), 0);
    row.finish(call.outputs[0].data() + flat * out[3]);
  });
  return Status::success();
}

} // namespace

void addFusedRing(Table &table) {
  table["ring_joint_sdpa"] = ringJoint;
  table["ring_distributed_sdpa"] = ringDistributed;
}

} // namespace ring::rt::reference
