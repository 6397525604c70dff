// SPDX-License-Identifier: Apache-2.0
// An operand of a product, traced back to the query, key or value that it is.

#ifndef RING_LIB_CONVERSION_TTIRTORING_ATTENTIONOPERAND_H
#define RING_LIB_CONVERSION_TTIRTORING_ATTENTIONOPERAND_H

#include "ring/Support/TTIRBuilder.h"

#include <optional>

namespace mlir::ring {

/// What a dimension of an operand is to the attention. `BatchHeads` is both in
/// one dimension, `Repeat` says how often each head comes.
enum class Role { Unit, Batch, Heads, BatchHeads, Repeat, Rows, Dim };

/// The number that all entries of a tensor are, if that is known.
std::optional<double> uniformValue(Value value);

/// What stands before ops that change a tensor's shape only by dimensions of
/// size 1, its type, or by repeating it.
Value beforeBroadcast(Value value);

/// A query, key or value as the model has it, before the ops that brought it
/// into the form that its product wants: transposes and reshapes, heads
/// repeated for groups of queries, a scale by a constant, a wider type, all but
/// the first rows cut off.
class AttentionOperand {
public:
  /// Which of these ops may be looked through.
  struct Through {
    bool scales, casts;
  };

  /// Traces the operand `value` of a product, whose dimensions are `roles`.
  static AttentionOperand trace(Value value, ArrayRef<Role> roles,
                                Through through);

  Type elementType() const {
    return TTIRBuilder::typeOf(value).getElementType();
  }
  /// What the tensor was multiplied by on its way to the product.
  double scale() const { return factor; }
  /// Batch entries, unless they are in one dimension with the heads.
  std::optional<int64_t> batch() const;
  /// Batch entries times heads.
  int64_t batchTimesHeads() const;
  int64_t rows() const { return keptRows.value_or(sizeOf(Role::Rows)); }
  int64_t dim() const { return sizeOf(Role::Dim); }

  /// The tensor as `[batch, heads, rows, dim]`.
  Value materialize(TTIRBuilder &tensors, int64_t batch) const;

private:
  AttentionOperand(Value value, ArrayRef<Role> roles)
      : value(value), roles(roles) {}

  bool step(Through through);
  bool throughReshape(Value input);
  bool throughRepeat(Value input);
  bool throughSlice(Value input);
  int64_t sizeOf(Role role) const;
  bool isComplete() const { return !llvm::is_contained(roles, Role::Repeat); }
  bool isInOrder() const;

  Value value;
  /// Of each dimension of `value`.
  SmallVector<Role> roles;
  double factor = 1;
  /// How many of the first rows the operand has, where they are not all.
  std::optional<int64_t> keptRows;
};

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_ATTENTIONOPERAND_H
