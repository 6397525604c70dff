// SPDX-License-Identifier: Apache-2.0
// The products of an attention, as matmul or dot_general.

#ifndef RING_LIB_CONVERSION_TTIRTORING_ATTENTIONPRODUCT_H
#define RING_LIB_CONVERSION_TTIRTORING_ATTENTIONPRODUCT_H

#include "AttentionOperand.h"

namespace mlir::ring {

/// Whether `op` is a matrix product.
bool isProduct(Operation *op);

/// A product of matrices, alone, by heads, or by batch entries and heads. Its
/// result has the leading dimensions, then the rows of either side.
struct AttentionProduct {
  /// Nothing where it is one over several dimensions, or of more.
  static std::optional<AttentionProduct> read(Operation *op);

  Value lhs, rhs;

  /// As the first product, of queries and keys.
  SmallVector<Role> rolesOfQuery() const;
  SmallVector<Role> rolesOfKey() const;

  /// As the second, of `probabilities`, which are `[..., queries, keys]`:
  /// whether it is over the keys. Comes before the questions below.
  bool contractsLast(Value probabilities);
  Value values() const { return weightsFirst ? rhs : lhs; }
  SmallVector<Role> rolesOfValue() const;
  /// Which of batch, heads, rows and dim the dimensions of the result are, two
  /// for batch and heads in one. Empty if they are in order.
  SmallVector<int64_t> orderOfOutput() const;

private:
  /// Pairs of dimensions that lead the result.
  SmallVector<std::pair<int64_t, int64_t>> leading;
  std::pair<int64_t, int64_t> contracted, rows;
  bool weightsFirst = true;
};

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_ATTENTIONPRODUCT_H
