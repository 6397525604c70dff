// SPDX-License-Identifier: Apache-2.0
//
// Shapes and counts of attention blocks; the data side is AttentionBlock.cpp.

#include "Ops/AttentionBlock.h"

#include <algorithm>
#include <cmath>

namespace ring::rt {

Status verifyAttention(const OpTypes &types, size_t first) {
  for (size_t i = first; i < first + 3; ++i) {
    if (Status status = expectRank(types, i, 4); !status)
      return status;
    if (types.input(i)->kind != ValueKind::Tensor ||
        !isFloat(types.input(i)->element))
      return error("expects operand ", i, " to be a tensor of floats, but got ",
                   describe(*types.input(i)));
  }
  const Shape &query = types.input(first)->shape;
  const Shape &key = types.input(first + 1)->shape;
  const Shape &value = types.input(first + 2)->shape;
  if (query[0] != key[0] || query[3] != key[3])
    return error("expects query and key to agree on batch and dim, but got ",
                 describe(query), " and ", describe(key));
  if (key[0] != value[0] || key[1] != value[1] || key[2] != value[2])
    return error("expects key and value to agree on batch, heads and keys, ",
                 "but got ", describe(key), " and ", describe(value));
  if (query[1] % key[1] != 0)
    return error("expects the key heads to divide ", query[1], ", but got ",
                 key[1]);
  return Status::success();
}

Status verifyMask(const OpTypes &types, size_t mask, size_t query, size_t key) {
  if (!types.input(mask))
    return Status::success();
  const Shape &shape = types.input(mask)->shape;
  const Shape &q = types.input(query)->shape;
  const Shape full = {q[0], q[1], q[2], types.input(key)->shape[2]};
  bool fits = shape.size() == 4 && shape[3] == full[3];
  for (size_t i = 0; i < 3 && fits; ++i)
    fits = shape[i] == 1 || shape[i] == full[i];
  if (!fits || !isFloat(types.input(mask)->element))
    return error("expects a mask of floats that broadcasts to ", describe(full),
                 ", but got ", describe(*types.input(mask)));
  return Status::success();
}

Status verifySink(const OpTypes &types, size_t sink, int64_t heads) {
  if (!types.input(sink))
    return Status::success();
  const ValueType &type = *types.input(sink);
  if (type.shape != Shape{1, heads, 1, 1} || !isFloat(type.element))
    return error("expects a sink of 1x", heads, "x1x1 floats, but got ",
                 describe(type));
  return Status::success();
}

std::vector<AttributeSpec> blockAttributes() {
  std::vector<AttributeSpec> specs = {{"before", AttributeKind::Int},
                                      {"after", AttributeKind::Int},
                                      {"scale", AttributeKind::Float},
                                      {"length", AttributeKind::Int},
                                      {"queries", AttributeKind::Ints},
                                      {"keys", AttributeKind::Ints},
                                      {"source", AttributeKind::Int},
                                      {"first_key", AttributeKind::Int},
                                      {"key_shift", AttributeKind::Int},
                                      {"query_places", AttributeKind::Ints},
                                      {"key_places", AttributeKind::Ints},
                                      {"outer", AttributeKind::Ints},
                                      {"outer_source", AttributeKind::Int}};
  for (const AttributeSpec &spec : axisAttributes(/*required=*/false))
    specs.push_back(spec);
  return specs;
}

Status verifyKeyLimits(const OpTypes &types) {
  if (types.has("length") && types.intOr("length", 0) < 1)
    return error("expects a positive length, but got ",
                 types.intOr("length", 0));
  constexpr int64_t kFar = int64_t(1) << 41;
  int64_t shift = types.intOr("key_shift", 0);
  if (shift < -kFar || shift > kFar || (shift != 0 && types.has("length")))
    return error("expects 'key_shift' within 2^41 and without 'length', but ",
                 "got ", shift);
  return Status::success();
}

Status verifyBlock(const OpTypes &types, size_t query, size_t key) {
  if (Status status = types.verifyBand(); !status)
    return status;
  if (Status status = verifyKeyLimits(types); !status)
    return status;
  int64_t queries = types.input(query)->shape[2];
  int64_t keys = types.input(key)->shape[2];
  if (types.has("query_places") || types.has("key_places")) {
    if (types.has("queries") || types.has("keys") || types.has("source") ||
        types.input(query)->placement != Placement::Local ||
        !types.places("query_places", 0, queries) ||
        !types.places("key_places", 0, keys))
      return error("expects places of ", queries, " queries and ", keys,
                   " keys on every device, and no layouts beside them");
    return Status::success();
  }
  bool any = types.has("queries") || types.has("keys") || types.has("source") ||
             types.has("axis");
  if (!any)
    return Status::success();
  if (types.input(query)->placement != Placement::Local)
    return error("expects a block of local values, but got ",
                 describe(*types.input(query)));
  Result<Block> block = types.block();
  if (!block)
    return block.status();
  int64_t keysThere = block->keys.shardLength() - block->firstKey;
  if (block->queries->shardLength() != queries || keys > keysThere)
    return error("expects the rows of a shard of its layouts, ",
                 block->queries->shardLength(), " queries and at most ",
                 keysThere, " keys, but got ", queries, " and ", keys);
  return Status::success();
}

kernels::AttentionShape attentionShape(const ValueType &query,
                                       const ValueType &key,
                                       const ValueType &value) {
  kernels::AttentionShape shape;
  shape.batch = query.shape[0];
  shape.queryHeads = query.shape[1];
  shape.keyValueHeads = key.shape[1];
  shape.queries = query.shape[2];
  shape.keys = key.shape[2];
  shape.keyDim = query.shape[3];
  shape.valueDim = value.shape[3];
  return shape;
}

kernels::AttentionShape stateShape(const Shape &out) {
  kernels::AttentionShape shape;
  shape.batch = out[0];
  shape.queryHeads = shape.keyValueHeads = out[1];
  shape.queries = out[2];
  shape.keyDim = shape.valueDim = out[3];
  return shape;
}

float scaleOf(const OpTypes &types, int64_t dim) {
  return static_cast<float>(
      types.floatOr("scale", 1 / std::sqrt(static_cast<double>(dim))));
}

void describeRows(AttentionWork &work, const Positions &queries,
                  const Positions &keys, const Band &band, int64_t keyLimit) {
  positions::PairCounts rows = countRows(queries, keys, band, keyLimit);
  work.longestRow = rows.most;
  work.sloping = static_cast<double>(rows.sloping);
  work.slides = band.before && band.after;
}

AttentionWork attentionWork(const OpTypes &types, int64_t device, size_t first,
                            const Band &band) {
  AttentionWork work;
  work.shape = attentionShape(*types.input(first), *types.input(first + 1),
                              *types.input(first + 2));
  BlockPositions rows = types.positions(first, first + 1, device);
  describeRows(work, rows.queries, rows.keys, band,
               types.intOr("length", int64_t(1) << 60));
  return work;
}

double blockPairs(const OpTypes &types, int64_t device, size_t first,
                  const Band &band) {
  const Shape &query = types.input(first)->shape;
  BlockPositions rows = types.positions(first, first + 1, device);
  int64_t pairs = countPairs(rows.queries, rows.keys, band,
                             types.intOr("length", int64_t(1) << 60));
  return static_cast<double>(pairs) * static_cast<double>(query[0] * query[1]);
}

double blockFlops(const OpTypes &types, int64_t device, size_t first,
                  const Band &band) {
  double dims = static_cast<double>(types.input(first)->shape[3] +
                                    types.input(first + 2)->shape[3]);
  return 2 * dims * blockPairs(types, device, first, band);
}

} // namespace ring::rt
