// SPDX-License-Identifier: Apache-2.0
//
// Ops that move numbers about: for each index of the result, the index it comes
// from.

#include "Reference/Reference.h"

#include "Ops/SliceBounds.h"

namespace ring::rt::reference {

namespace {

/// Fills the result from operand 0 by a map of indices.
template <typename Map>
Status mapIndices(Call &call, Map map) {
  forEachIndex(call.outputShape(0), [&](const Shape &index, int64_t flat) {
    call.outputs[0][flat] =
        call.input(0)[flatten(call.inputShape(0), map(index))];
  });
  return Status::success();
}

Status slice(Call &call) {
  SliceBounds bounds = *SliceBounds::get(call.types);
  return mapIndices(call, [&](Shape index) {
    for (size_t d = 0; d < index.size(); ++d)
      index[d] = bounds.begins[d] + index[d] * bounds.steps[d];
    return index;
  });
}

Status concat(Call &call) {
  size_t dim = call.types.dim("dim", call.outputShape(0).size());
  forEachIndex(call.outputShape(0), [&](Shape index, int64_t flat) {
    size_t part = 0;
    while (index[dim] >= call.inputShape(part)[dim])
      index[dim] -= call.inputShape(part++)[dim];
    call.outputs[0][flat] =
        call.input(part)[flatten(call.inputShape(part), index)];
  });
  return Status::success();
}

Status pad(Call &call) {
  std::vector<int64_t> padding = call.types.ints("padding");
  call.outputs[0].assign(call.outputs[0].size(),
                         call.types.floatOr("value", 0));
  forEachIndex(call.inputShape(0), [&](Shape index, int64_t flat) {
    for (size_t d = 0; d < index.size(); ++d)
      index[d] += padding[2 * d];
    call.outputs[0][flatten(call.outputShape(0), index)] = call.input(0)[flat];
  });
  return Status::success();
}

Status permute(Call &call) {
  std::vector<int64_t> permutation = call.types.ints("permutation");
  return mapIndices(call, [&](const Shape &index) {
    Shape from(index.size());
    for (size_t d = 0; d < index.size(); ++d)
      from[permutation[d]] = index[d];
    return from;
  });
}

Status repeat(Call &call) {
  return mapIndices(call, [&](Shape index) {
    for (size_t d = 0; d < index.size(); ++d)
      index[d] %= call.inputShape(0)[d];
    return index;
  });
}

Status repeatInterleave(Call &call) {
  size_t dim = call.types.dim("dim", call.inputShape(0).size());
  return mapIndices(call, [&](Shape index) {
    index[dim] /= call.types.intOr("repeats", 1);
    return index;
  });
}

Status embedding(Call &call) {
  int64_t width = call.outputShape(0).back();
  int64_t entries = static_cast<int64_t>(call.input(1).size()) / width;
  for (size_t i = 0; i < call.input(0).size(); ++i) {
    double entry = call.input(0)[i];
    if (!(entry >= 0 && entry < static_cast<double>(entries)))
      return error("expects indices from 0 to ", entries - 1, ", but got ",
                   entry);
    for (int64_t j = 0; j < width; ++j)
      call.outputs[0][i * width + j] =
          call.input(1)[static_cast<int64_t>(entry) * width + j];
  }
  return Status::success();
}

/// Rows into pages by a table, or one row for each user: -1 writes nothing.
Status cacheFill(Call &call) {
  const Shape &cache = call.inputShape(0), &rows = call.inputShape(1);
  const int64_t pages = call.inputShape(2)[1];
  call.outputs[0] = call.input(0);
  forEachIndex(rows, [&](const Shape &at, int64_t flat) {
    int64_t user =
        call.hasInput(3) ? static_cast<int64_t>(call.input(3)[at[0]]) : 0;
    if (user < 0)
      return;
    int64_t page =
        static_cast<int64_t>(call.input(2)[user * pages + at[2] / cache[2]]);
    if (page >= 0)
      call.outputs[0][flatten(cache, {page, at[1], at[2] % cache[2], at[3]})] =
          call.input(1)[flat];
  });
  return Status::success();
}

Status cacheUpdate(Call &call) {
  const Shape &cache = call.inputShape(0);
  call.outputs[0] = call.input(0);
  forEachIndex(call.inputShape(1), [&](const Shape &at, int64_t flat) {
    int64_t row = static_cast<int64_t>(call.input(2)[at[1]]), entry = at[1];
    if (row < 0)
      return;
    if (call.hasInput(3))
      entry = static_cast<int64_t>(
          call.input(3)[at[1] * call.inputShape(3)[1] + row / cache[2]]);
    if (entry >= 0)
      call.outputs[0][flatten(cache, {entry, at[2], row % cache[2], at[3]})] =
          call.input(1)[flat];
  });
  return Status::success();
}

} // namespace

void addReshaping(Table &table) {
  table["cache_fill"] = cacheFill;
  table["cache_update"] = cacheUpdate;
  table["slice"] = slice;
  table["concat"] = concat;
  table["pad"] = pad;
  table["permute"] = permute;
  table["repeat"] = repeat;
  table["repeat_interleave"] = repeatInterleave;
  table["embedding"] = embedding;
  table["reshape"] = [](Call &call) {
    call.outputs[0] = call.input(0);
    return Status::success();
  };
  table["broadcast"] = [](Call &call) {
    forEachIndex(call.outputShape(0), [&](const Shape &index, int64_t flat) {
      call.outputs[0][flat] =
          call.input(0)[broadcastPlace(call.inputShape(0), index)];
    });
    return Status::success();
  };
}

} // namespace ring::rt::reference
