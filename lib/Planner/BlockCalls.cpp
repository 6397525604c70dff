// SPDX-License-Identifier: Apache-2.0
// Counts what a pattern leaves of a block.

#include "BlockCalls.h"
#include "ring/Dialect/Ring/IR/TensorSize.h"

namespace mlir::ring {
namespace {

double real(int64_t value) { return static_cast<double>(value); }

int64_t rowsIn(ArrayRef<PositionRange> ranges) {
  int64_t rows = 0;
  for (const PositionRange &range : ranges)
    rows += range.size;
  return rows;
}

/// What the counts of a block depend on: how every range of queries lies to
/// every range of keys. Most ranks and steps of a ring are alike in it. The
/// second step of a causal zigzag, keys of a lower rank: early keys are seen by
/// all queries, late ones by none, wherever the two ranks are.
std::vector<int64_t> relationOf(ArrayRef<PositionRange> queries,
                                ArrayRef<PositionRange> keys, const Band &band,
                                std::optional<int64_t> limit) {
  std::vector<int64_t> relation;
  for (const PositionRange &query : queries)
    for (const PositionRange &key : keys) {
      Coverage coverage = classify(query, key, band, limit);
      relation.insert(relation.end(),
                      {query.size, key.size, static_cast<int64_t>(coverage)});
      if (coverage != Coverage::Partial)
        continue;
      relation.insert(relation.end(),
                      {key.begin - query.begin, query.stride, key.stride});
      if (limit && key.last() >= *limit)
        relation.push_back(*limit - key.begin);
    }
  return relation;
}

} // namespace

int32_t BlockCalls::number(const machine::TimelineBlock &whole,
                           ArrayRef<PositionRange> queries,
                           ArrayRef<PositionRange> keys, const Band &band,
                           std::optional<int64_t> limit, int64_t extra) {
  std::vector<int64_t> key = relationOf(queries, keys, band, limit);
  const machine::AttentionCall &shape = whole.call;
  key.insert(key.end(), {shape.batch, shape.heads, shape.keyHeads,
                         shape.queries, shape.keys, shape.carriesState,
                         shape.packsKeys, shape.mask, extra});
  key.insert(key.end(), {band.before.value_or(-1), band.after.value_or(-1)});
  auto [found, isNew] = known.try_emplace(key, machine::kNoBlock);
  if (!isNew)
    return found->second;
  machine::TimelineBlock block = whole;
  machine::AttentionCall &call = block.call;
  auto counts = ::ring::positions::countRows(queries, keys, band, limit);
  // Rows without a position, such as joint ones, are dealt like the others.
  double share = real(call.queries) / real(rowsIn(queries));
  double pairs = real(counts.pairs) * share + real(call.queries * extra);
  machine::setPairs(call, pairs, counts.most + extra, real(counts.sloping),
                    band.before && band.after);
  if (call.pairs > 0)
    found->second = timeline.add(block);
  return found->second;
}

void setFormat(machine::AttentionCall &call, Type elementType) {
  call.tileBytes = tileBytesOf(elementType);
  // Products of f32 take all passes over the mantissas.
  if (elementType.isF32()) {
    call.fidelity = machine::Fidelity::HiFi4;
    call.f32Accumulation = true;
  }
}

void setFormat(machine::AttentionCall &call, Type elementType, PlanAttr plan) {
  setFormat(call, elementType);
  if (ComputeAttr compute = plan.getCompute();
      compute && !elementType.isF32()) {
    // The dialect counts fidelities as the machine model does.
    call.fidelity = static_cast<machine::Fidelity>(compute.getFidelity());
    call.f32Accumulation = compute.getFp32Accumulation();
  }
}

} // namespace mlir::ring
