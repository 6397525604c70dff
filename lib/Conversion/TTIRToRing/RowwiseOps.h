// SPDX-License-Identifier: Apache-2.0
// Ops that treat every row of a tensor alike, so that they may change places
// with a gather or a partition of the rows.

#ifndef RING_LIB_CONVERSION_TTIRTORING_ROWWISEOPS_H
#define RING_LIB_CONVERSION_TTIRTORING_ROWWISEOPS_H

#include "ring/Support/TTIRBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace mlir::ring {

/// A tensor, and which of its dimensions its rows are.
struct Rows {
  Value tensor;
  int64_t dim;

  int64_t size() const { return TTIRBuilder::typeOf(tensor).getDimSize(dim); }
};

/// What a rowwise op made `rows` from; nothing if another op did. Rowwise are
/// changes of form and type, a scale by one number, repeated heads, and slices:
/// of the other dimensions any, of the rows one that keeps the first of them.
std::optional<Rows> beforeRowwiseOp(Rows rows);

/// What the rowwise op `user` makes of all `rows`; nothing if it is another op,
/// or keeps only some of them.
std::optional<Rows> behindRowwiseOp(Operation *user, Rows rows);

/// The rowwise ops that made a tensor.
struct RowTrace {
  /// What the first of them took.
  Rows from;
  /// What each of them made.
  SmallVector<Rows> made;

  /// What the last of them made.
  Value tensor() const {
    return made.empty() ? from.tensor : made.back().tensor;
  }

  /// Traces `rows` back to the first that `isSource` says yes to, which may be
  /// `rows` themselves.
  static std::optional<RowTrace> find(Rows rows,
                                      llvm::function_ref<bool(Rows)> isSource);

  /// Repeats the ops on another source, which may have any number of rows, all
  /// of which are kept.
  Value repeat(OpBuilder &builder, Value source) const;
};

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_ROWWISEOPS_H
