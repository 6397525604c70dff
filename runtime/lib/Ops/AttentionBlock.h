// SPDX-License-Identifier: Apache-2.0
//
// What all attention ops share: shapes, masks and positions of one block of
// queries x keys, and its way through the kernels.

#ifndef RING_RUNTIME_OPS_ATTENTIONBLOCK_H
#define RING_RUNTIME_OPS_ATTENTIONBLOCK_H

#include "Kernels/Attention.h"
#include "Ops/Op.h"
#include "Ops/OpRun.h"

namespace ring::rt {

// ---- Shapes --------------------------------------------------------------

/// Checks query, key and value at operands `first` to `first + 2`.
Status verifyAttention(const OpTypes &types, size_t first);
/// Checks an additive mask `[1 or B, 1 or H, 1 or Sq, Sk]`, if there is one.
Status verifyMask(const OpTypes &types, size_t mask, size_t query, size_t key);
/// Checks a sink `[1, H, 1, 1]`, if there is one.
Status verifySink(const OpTypes &types, size_t sink, int64_t heads);
/// Checks `length` and `key_shift`.
Status verifyKeyLimits(const OpTypes &types);
/// Checks the attributes of a block: band, length, layouts.
Status verifyBlock(const OpTypes &types, size_t query, size_t key);
/// The attributes of `ring.partial` and its kin.
std::vector<AttributeSpec> blockAttributes();

/// The shape of the attention of query, key and value.
kernels::AttentionShape attentionShape(const ValueType &query,
                                       const ValueType &key,
                                       const ValueType &value);
/// The shape of the state of an attention.
kernels::AttentionShape stateShape(const Shape &out);

/// `scale`, or 1 / sqrt(dim).
float scaleOf(const OpTypes &types, int64_t dim);

// ---- Data ----------------------------------------------------------------

/// The kernels' name for how elements are held.
kernels::ElementType kernelElement(ElementType element);

/// The parts of a state in its storage: output, maxima, sums.
kernels::AttentionState stateView(uint8_t *data,
                                  const kernels::AttentionShape &shape);

/// The logits of a sink as f32, times `factor`; empty if there is none.
std::vector<float> loadSink(OpRun &run, size_t sink, float factor = 1);

/// The kernels' view of the additive mask at operand `mask`.
kernels::AdditiveMask maskView(OpRun &run, size_t mask);

/// One block for the kernels, with the memory its positions live in.
struct AttentionBlock {
  kernels::AttentionProblem problem;
  Positions queryRanges;
  Positions keyRanges;

  void setPositions(const Positions &queries, const Positions &keys);
  void setBand(const Band &band);
};

/// The block of operands `first` to `first + 2`, by the instruction's
/// attributes, on its device.
AttentionBlock blockOf(OpRun &run, size_t first);

/// Queries, keys or values: what holds them, and how kernels read them.
struct HeadRows {
  StorageRef storage;
  kernels::TensorView view;
  /// What `view.heads` points to, where heads lie here and there.
  std::shared_ptr<const std::vector<const void *>> heads = nullptr;
  /// Set if the storage has them in tiles of a block format: then `view` has
  /// no data yet.
  const ValueType *tiles = nullptr;
};

/// The rows at operand `i`, 4-D. Operands in pieces must be such as `readsRows`
/// takes.
HeadRows rowsOf(OpRun &run, size_t i);
/// The same for keys or values, block formats as they are packed.
HeadRows keyRowsOf(OpRun &run, size_t i);

/// Whether the kernels can read pieces of query, key or value where they lie:
/// all rows of a head at one distance from each other, its numbers side by
/// side. See Op::takesPieces.
bool readsRows(const OpTypes &types, size_t i, const TensorPieces &pieces);

/// Whether an operand of query, key, value, ... is key or value, which ops read
/// by `keyRowsOf`; see Op::takesPacked.
bool isKeyOrValue(const OpTypes &types, size_t i);

/// Whether so many query rows read each key that packing it pays.
bool packsKeys(const kernels::AttentionShape &shape);

/// Keys and values for the kernels, with memory for their packed form.
struct PackedKeys {
  Bytes memory;
  kernels::KeyValueBlock block;
};

/// The packed form of keys and values, one for all who share them. Kernels pack
/// what they meet first; block formats, which kernels cannot read, are packed
/// here, by whoever comes first. `key` and `value` must outlive it.
Result<PackedKeys> packKeys(OpRun &run,
                            const kernels::AttentionProblem &problem,
                            const HeadRows &key, const HeadRows &value);

/// Folds keys and values into a state: packed once and shared where there are
/// many queries, straight from memory where there are few. Block formats are
/// unpacked on the way, once for all who share the packed form. The packed form
/// of queries is kept with their storage, if that is given.
Status accumulateBlock(OpRun &run, const AttentionBlock &block,
                       const kernels::TensorView &query, const HeadRows &key,
                       const HeadRows &value,
                       const kernels::AttentionState &state,
                       const StorageRef &queryStorage = nullptr);

/// The dense view of operand `i`, 4-D.
kernels::TensorView viewOf(OpRun &run, size_t i);

/// Scratch that `accumulateBlock` takes.
int64_t accumulateScratch(const kernels::AttentionShape &shape, int threads);

/// The work of query, key and value at operands `first` to `first + 2` on a
/// device under a band.
AttentionWork attentionWork(const OpTypes &types, int64_t device, size_t first,
                            const Band &band);
/// Says which rows meet which keys.
void describeRows(AttentionWork &work, const Positions &queries,
                  const Positions &keys, const Band &band, int64_t keyLimit);

/// The pairs of the block of operands `first` to `first + 2`, of all heads.
double blockPairs(const OpTypes &types, int64_t device, size_t first,
                  const Band &band);

/// Useful operations of that block: 2 for each pair and each number of a key
/// and of a value.
double blockFlops(const OpTypes &types, int64_t device, size_t first,
                  const Band &band);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_ATTENTIONBLOCK_H
