// SPDX-License-Identifier: Apache-2.0
// The attentions of TTIR, read into one form.

#ifndef RING_LIB_CONVERSION_TTIRTORING_SOURCEATTENTION_H
#define RING_LIB_CONVERSION_TTIRTORING_SOURCEATTENTION_H

#include "ring/Dialect/Ring/IR/RingAttrs.h"

namespace mlir::ring {

/// What all attentions of TTIR have in common, as far as a ring needs it.
struct SourceAttention {
  Operation *op = nullptr;
  /// There is no value where the values are columns of the keys.
  Value query, key, value, mask, sink;
  /// How many of the first columns of the keys the values are, without one.
  int64_t valueColumns = 0;
  /// The mask says 1 for keep and 0 for drop; ours is added to the scores.
  bool maskKeeps = false;
  PatternAttrInterface pattern;
  FloatAttr scale;
  /// Keys from this row on are padding; nothing where none is.
  IntegerAttr length;
  Value output;
  /// Which of batch, heads, rows and dim the dimensions of `output` are, where
  /// they are not in order; its leading ones may be one, or missing.
  SmallVector<int64_t> outputOrder;
  /// The ops before `op` that are the attention too, where it is spelled out.
  SmallVector<Operation *> parts;
  /// sdpa_fw's intermediates, where they are asked for.
  Value intermediates;
  /// A composite's log-sum-exp, where it has one.
  Value lse;
  /// Joint query, key, value and output; null without joint tokens.
  Value jointQuery, jointKey, jointValue, jointOutput;
};

/// Whether `op` is an attention over a whole sequence: an op of TTIR, or one of
/// the composites in which a model writes what TTIR has no op for:
/// `joint_scaled_dot_product_attention`, whose operands are q, k, v and the
/// joint three and whose results both outputs,
/// `packed_scaled_dot_product_attention` of q, k and v, `dilated_attention`, of
/// q, k and v, with the pattern as its attributes, and `flash_mla_prefill`, of
/// q, a latent k and, if need be, v.
bool isAttention(Operation *op);

/// Whether the tensors of an attention are such as a ring takes; says why it
/// stays as it is where they are not.
bool canBeRaised(const SourceAttention &source);

/// Reads an attention; where it is one that no ring can be, says why and
/// returns false.
bool readAttention(Operation *op, SourceAttention &source);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_SOURCEATTENTION_H
