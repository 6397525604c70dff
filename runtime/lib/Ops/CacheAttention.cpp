// SPDX-License-Identifier: Apache-2.0
//
// Attention of new tokens over a cache: decode steps and chunks of a prefill.

#include "Data/Numbers.h"
#include "Ops/AttentionResult.h"
#include "Ops/PagedCache.h"

#include <limits>

namespace ring::rt {

namespace {

/// Operands of a decode step by number; pages put a table in between.
struct DecodeOperands {
  bool paged;
  size_t table() const { return 3; }
  size_t mask() const { return paged ? 4 : 3; }
  size_t position() const { return paged ? 5 : 4; }
  size_t sink() const { return paged ? 6 : 5; }
};

Status verifyDecode(const OpTypes &types, DecodeOperands operands) {
  if (operands.paged) {
    if (Status status = PagedCache::verify(types, 0, operands.table(),
                                           types.inputCount(), /*batchDim=*/1);
        !status)
      return status;
  }
  for (size_t i = 0; i < 3; ++i) {
    if (Status status = expectRank(types, i, 4); !status)
      return status;
    if (types.input(i)->kind != ValueKind::Tensor ||
        !isFloat(types.input(i)->element))
      return error("expects operand ", i, " to be a tensor of floats, but got ",
                   describe(*types.input(i)));
  }
  const Shape &q = types.input(0)->shape;
  const Shape &k = types.input(1)->shape;
  const Shape &v = types.input(2)->shape;
  if (q[0] != 1 || q[3] != k[3] || q[2] % k[1] != 0 || k[0] != v[0] ||
      k[1] != v[1] || k[2] != v[2] || (!operands.paged && q[1] != k[0]))
    return error("expects a query [1, batch, heads, dim] over caches [batch, ",
                 "heads, keys, dim], but got ", describe(q), ", ", describe(k),
                 " and ", describe(v));
  int64_t keys =
      operands.paged ? k[2] * types.input(operands.table())->shape[1] : k[2];
  if (const ValueType *mask = types.input(operands.mask())) {
    const Shape &m = mask->shape;
    if (m.size() != 4 || (m[0] != 1 && m[0] != q[1]) || m[1] != 1 ||
        (m[2] != 1 && m[2] != q[2]) || m[3] != keys || !isFloat(mask->element))
      return error("expects a mask of floats [1 or ", q[1], ", 1, 1 or ", q[2],
                   ", ", keys, "], but got ", describe(*mask));
  }
  if (const ValueType *position = types.input(operands.position()))
    if (isFloat(position->element) || elementCount(position->shape) != q[1])
      return error("expects ", q[1], " integers as positions, but got ",
                   describe(*position));
  int64_t window = types.intOr("window", 0);
  if (window < 0 || window > (int64_t(1) << 40))
    return error("expects a window from 0 to 2^40, but got ", window);
  if (Status status = verifySink(types, operands.sink(), q[2]); !status)
    return status;
  if (!isFloat(types.output(0)->element) ||
      types.output(0)->kind != ValueKind::Tensor)
    return error("expects a result of floats, but got ",
                 describe(*types.output(0)));
  return expectShape(types, 0, {1, q[1], q[2], v[3]});
}

/// The shape of one user's step: one query per head.
kernels::AttentionShape userShape(const OpTypes &types,
                                  DecodeOperands operands) {
  const Shape &k = types.input(1)->shape;
  kernels::AttentionShape shape;
  shape.queryHeads = types.input(0)->shape[2];
  shape.keyValueHeads = k[1];
  shape.queries = 1;
  shape.keys =
      operands.paged ? k[2] * types.input(operands.table())->shape[1] : k[2];
  shape.keyDim = k[3];
  shape.valueDim = types.input(2)->shape[3];
  return shape;
}

/// Which keys a user sees: up to the current position, at most `window` of
/// them. A position of -1 sees none.
Status setUserLimits(OpRun &run, DecodeOperands operands, int64_t user,
                     AttentionBlock &block) {
  int64_t keys = block.problem.shape.keys;
  int64_t position = keys - 1;
  if (run.types.intOr("causal", 1) && run.hasInput(operands.position())) {
    double given = loadNumber(run.input(operands.position()),
                              run.inputElement(operands.position()), user);
    if (!(given >= -1 && given < static_cast<double>(keys)))
      return error("expects positions from -1 to ", keys - 1, ", but user ",
                   user, " has ", given);
    position = static_cast<int64_t>(given);
  }
  block.problem.masking.keyLimit = position + 1;
  if (int64_t window = run.types.intOr("window", 0))
    block.setBand({window - 1, 0});
  block.setPositions({{position, 1, 1}}, {{0, keys, 1}});
  return Status::success();
}

Status runDecode(OpRun &run, DecodeOperands operands) {
  const OpTypes &types = run.types;
  AttentionBlock block;
  block.problem.shape = userShape(types, operands);
  const kernels::AttentionShape &shape = block.problem.shape;
  block.problem.scale = scaleOf(types, shape.keyDim);
  float factor = types.flag("sink_scaled") ? block.problem.scale : 1.0f;
  std::vector<float> sinks = loadSink(run, operands.sink(), factor);
  kernels::AdditiveMask mask;
  if (run.hasInput(operands.mask())) {
    const Shape &m = types.input(operands.mask())->shape;
    mask.type = kernelElement(run.inputElement(operands.mask()));
    mask.headStride = m[2] == 1 ? 0 : m[3];
  }
  for (int64_t user = 0; user < types.input(0)->shape[1]; ++user) {
    if (Status status = setUserLimits(run, operands, user, block); !status)
      return status;
    if (run.hasInput(operands.mask())) {
      const Shape &m = types.input(operands.mask())->shape;
      int64_t entry = m[0] == 1 ? 0 : user;
      mask.data = run.input(operands.mask()) +
                  entry * m[2] * m[3] * kernels::elementBytes(mask.type);
      block.problem.masking.additive = mask;
    }
    HeadRows rows[2];
    for (size_t i : {0, 1}) {
      kernels::ElementType held = kernelElement(run.inputElement(1 + i));
      int64_t dim = i ? shape.valueDim : shape.keyDim;
      int64_t bytes =
          shape.keyValueHeads * shape.keys * dim * kernels::elementBytes(held);
      const void *data = run.input(1 + i) + user * bytes;
      if (operands.paged) {
        Result<StorageRef> pages =
            PagedCache::gather(run, 1 + i, operands.table(), user);
        if (!pages)
          return pages.status();
        rows[i].storage = *pages;
        data = (*pages)->data();
      } else {
        // The packed form belongs to one user's keys, not to the whole cache.
        rows[i].storage = Storage::wrap(
            Bytes(run.readableStorage(1 + i)->share(),
                  const_cast<uint8_t *>(static_cast<const uint8_t *>(data))));
      }
      rows[i].view =
          kernels::denseView(data, held, shape.keyValueHeads, shape.keys, dim);
    }
    kernels::ElementType queryType = kernelElement(run.inputElement(0));
    const void *query = run.input(0) + user * shape.queryHeads * shape.keyDim *
                                           kernels::elementBytes(queryType);
    uint8_t *out = run.output(0) + user * shape.queryHeads * shape.valueDim *
                                       heldElementBytes(run.outputElement(0));
    Result<AttentionResult> result =
        AttentionResult::make(shape, out, run.outputElement(0), sinks);
    if (!result)
      return result.status();
    Status status = accumulateBlock(
        run, block,
        kernels::denseView(query, queryType, shape.queryHeads, 1, shape.keyDim),
        rows[0], rows[1], result->state);
    if (!status)
      return status;
    result->finish(nullptr);
  }
  return Status::success();
}

Op decodeOp(DecodeOperands operands) {
  Op op;
  op.name = operands.paged ? "paged_sdpa_decode" : "sdpa_decode";
  op.signature.inputs = {operands.paged ? 4 : 3, operands.paged ? 7 : 6};
  op.signature.attributes = {{"causal", AttributeKind::Int},
                             {"scale", AttributeKind::Float},
                             {"window", AttributeKind::Int},
                             {"sink_scaled", AttributeKind::Int}};
  op.signature.verify = [operands](const OpTypes &types) {
    return verifyDecode(types, operands);
  };
  op.costs.keysAndValues = {1, 2};
  op.signature.indices = [operands](const OpTypes &types,
                                    size_t i) -> std::optional<IndexRange> {
    if (operands.paged)
      return PagedCache::indices(types, 0, operands.table(),
                                 operands.position(), /*queries=*/1, i);
    if (i != operands.position())
      return std::nullopt;
    return IndexRange{types.input(1)->shape[2]};
  };
  op.run = [operands](OpRun &run) { return runDecode(run, operands); };
  op.costs.scratchBytes = [operands](const OpTypes &types, int threads) {
    kernels::AttentionShape shape = userShape(types, operands);
    int64_t pages = 0;
    if (operands.paged)
      pages = shape.keyValueHeads * shape.keys *
              (shape.keyDim * heldElementBytes(types.input(1)->element) +
               shape.valueDim * heldElementBytes(types.input(2)->element));
    return pages + accumulateScratch(shape, threads) +
           AttentionResult::scratchBytes(shape, types.output(0)->element);
  };
  op.costs.flops = [operands](const OpTypes &types, int64_t) {
    kernels::AttentionShape shape = userShape(types, operands);
    return 2.0 * static_cast<double>(types.input(0)->shape[1]) *
           static_cast<double>(shape.queryHeads) *
           static_cast<double>(shape.keys) *
           static_cast<double>(shape.keyDim + shape.valueDim);
  };
  op.costs.attention = [operands](const OpTypes &types, int64_t) {
    AttentionWork work;
    work.shape = userShape(types, operands);
    work.shape.batch = types.input(0)->shape[1];
    return work;
  };
  return op;
}

} // namespace

void registerCacheAttentionOps(OpTable &table) {
  table.add(decodeOp({/*paged=*/false}));
  table.add(decodeOp({/*paged=*/true}));

  Op chunked;
  chunked.name = "chunked_sdpa";
  chunked.signature.inputs = {5, 5};
  chunked.signature.attributes = {{"scale", AttributeKind::Float}};
  chunked.signature.verify = [](const OpTypes &types) {
    if (Status status = PagedCache::verify(types, 0, 3, 4, /*batchDim=*/0);
        !status)
      return status;
    Shape out = types.input(0)->shape;
    out[3] = types.input(2)->shape[3];
    if (!isFloat(types.output(0)->element) ||
        types.output(0)->kind != ValueKind::Tensor)
      return error("expects a result of floats, but got ",
                   describe(*types.output(0)));
    return expectShape(types, 0, out);
  };
  chunked.costs.keysAndValues = {1, 2};
  chunked.signature.indices = [](const OpTypes &types, size_t i) {
    return PagedCache::indices(types, 0, 3, 4, types.input(0)->shape[2], i);
  };
  chunked.run = [](OpRun &run) {
    PagedQuery query;
    query.band = Band::causal();
    return PagedCache::attend(run, 0, 3, 4, query);
  };
  chunked.costs.scratchBytes = [](const OpTypes &types, int threads) {
    return PagedCache::scratchBytes(types, 0, 3, threads);
  };
  chunked.costs.flops = [](const OpTypes &types, int64_t) {
    return PagedCache::flops(types, 0, 3, Band::causal());
  };
  chunked.costs.attention = [](const OpTypes &types, int64_t) {
    return PagedCache::work(types, 0, 3, Band::causal());
  };
  table.add(std::move(chunked));
}

} // namespace ring::rt
