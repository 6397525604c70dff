// SPDX-License-Identifier: Apache-2.0
//
// Blockwise attention with a carried state: the interface that the executor is
// written against. One K/V block at a time is folded into (out, max, sum) and
// the quotient is taken once at the end, so a ring step costs no more than its
// share of the whole, and no matrix of scores ever exists.
//
// Kernels are single-threaded functions over a range of work items. The caller
// spreads the items; the result is the same bit for bit however it does so.
// Nothing here allocates: `...Bytes` says how much memory to bring.

#ifndef RING_RUNTIME_KERNELS_ATTENTION_H
#define RING_RUNTIME_KERNELS_ATTENTION_H

#include "Kernels/ElementType.h"
#include "ring/Positions/Positions.h"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ring::rt::kernels {

using positions::boundsOfRows;
using positions::expandPositions;
using positions::PositionBounds;
using positions::PositionList;
using positions::PositionRange;
using positions::strideOfRows;

/// Scratch and packed buffers start at a multiple of this many bytes.
constexpr size_t kBufferAlignment = 64;

/// q [batch, queryHeads, queries, keyDim], k [batch, keyValueHeads, keys,
/// keyDim], v [batch, keyValueHeads, keys, valueDim]. keyValueHeads divides
/// queryHeads; query head h reads K/V head h / (queryHeads / keyValueHeads).
struct AttentionShape {
  int64_t batch = 1;
  int64_t queryHeads = 1;
  int64_t keyValueHeads = 1;
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t keyDim = 0;
  int64_t valueDim = 0;
};

/// A [batch, heads, rows, dim] tensor: element (b, h, r, d) is at
/// b * batchStride + h * headStride + r * rowStride + d, counted in elements.
/// Views of packed QKV and of every n-th row need no copy.
struct TensorView {
  const void *data = nullptr;
  ElementType type = ElementType::F32;
  int64_t batchStride = 0;
  int64_t headStride = 0;
  int64_t rowStride = 0;
  /// Where the rows of every head of every batch begin, if no strides say so:
  /// for the forward kernels and for packing.
  const void *const *heads = nullptr;

  /// The rows of head `h` of batch `b`, of so many heads.
  template <typename T>
  const T *headRows(int64_t b, int64_t h, int64_t headCount) const {
    if (heads)
      return static_cast<const T *>(heads[b * headCount + h]);
    return static_cast<const T *>(data) + b * batchStride + h * headStride;
  }
  /// Where row `r` of that head begins.
  const void *rowAt(int64_t b, int64_t h, int64_t headCount, int64_t r) const {
    if (type == ElementType::F32)
      return headRows<float>(b, h, headCount) + r * rowStride;
    return headRows<uint16_t>(b, h, headCount) + r * rowStride;
  }
};

/// A TensorView that is written.
struct MutableTensorView {
  void *data = nullptr;
  ElementType type = ElementType::F32;
  int64_t batchStride = 0;
  int64_t headStride = 0;
  int64_t rowStride = 0;
};

/// The view of a dense [*, heads, rows, dim] tensor.
inline TensorView denseView(const void *data, ElementType type, int64_t heads,
                            int64_t rows, int64_t dim) {
  TensorView view;
  view.data = data;
  view.type = type;
  view.batchStride = heads * rows * dim;
  view.headStride = rows * dim;
  view.rowStride = dim;
  return view;
}

/// The writable view of a dense [*, heads, rows, dim] tensor.
inline MutableTensorView denseView(void *data, ElementType type, int64_t heads,
                                   int64_t rows, int64_t dim) {
  return {data, type, heads * rows * dim, rows * dim, dim};
}

/// An additive mask, broadcast by strides of 0: the term of (b, h, query row,
/// key row) is at b * batchStride + h * headStride + query * rowStride + key.
/// Rows are those of the block at hand, not positions. -inf hides a key.
struct AdditiveMask {
  const void *data = nullptr; ///< nullptr: no mask
  ElementType type = ElementType::F32;
  int64_t batchStride = 0;
  int64_t headStride = 0;
  int64_t rowStride = 0;
};

/// Which keys a query sees. A hidden key has weight exactly 0.
struct AttentionMasking {
  /// Only keys with position <= that of the query.
  bool causal = false;
  /// Only keys with query - windowLeft <= key <= query + windowRight;
  /// -1 leaves that side open.
  int64_t windowLeft = -1;
  int64_t windowRight = -1;
  /// Keys at this position or above are padding.
  int64_t keyLimit = std::numeric_limits<int64_t>::max();
  /// Added to the scaled scores.
  AdditiveMask additive;
};

/// Everything about one (query shard, K/V block) pair but the data.
struct AttentionProblem {
  AttentionShape shape;
  /// Multiplies the scores before the additive mask.
  float scale = 1.0f;
  PositionList queryPositions;
  PositionList keyPositions;
  AttentionMasking masking;
};

/// What is carried from block to block for every query row, with scores in base
/// 2, which are log2(e) times the others: `sum` is the sum of 2^(score - max),
/// `out` is the sum of 2^(score - max) * value, and `max` is the reference of
/// both: the largest score seen or one near it (a kernel raises it only once
/// weights would grow beyond 2^24), -inf if no key was seen. Whatever the
/// reference, out / sum and max + log2(sum) are the same. Base 2 is what
/// kernels compute in: a reference comes back as it was, so that equal scores
/// of two blocks are equal even where f32 has only every thousandth number, at
/// 10^10. out [batch, queryHeads, queries, valueDim], max and sum [batch,
/// queryHeads, queries], f32. `rowsPerHead` >= queries is the distance of two
/// heads in rows, so that a state of some query rows is a view of the state of
/// all of them; 0 stands for `queries`.
struct AttentionState {
  float *out = nullptr;
  float *max = nullptr;
  float *sum = nullptr;
  int64_t rowsPerHead = 0;
};

/// The half-open range of work items that one call computes.
struct WorkRange {
  int64_t begin = 0;
  int64_t end = 0;
};

// ---- State --------------------------------------------------------------

/// Rows of a state, counted through all batches and heads: the items of
/// `initState` and `finish`.
inline int64_t stateRows(const AttentionShape &shape) {
  return shape.batch * shape.queryHeads * shape.queries;
}

/// Sets rows of the state to the identity (out 0, max -inf, sum 0); or, with
/// one sink logit per query head, to a key of that score without a value.
void initState(const AttentionShape &shape, const AttentionState &state,
               const float *sinks, WorkRange rows);

/// The same for all rows.
inline void initState(const AttentionShape &shape, const AttentionState &state,
                      const float *sinks = nullptr) {
  initState(shape, state, sinks, {0, stateRows(shape)});
}

/// Folds `from` into `into`: the state of both sets of keys.
void mergeStates(const AttentionShape &shape, const AttentionState &into,
                 const AttentionState &from);

/// Normalises rows: result = out / sum, lse = ln(2^max * sum). A row that saw
/// no key gives result 0 and lse -inf. `lse` [batch, queryHeads, queries] may
/// be nullptr. `result` may be the state's own `out`.
void finish(const AttentionShape &shape, const AttentionState &state,
            const MutableTensorView &result, float *lse, WorkRange rows);

/// The same for all rows.
inline void finish(const AttentionShape &shape, const AttentionState &state,
                   const MutableTensorView &result, float *lse) {
  finish(shape, state, result, lse, {0, stateRows(shape)});
}

/// Merges two normalised results over `rows` rows of `dim` values, dense:
/// out := (e^lse * out + e^otherLse * otherOut) / (e^lse + e^otherLse) and
/// lse := ln(e^lse + e^otherLse), without overflow; -inf marks an empty part.
void mergeNormalised(int64_t rows, int64_t dim, float *out, float *lse,
                     const float *otherOut, const float *otherLse);

/// The inverse of `finish` for a dense normalised result (identity where lse is
/// -inf).
void stateFromNormalised(const AttentionShape &shape,
                         const AttentionState &state, const float *out,
                         const float *lse);

// ---- Packed K/V ---------------------------------------------------------

/// Bytes of the packed form of a whole K/V block. It holds for the running
/// process only: the layout is that of the instruction set chosen at run time.
size_t packedKeyValueBytes(const AttentionShape &shape);

/// A K/V block as it is, and the memory of its packed form. Kernels pack keys
/// when they first meet them, while they are fetching the next ones, and find
/// them packed from then on: any number of calls with the same elements and the
/// same scale, from any thread. K and V may end once `packKeyValue` has packed
/// everything, but V only if the kernels cannot read it where it is, which they
/// prefer (f32, aligned, whole panels).
struct KeyValueBlock {
  TensorView key;
  TensorView value;
  void *packed = nullptr;
};

/// Marks a packed form as empty: to be called once, before all else.
void startPacking(const AttentionShape &shape, void *packed);

/// Items of packing work.
int64_t packWorkItems(const AttentionShape &shape);

/// Packs items of K and V for problems of this `scale`, without waiting until
/// somebody needs them.
void packKeyValue(const AttentionShape &shape, float scale,
                  const KeyValueBlock &keyValue, WorkRange items);

// ---- Forward ------------------------------------------------------------

/// Items of attention work: blocks of query rows of one batch and head (or of
/// one K/V head's group of query heads where there are few queries).
int64_t workItems(const AttentionShape &shape);

/// Scratch of one `accumulate` call, any number of items.
size_t accumulateScratchBytes(const AttentionShape &shape);

/// Folds one K/V block into the rows of `items`. With `packedQuery`, the
/// queries are read there.
void accumulate(const AttentionProblem &problem, const TensorView &query,
                const KeyValueBlock &keyValue, const AttentionState &state,
                WorkRange items, void *scratch,
                const void *packedQuery = nullptr);

/// Bytes of the packed form of the queries.
size_t packedQueryBytes(const AttentionShape &shape);

/// Packs the queries of items of attention work into `packed`, for calls of
/// `accumulate` with the same shape of queries: whoever folds many blocks into
/// the same rows does it once. Those of f32 gain little: a copy at most, and
/// where they are read in place nothing, unless their rows lie far apart.
void packQuery(const AttentionProblem &problem, const TensorView &query,
               void *packed, WorkRange items);

/// Attention that begins and ends with one K/V block, for the rows of
/// `items`: `accumulate` between `initState` and `finish`, but no state is ever
/// in memory. Takes as much scratch as `accumulate`. `sinks` and `lse` may be
/// nullptr.
void attend(const AttentionProblem &problem, const TensorView &query,
            const KeyValueBlock &keyValue, const float *sinks,
            const MutableTensorView &result, float *lse, WorkRange items,
            void *scratch);

/// Scratch of one `accumulateUnpacked` call.
size_t accumulateUnpackedScratchBytes(const AttentionShape &shape);

/// `accumulate` without memory for a packed form: every item packs anew, part
/// by part into scratch. Right for few queries.
void accumulateUnpacked(const AttentionProblem &problem,
                        const TensorView &query, const TensorView &key,
                        const TensorView &value, const AttentionState &state,
                        WorkRange items, void *scratch);

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_ATTENTION_H
