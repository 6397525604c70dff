// SPDX-License-Identifier: Apache-2.0
// What a strategy has to know of an attention.

#ifndef RING_ANALYSIS_ATTENTIONTRAITS_H
#define RING_ANALYSIS_ATTENTIONTRAITS_H

#include "ring/Dialect/Ring/IR/RingOps.h"

#include <optional>
#include <string>

namespace mlir::ring {

/// The edge of a device tile: rows of a shard are whole tiles.
inline constexpr int64_t kTileRows = 32;

/// Sizes and features of one attention.
struct AttentionTraits {
  int64_t batch, heads, kvHeads, queries, keys, dim, valueDim;
  /// Joint tokens, 0 without, and whether every device has only its share.
  int64_t joint;
  bool jointSharded;
  /// Joint tokens that are not padding.
  int64_t realJoint;
  /// Rows of a page of a paged cache, 0 without. `keys` are those of all pages
  /// of a batch entry.
  int64_t pageRows;
  /// Whether queries start at a position of their own, of each batch entry or
  /// of all, and which that is, where it is one constant.
  bool start, startOfEach;
  std::optional<int64_t> chunkStart;
  /// The physical blocks of a paged cache, 0 without.
  int64_t pageBlocks;
  /// Rows of the blocks in which a cache is dealt to the devices, 0 where it is
  /// not.
  int64_t cacheBlock;
  Band band;
  /// A pattern of segments, or none.
  DilatedAttr dilation;
  /// Packed documents, or none.
  DocumentsAttr documents;
  /// How many keys are real, where that was said.
  std::optional<int64_t> realKeys;
  bool mask, sink, pages, length, lse, perDevice;
  /// In a device's own function: whether every device has the whole mask, which
  /// is not gathered from rows of theirs; and, by the number of a result, a bit
  /// where anybody takes it whole rather than a device's rows of it.
  bool maskEverywhere;
  int64_t wholeResults;
  /// Documents that end where the running program says, 0 without.
  int64_t lateDocuments;
  /// The gradients of an attention rather than the attention.
  bool backward;
  /// The values are the first columns of the keys, so that whoever has the keys
  /// has them too. Packed rows of a dilated pattern are not taken to be so.
  bool valuesInKeys;
  /// Gradients of values in keys are only asked for as part of those of the
  /// keys, so that both are one tensor from the start.
  bool gradientsInKeys;
  /// Sizes of the mask, 0 without one.
  int64_t maskBatch, maskHeads, maskRows;
  /// Of the queries; and the first among those of keys, values and joint tokens
  /// that is another one, if any is.
  Type elementType, otherElementType;
  /// Of the sink and of the page table, none without.
  Type sinkElementType, tableElementType;

  static AttentionTraits of(WholeAttentionOpInterface op);

  bool isCausal() const { return band.after && *band.after == 0; }
  bool isWindow() const { return band.before.has_value(); }
};

/// The length that `rows` rows of a sequence are padded to, so that every rank
/// holds whole tiles (for zigzag: twice). In a device's own
/// function, what the ranks divide stays as it is: its shards are there
/// already.
int64_t paddedLength(int64_t rows, LayoutKind layout, int64_t ranks,
                     bool perDevice);

/// The same for a dilated attention, whose segments should not straddle shards:
/// no tiles are filled up.
int64_t dilatedLength(int64_t rows, int64_t ranks);

/// Whether a slice_static takes `part` as the first of what `whole` has along
/// `dim`, and all of what it has along other dimensions.
bool isFirstOf(Value part, Value whole, int64_t dim);

/// Whether `value` is the first columns of `key`. A tensor that is key and
/// value at once is not taken apart: it counts as two.
bool areColumnsOf(Value value, Value key);

/// Whether `value` is nothing but such columns, and only attentions to their
/// keys read it: then it is read where the keys are and takes no memory. Of
/// block floats columns are cut out, as their tiles have to be made anew.
bool areReadInKeys(Value value);

/// The one tensor that the gradients of values in keys end up in: the gradient
/// of the keys plus that of the values, filled up with zeros to their width.
/// None where anything else asks for one of the two.
///
///   %wide = "ttir.pad"(%grad_value)          (behind the last column)
///   %sum = "ttir.add"(%grad_key, %wide)
Value gradientInKeys(AttentionBackwardOp op);

/// Whether `whole` is gathered from the rows that the devices of a mesh axis
/// have, in a device's own function.
bool isGatheredFromRows(Value whole, int64_t axis);

/// Whether `user` takes the rows of a device of a mesh axis, in a device's own
/// function.
bool takesOwnRows(Operation *user, int64_t axis);

/// The number that `value`, a tensor with one integer, holds at compile time.
std::optional<int64_t> constantInteger(Value value);

/// Whether the ring of this plan is a chain that is open between its last rank
/// and its first: a causal pattern over shards in the order of the ranks, whose
/// keys nobody before them sees.
bool opensRing(const AttentionTraits &traits, PlanAttr plan);

} // namespace mlir::ring

#endif // RING_ANALYSIS_ATTENTIONTRAITS_H
