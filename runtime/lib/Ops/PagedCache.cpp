// SPDX-License-Identifier: Apache-2.0
//
// Pages put together one batch entry at a time.

#include "Ops/PagedCache.h"

#include "Data/Numbers.h"
#include "Ops/AttentionResult.h"
#include "Ops/LatePositions.h"

#include <cstring>
#include <limits>

namespace ring::rt {

namespace {

bool holdsIntegers(const ValueType &type) { return !isFloat(type.element); }

/// The type of one batch entry's keys or values put together.
ValueType entryType(const OpTypes &types, size_t pages, size_t table) {
  ValueType type = *types.input(pages);
  type.element = heldElement(type.element);
  type.shape[2] *= types.input(table)->shape[1];
  type.shape[0] = 1;
  return type;
}

/// One batch entry's queries.
ValueType queryType(const OpTypes &types, size_t query) {
  ValueType type = *types.input(query);
  type.element = heldElement(type.element);
  type.shape[0] = 1;
  return type;
}

} // namespace

Status PagedCache::verify(const OpTypes &types, size_t query, size_t table,
                          size_t start, size_t batchDim) {
  for (size_t i = query; i < query + 3; ++i) {
    if (Status status = expectRank(types, i, 4); !status)
      return status;
    if (types.input(i)->kind != ValueKind::Tensor ||
        !isFloat(types.input(i)->element))
      return error("expects operand ", i, " to be a tensor of floats, but got ",
                   describe(*types.input(i)));
  }
  if (Status status = expectRank(types, table, 2); !status)
    return status;
  const Shape &q = types.input(query)->shape;
  const Shape &k = types.input(query + 1)->shape;
  const Shape &v = types.input(query + 2)->shape;
  const ValueType &pages = *types.input(table);
  int64_t heads = batchDim == 0 ? q[1] : q[2];
  if (q[3] != k[3] || heads % k[1] != 0 || k[0] != v[0] || k[1] != v[1] ||
      k[2] != v[2])
    return error("expects pages that agree with the query in dim and heads, ",
                 "but got ", describe(q), ", ", describe(k), " and ",
                 describe(v));
  if (!holdsIntegers(pages) || pages.shape[0] != q[batchDim] ||
      pages.shape[1] > (int64_t(1) << 24))
    return error("expects a table of integers with ", q[batchDim],
                 " rows, but got ", describe(pages));
  if (start < types.inputCount() && types.input(start)) {
    const ValueType &from = *types.input(start);
    int64_t starts = elementCount(from.shape);
    if (!holdsIntegers(from) || (starts != 1 && starts != q[batchDim]))
      return error("expects one integer as start, or one for each of ",
                   q[batchDim], " batch entries, but got ", describe(from));
  }
  return Status::success();
}

std::optional<IndexRange> PagedCache::indices(const OpTypes &types,
                                              size_t query, size_t table,
                                              size_t start, size_t queries,
                                              size_t i) {
  const Shape &pages = types.input(query + 1)->shape;
  if (i == table)
    return IndexRange{pages[0], /*distinct=*/true};
  if (i != start)
    return std::nullopt;
  int64_t keys = pages[2] * types.input(table)->shape[1];
  int64_t length = std::min(keys, types.intOr("length", keys));
  return IndexRange{
      std::max<int64_t>(length - static_cast<int64_t>(queries), 0) + 1};
}

kernels::AttentionShape PagedCache::shape(const OpTypes &types, size_t query,
                                          size_t table) {
  kernels::AttentionShape shape = attentionShape(
      queryType(types, query), entryType(types, query + 1, table),
      entryType(types, query + 2, table));
  shape.batch = types.input(query)->shape[0];
  return shape;
}

/// Which positions meet: the queries are the last ones of a full cache.
static BlockPositions rowsAtEnd(const kernels::AttentionShape &shape) {
  int64_t first = std::max<int64_t>(shape.keys - shape.queries, 0);
  return {{{first, shape.queries, 1}}, {{0, shape.keys, 1}}};
}

double PagedCache::flops(const OpTypes &types, size_t query, size_t table,
                         const Band &band) {
  kernels::AttentionShape shape = PagedCache::shape(types, query, table);
  BlockPositions rows = rowsAtEnd(shape);
  return 2.0 * static_cast<double>(shape.batch * shape.queryHeads) *
         static_cast<double>(shape.keyDim + shape.valueDim) *
         static_cast<double>(
             countPairs(rows.queries, rows.keys, band, shape.keys));
}

AttentionWork PagedCache::work(const OpTypes &types, size_t query, size_t table,
                               const Band &band) {
  AttentionWork work;
  work.shape = shape(types, query, table);
  BlockPositions rows = rowsAtEnd(work.shape);
  describeRows(work, rows.queries, rows.keys, band, work.shape.keys);
  return work;
}

int64_t PagedCache::scratchBytes(const OpTypes &types, size_t query,
                                 size_t table, int threads) {
  ValueType key = entryType(types, query + 1, table);
  ValueType value = entryType(types, query + 2, table);
  kernels::AttentionShape shape =
      attentionShape(queryType(types, query), key, value);
  return heldBytes(key) + heldBytes(value) + accumulateScratch(shape, threads) +
         AttentionResult::scratchBytes(shape, types.output(0)->element);
}

Result<StorageRef> PagedCache::gather(OpRun &run, size_t pages, size_t table,
                                      int64_t entry) {
  const ValueType &cache = *run.types.input(pages);
  int64_t heads = cache.shape[1], rows = cache.shape[2], dim = cache.shape[3];
  int64_t count = run.types.input(table)->shape[1];
  int64_t bytes = rows * dim * heldElementBytes(cache.element);
  StorageRef storage =
      Storage::allocate(heldBytes(entryType(run.types, pages, table)));
  if (!storage)
    return error("there is no memory for ", bytes * heads * count,
                 " bytes of pages");
  for (int64_t i = 0; i < count; ++i) {
    double page = loadNumber(run.input(table), run.inputElement(table),
                             entry * count + i);
    if (!(page >= -1 && page < static_cast<double>(cache.shape[0])))
      return error("expects pages from -1, for none, to ", cache.shape[0] - 1,
                   ", but entry ", i, " of row ", entry, " is ", page);
    // A page that is not used is never seen.
    if (page < 0) {
      for (int64_t head = 0; head < heads; ++head)
        std::memset(storage->mutableData() + (head * count + i) * bytes, 0,
                    bytes);
      continue;
    }
    for (int64_t head = 0; head < heads; ++head)
      std::memcpy(storage->mutableData() + (head * count + i) * bytes,
                  run.input(pages) +
                      (static_cast<int64_t>(page) * heads + head) * bytes,
                  bytes);
  }
  return storage;
}

Status PagedCache::attend(OpRun &run, size_t query, size_t table, size_t start,
                          const PagedQuery &how) {
  const OpTypes &types = run.types;
  ValueType key = entryType(types, query + 1, table);
  ValueType value = entryType(types, query + 2, table);
  ValueType oneQuery = queryType(types, query);
  AttentionBlock block;
  block.problem.shape = attentionShape(oneQuery, key, value);
  const kernels::AttentionShape &shape = block.problem.shape;
  block.problem.scale = scaleOf(types, shape.keyDim);
  Result<LatePositions> late =
      LatePositions::fromStart(run, block, start, types.intOr("key_shift", 0));
  if (!late)
    return late.status();
  block.setBand(how.band);
  block.problem.masking.keyLimit =
      types.intOr("length", std::numeric_limits<int64_t>::max());
  int64_t rows = shape.queryHeads * shape.queries;
  for (int64_t entry = 0; entry < types.input(query)->shape[0]; ++entry) {
    late->place(block, entry);
    Result<StorageRef> keys = gather(run, query + 1, table, entry);
    if (!keys)
      return keys.status();
    Result<StorageRef> values = gather(run, query + 2, table, entry);
    if (!values)
      return values.status();
    uint8_t *out = run.output(0) + entry * rows * shape.valueDim *
                                       heldElementBytes(run.outputElement(0));
    Result<AttentionResult> result =
        AttentionResult::make(shape, out, run.outputElement(0), how.sinks);
    if (!result)
      return result.status();
    const void *queries = run.input(query) + entry * heldBytes(oneQuery);
    Status status = accumulateBlock(
        run, block,
        kernels::denseView(queries, kernelElement(run.inputElement(query)),
                           shape.queryHeads, shape.queries, shape.keyDim),
        {*keys,
         kernels::denseView(static_cast<const void *>((*keys)->data()),
                            kernelElement(heldElement(key.element)),
                            shape.keyValueHeads, shape.keys, shape.keyDim)},
        {*values,
         kernels::denseView(static_cast<const void *>((*values)->data()),
                            kernelElement(heldElement(value.element)),
                            shape.keyValueHeads, shape.keys, shape.valueDim)},
        result->state);
    if (!status)
      return status;
    result->finish(how.lse ? how.lse + entry * rows : nullptr);
  }
  return Status::success();
}

Status verifyMaskType(const OpTypes &types, size_t mask, size_t query,
                      size_t key) {
  std::string type = types.text("mask_type");
  if (type != "none" && type != "causal" && type != "arbitrary")
    return error("expects a mask type of none, causal or arbitrary, but got '",
                 type, "'");
  if ((type == "arbitrary") != (types.input(mask) != nullptr))
    return error("expects a mask exactly if the mask type is arbitrary");
  if (type == "causal" &&
      types.input(query)->shape[2] != types.input(key)->shape[2])
    return error("expects as many queries as keys, but got ",
                 types.input(query)->shape[2], " and ",
                 types.input(key)->shape[2]);
  return verifyMask(types, mask, query, key);
}

Result<KeepMask> KeepMask::make(OpRun &run, size_t mask) {
  KeepMask made;
  if (!run.hasInput(mask))
    return made;
  int64_t count = elementCount(run.types.input(mask)->shape);
  made.terms.resize(count);
  loadNumbers(run.input(mask), run.inputElement(mask), 0, 1, made.terms.data(),
              count);
  bool hides = false;
  for (float &term : made.terms) {
    hides |= term == 0;
    term = term == 0 ? -std::numeric_limits<float>::infinity() : 0.0f;
  }
  if (!hides)
    return made;
  made.view = maskView(run, mask);
  made.view.data = made.terms.data();
  made.view.type = kernels::ElementType::F32;
  return made;
}

} // namespace ring::rt
