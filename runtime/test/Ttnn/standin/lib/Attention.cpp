// SPDX-License-Identifier: Apache-2.0
//
// Attentions over the tensors of one device.

#include "AttentionRow.h"
#include "ttnn/operations/eltwise/binary/binary.hpp"
#include "ttnn/operations/transformer/sdpa/sdpa.hpp"

using namespace standin;

namespace ttnn::transformer {

using standin::MaybeTensor;
using standin::Memory;

/// Whether a query sees a key; a window looks back, or to both sides.
static bool sees(int64_t query, int64_t key, bool causal, int64_t window) {
  if (causal && key > query)
    return false;
  if (window == 0)
    return true;
  return causal ? key > query - window : std::abs(key - query) <= window / 2;
}

Tensor scaled_dot_product_attention(const Tensor &q, const Tensor &k,
                                    const Tensor &v, MaybeTensor mask,
                                    bool causal, std::optional<float> given,
                                    std::optional<uint32_t> window, Memory,
                                    std::optional<Program> program,
                                    std::optional<Kernel> kernel,
                                    MaybeTensor sink, MaybeTensor) {
  constexpr const char *op = "sdpa";
  expectAttention(op, {&q, &k, &v});
  Sizes sizes = sizesOf(q), keys = sizesOf(k);
  expect(sizesOf(v) == keys && keys[3] == sizes[3], op,
         ": values have the shape of the keys");
  expect(!mask || !causal, op, ": causal and mask are two");
  expect(!mask || !window, op, ": window and mask are two");
  expect(!causal || sizes[2] == keys[2], op,
         ": causal wants as many queries as keys");
  if (mask) {
    expectTiles(op, {&*mask});
    expect(mask->dtype() != DataType::FLOAT32 && !isInteger(mask->dtype()), op,
           ": a mask is BFLOAT16 or of blocks");
    Sizes m = sizesOf(*mask);
    expect(m.size() == 4 && m[2] == sizes[2] && m[3] == keys[2], op,
           ": a mask has a row for every query");
  }
  if (sink)
    expectSink(op, *sink, sizes[1]);
  if (program)
    expectChunks(op, *program);
  Exactness exact(kernel, program);
  double scale = scaleOr(given, q);
  // A mask is divided by the scale in its own type, and multiplied again.
  std::optional<Tensor> divided;
  if (mask)
    divided = multiply(*mask, static_cast<float>(1 / scale));
  int64_t group = sizes[1] / keys[1];
  return eachDevice(q, sizes, q.dtype(), Layout::TILE, [&](size_t device) {
    View queries(q, device), keyRows(k, device), valueRows(v, device);
    Numbers numbers;
    forEach({sizes[0], sizes[1], sizes[2]}, [&](const Sizes &i) {
      Row row(exact, queries.row(i[0], i[1], i[2]), sizes[3], scale);
      for (int64_t j = 0; j < keys[2]; ++j)
        if (sees(i[2], j, causal, window.value_or(0)))
          row.meet(keyRows.row(i[0], i[1] / group, j),
                   valueRows.row(i[0], i[1] / group, j),
                   mask
                       ? View(*divided, device).one(i[0], i[1], i[2], j) * scale
                       : 0);
      if (sink)
        row.sink(at(*sink, device)[i[1]] * scale);
      row.finish(sizes[3], numbers);
    });
    return numbers;
  });
}

std::tuple<Tensor, Tensor> joint_scaled_dot_product_attention(
    const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &jq,
    const Tensor &jk, const Tensor &jv, const std::string &strategy,
    Program program, std::optional<float> given, std::optional<Kernel> kernel) {
  constexpr const char *op = "joint_sdpa";
  expectAttention(op, {&q, &k, &v, &jq, &jk, &jv});
  expect(strategy == "rear", op, ": joint tokens come behind");
  expectChunks(op, program);
  for (const Tensor *one : {&k, &v, &jq, &jk, &jv})
    expect(one->dtype() == q.dtype() && one->dtype() != DataType::BFLOAT4_B &&
               sizesOf(*one)[1] == sizesOf(q)[1],
           op, ": operands have one type and as many heads");
  Exactness exact(kernel, program);
  double scale = scaleOr(given, q);
  auto attend = [&](const Tensor &from) {
    Sizes sizes = sizesOf(from);
    return eachDevice(from, sizes, q.dtype(), Layout::TILE, [&](size_t device) {
      View queries(from, device);
      Numbers numbers;
      forEach({sizes[0], sizes[1], sizes[2]}, [&](const Sizes &i) {
        Row row(exact, queries.row(i[0], i[1], i[2]), sizes[3], scale);
        for (auto [keys, values] : {std::pair(&k, &v), std::pair(&jk, &jv)}) {
          View keyRows(*keys, device), valueRows(*values, device);
          for (int64_t j = 0; j < keyRows.sizes[2]; ++j)
            row.meet(keyRows.row(i[0], i[1], j), valueRows.row(i[0], i[1], j));
        }
        row.finish(sizes[3], numbers);
      });
      return numbers;
    });
  };
  return {attend(q), attend(jq)};
}

Tensor chunked_scaled_dot_product_attention(
    const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &table,
    const Tensor &start, std::optional<float> given, Memory,
    std::optional<Program> program, std::optional<Kernel> kernel,
    std::optional<operations::transformer::PagedCacheGeometryOverride>) {
  constexpr const char *op = "chunked_sdpa";
  expectAttention(op, {&q, &k, &v});
  expect(table.dtype() == DataType::INT32 &&
             table.layout() == Layout::ROW_MAJOR,
         op, ": a page table is INT32, row by row");
  expect(start.dtype() == DataType::INT32 && sizesOf(start) == Sizes{1}, op,
         ": the start is one INT32");
  Sizes sizes = sizesOf(q), pages = sizesOf(k);
  int64_t group = sizes[1] / pages[1];
  Exactness exact(kernel, program);
  double scale = scaleOr(given, q);
  return eachDevice(q, sizes, q.dtype(), Layout::TILE, [&](size_t device) {
    View queries(q, device), keyRows(k, device), valueRows(v, device);
    Numbers numbers;
    forEach({sizes[0], sizes[1], sizes[2]}, [&](const Sizes &i) {
      Row row(exact, queries.row(i[0], i[1], i[2]), sizes[3], scale);
      int64_t last = static_cast<int64_t>(at(start, device)[0]) + i[2];
      for (int64_t j = 0; j <= last; ++j) {
        int64_t slot = i[0] * sizesOf(table)[1] + j / pages[2];
        int64_t page = static_cast<int64_t>(at(table, device)[slot]);
        row.meet(keyRows.row(page, i[1] / group, j % pages[2]),
                 valueRows.row(page, i[1] / group, j % pages[2]));
      }
      row.finish(sizes[3], numbers);
    });
    return numbers;
  });
}

} // namespace ttnn::transformer
