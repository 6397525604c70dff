// SPDX-License-Identifier: Apache-2.0
//
// Rows that are written into a cache, paged or not. A written cache is a new
// value, which takes over the memory of the old one where that dies.

#include "Data/Numbers.h"
#include "Ops/Op.h"
#include "Ops/OpRun.h"

#include <cstring>

namespace ring::rt {

namespace {

enum Operand : size_t { kCache, kRows, kIndex, kTable };
/// `cache_fill` has its table before the users that its inputs belong to.
constexpr size_t kFillTable = 2, kFillUsers = 3;

Status verifyIntegers(const OpTypes &types, size_t i, const Shape &shape) {
  const ValueType *type = types.input(i);
  if (!type || (!isFloat(type->element) && type->shape == shape))
    return Status::success();
  return error("expects operand ", i, " to be integers of ", describe(shape),
               ", but got ", describe(*type));
}

/// Cache and rows as elements of one type; the result is the cache.
Status verifyCache(const OpTypes &types) {
  for (size_t i : {kCache, kRows})
    if (types.input(i)->kind != ValueKind::Tensor ||
        types.input(i)->shape.size() != 4 || !isFloat(types.input(i)->element))
      return error("expects operand ", i,
                   " to be floats of 4 dimensions, but got ",
                   describe(*types.input(i)));
  if (types.input(kCache)->element != types.input(kRows)->element)
    return error("expects cache and rows of one type, but got ",
                 describe(*types.input(kCache)), " and ",
                 describe(*types.input(kRows)));
  return expectSameType(types, 0, kCache);
}

/// Rows `[inputs, heads, rows, dim]` of users into whole pages, as the table
/// lists them; -1 skips one.
Status verifyFill(const OpTypes &types) {
  if (Status status = verifyCache(types); !status)
    return status;
  const Shape &cache = types.input(kCache)->shape;
  const Shape &rows = types.input(kRows)->shape;
  const ValueType &table = *types.input(kFillTable);
  if (isFloat(table.element) || table.shape.size() != 2)
    return error("expects a page table of integers, but got ", describe(table));
  if (rows[1] != cache[1] || rows[3] != cache[3] ||
      rows[2] > cache[2] * table.shape[1] ||
      (!types.input(kFillUsers) && rows[0] != 1))
    return error("expects rows that fit the pages of a user, but got ",
                 describe(rows), " for pages ", describe(cache),
                 " and the table ", describe(table));
  return verifyIntegers(types, kFillUsers, {rows[0]});
}

Result<int64_t> integerOf(OpRun &run, size_t i, int64_t at, int64_t end,
                          const char *what) {
  double number = loadNumber(run.input(i), run.inputElement(i), at);
  if (!(number >= -1 && number < static_cast<double>(end)))
    return error("expects ", what, " from -1, for none, to ", end - 1,
                 ", but number ", at, " is ", number);
  return static_cast<int64_t>(number);
}

/// Where row `row` of head `head` lies in pages or batch entries.
struct Place {
  const Shape &cache;
  int64_t bytes;

  int64_t at(int64_t entry, int64_t head, int64_t row) const {
    return ((entry * cache[1] + head) * cache[2] + row) * bytes;
  }
};

Status runFill(OpRun &run) {
  const Shape &cache = run.types.input(kCache)->shape;
  const Shape &rows = run.types.input(kRows)->shape;
  const Shape &table = run.types.input(kFillTable)->shape;
  const Place place{cache,
                    cache[3] * heldElementBytes(run.inputElement(kRows))};
  for (int64_t input = 0; input < rows[0]; ++input) {
    int64_t user = 0;
    if (run.hasInput(kFillUsers)) {
      Result<int64_t> given =
          integerOf(run, kFillUsers, input, table[0], "users");
      if (!given)
        return given.status();
      user = *given;
    }
    for (int64_t row = 0; user >= 0 && row < rows[2]; row += cache[2]) {
      Result<int64_t> page = integerOf(
          run, kFillTable, user * table[1] + row / cache[2], cache[0], "pages");
      if (!page)
        return page.status();
      for (int64_t head = 0; *page >= 0 && head < rows[1]; ++head)
        std::memcpy(run.output(0) + place.at(*page, head, 0),
                    run.input(kRows) +
                        ((input * rows[1] + head) * rows[2] + row) *
                            place.bytes,
                    std::min(cache[2], rows[2] - row) * place.bytes);
    }
  }
  return Status::success();
}

/// One row `[1, users, heads, dim]` of every user at its index, which counts
/// through the pages of its table if there is one; -1 skips a user.
Status verifyUpdate(const OpTypes &types) {
  if (Status status = verifyCache(types); !status)
    return status;
  const Shape &cache = types.input(kCache)->shape;
  const Shape &rows = types.input(kRows)->shape;
  const ValueType *table = types.input(kTable);
  if (rows[0] != 1 || rows[2] != cache[1] || rows[3] != cache[3] ||
      (!table && rows[1] != cache[0]))
    return error("expects one row for every user, [1, users, heads, dim], but "
                 "got ",
                 describe(rows), " for the cache ", describe(cache));
  if (table && (isFloat(table->element) || table->shape.size() != 2 ||
                table->shape[0] != rows[1]))
    return error("expects a page table of integers with ", rows[1],
                 " rows, but got ", describe(*table));
  return verifyIntegers(types, kIndex, {rows[1]});
}

Status runUpdate(OpRun &run) {
  const Shape &cache = run.types.input(kCache)->shape;
  const Shape &rows = run.types.input(kRows)->shape;
  const bool paged = run.hasInput(kTable);
  const int64_t pages = paged ? run.types.input(kTable)->shape[1] : 1;
  const Place place{cache,
                    cache[3] * heldElementBytes(run.inputElement(kRows))};
  for (int64_t user = 0; user < rows[1]; ++user) {
    Result<int64_t> index =
        integerOf(run, kIndex, user, pages * cache[2], "rows");
    if (!index)
      return index.status();
    if (*index < 0)
      continue;
    int64_t entry = user;
    if (paged) {
      Result<int64_t> page = integerOf(
          run, kTable, user * pages + *index / cache[2], cache[0], "pages");
      if (!page)
        return page.status();
      entry = *page;
    }
    for (int64_t head = 0; entry >= 0 && head < cache[1]; ++head)
      std::memcpy(run.output(0) + place.at(entry, head, *index % cache[2]),
                  run.input(kRows) + (user * cache[1] + head) * place.bytes,
                  place.bytes);
  }
  return Status::success();
}

Op cacheOp(const char *name, Status (*verify)(const OpTypes &),
           Status (*run)(OpRun &)) {
  Op op;
  op.name = name;
  op.signature.inputs = {3, 4};
  op.signature.verify = verify;
  op.run = run;
  op.access.inPlaceInput = kCache;
  return op;
}

} // namespace

void registerCacheWriteOps(OpTable &table) {
  Op fill = cacheOp("cache_fill", verifyFill, runFill);
  fill.signature.indices = [](const OpTypes &types,
                              size_t i) -> std::optional<IndexRange> {
    if (i == kFillTable)
      return IndexRange{types.input(kCache)->shape[0], /*distinct=*/true};
    if (i == kFillUsers)
      return IndexRange{types.input(kFillTable)->shape[0]};
    return std::nullopt;
  };
  table.add(std::move(fill));

  Op update = cacheOp("cache_update", verifyUpdate, runUpdate);
  update.signature.indices = [](const OpTypes &types,
                                size_t i) -> std::optional<IndexRange> {
    const Shape &cache = types.input(kCache)->shape;
    const ValueType *pages = types.input(kTable);
    if (i == kTable)
      return IndexRange{cache[0], /*distinct=*/true};
    if (i == kIndex)
      return IndexRange{cache[2] * (pages ? pages->shape[1] : 1)};
    return std::nullopt;
  };
  table.add(std::move(update));
}

} // namespace ring::rt
