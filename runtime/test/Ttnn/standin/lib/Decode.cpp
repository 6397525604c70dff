// SPDX-License-Identifier: Apache-2.0
//
// Attention of one query a user, over a cache or pages of one. Masks and sinks
// are multiplied by the scale, as the kernel does.

#include "AttentionRow.h"
#include "ttnn/operations/transformer/sdpa_decode/sdpa_decode.hpp"

using namespace standin;

namespace ttnn::transformer {

using standin::MaybeConstTensor;
using standin::Memory;

struct DecodeCall {
  const Tensor &q, &k, &v;
  const Tensor *table; ///< none without pages
  bool causal;
  MaybeConstTensor mask;
  const std::vector<uint32_t> &ends;
  MaybeConstTensor positions, sink;
  std::optional<float> scale;
  std::optional<uint32_t> window;
  const std::optional<Program> &program;
  const std::optional<Kernel> &kernel;
};

static void expectIntegers(const char *what, const Tensor &tensor) {
  expect(tensor.dtype() == DataType::INT32 &&
             tensor.layout() == Layout::ROW_MAJOR,
         what, " are INT32, row by row");
}

static void validate(const DecodeCall &call) {
  constexpr const char *op = "sdpa_decode";
  expectAttention(op, {&call.q, &call.k, &call.v});
  int64_t heads = sizesOf(call.q)[2];
  expect(!call.mask || !call.causal, op, ": a mask is for what is not causal");
  if (call.mask) {
    expectTiles(op, {&*call.mask});
    expect(call.mask->dtype() == DataType::BFLOAT16 &&
               sizesOf(*call.mask)[2] == heads,
           op, ": a mask is BFLOAT16, with a row for every head");
  }
  if (call.table)
    expectIntegers("pages", *call.table);
  if (call.positions)
    expectIntegers("positions", *call.positions);
  expect(!call.causal || call.positions || (!call.table && !call.ends.empty()),
         op, ": a causal step knows its position");
  size_t chunk = call.program ? call.program->k_chunk_size : 0;
  expect(chunk % 32 == 0 && (chunk & (chunk - 1)) == 0, op,
         ": chunks of keys are powers of two, in tiles");
  if (call.sink) {
    const Tensor &sink = *call.sink;
    expectTiles(op, {&sink});
    expect(sink.dtype() == DataType::BFLOAT16 &&
               sizesOf(sink) == Sizes{(heads + 31) / 32 * 32, 32},
           op, ": a sink is BFLOAT16, a column of tiles over the heads");
  }
}

static Tensor decode(const DecodeCall &call) {
  validate(call);
  Sizes sizes = sizesOf(call.q), cache = sizesOf(call.k);
  int64_t users = sizes[1], heads = sizes[2], group = heads / cache[1];
  int64_t keys = call.table ? sizesOf(*call.table)[1] * cache[2] : cache[2];
  Exactness exact(call.kernel, call.program);
  double scale = scaleOr(call.scale, call.q);
  return eachDevice(call.q, sizes, call.q.dtype(), Layout::TILE, [&](size_t d) {
    View queries(call.q, d), keyRows(call.k, d), valueRows(call.v, d);
    Numbers numbers;
    forEach({users, heads}, [&](const Sizes &i) {
      Row row(exact, queries.row(0, i[0], i[1]), sizes[3], scale);
      int64_t last = keys - 1, first = 0;
      if (call.causal)
        last = call.positions
                   ? static_cast<int64_t>(at(*call.positions, d)[i[0]])
                   : call.ends[i[0]];
      if (call.window)
        first = std::max<int64_t>(0, last - *call.window + 1);
      for (int64_t j = first; j <= last; ++j) {
        int64_t entry = i[0], at2 = j;
        if (call.table) {
          int64_t slot = i[0] * sizesOf(*call.table)[1] + j / cache[2];
          entry = static_cast<int64_t>(at(*call.table, d)[slot]);
          at2 = j % cache[2];
        }
        double added =
            call.mask ? View(*call.mask, d).one(i[0], 0, i[1], j) : 0;
        row.meet(keyRows.row(entry, i[1] / group, at2),
                 valueRows.row(entry, i[1] / group, at2), added * scale);
      }
      if (call.sink)
        row.sink(at(*call.sink, d)[i[1] * 32] * scale);
      row.finish(sizes[3], numbers);
    });
    return numbers;
  });
}

Tensor scaled_dot_product_attention_decode(
    const Tensor &q, const Tensor &k, const Tensor &v, bool causal,
    MaybeConstTensor mask, const std::vector<uint32_t> &ends,
    MaybeConstTensor positions, MaybeConstTensor sink,
    std::optional<float> scale, std::optional<uint32_t> window, Memory,
    std::optional<Program> program, std::optional<Kernel> kernel,
    std::optional<bool>) {
  return decode({q, k, v, nullptr, causal, mask, ends, positions, sink, scale,
                 window, program, kernel});
}

Tensor paged_scaled_dot_product_attention_decode(
    const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &table,
    bool causal, MaybeConstTensor mask, MaybeConstTensor positions,
    MaybeConstTensor sink, std::optional<float> scale,
    std::optional<uint32_t> window, Memory, std::optional<Program> program,
    std::optional<Kernel> kernel,
    std::optional<operations::transformer::PagedCacheGeometryOverride>,
    std::optional<uint32_t>) {
  return decode({q,
                 k,
                 v,
                 &table,
                 causal,
                 mask,
                 {},
                 positions,
                 sink,
                 scale,
                 window,
                 program,
                 kernel});
}

} // namespace ttnn::transformer
