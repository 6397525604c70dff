// SPDX-License-Identifier: Apache-2.0
// The numbers of tensors that a program computes from constants alone.

#ifndef RING_LIB_CONVERSION_TTIRTORING_KNOWNNUMBERS_H
#define RING_LIB_CONVERSION_TTIRTORING_KNOWNNUMBERS_H

#include "MaskGrid.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ring {

/// Computes tensors as the program would, each number rounded to its element
/// type, without holding them: constants, counts, what ops move about, cut out
/// or put together, comparisons, and simple arithmetic. That is how frontends
/// write masks. Takes time in the size of the constants that there are.
class KnownNumbers {
public:
  /// The numbers of `value`; nothing where they depend on an argument, on more
  /// than two dimensions, or on an op that is not known here.
  std::optional<MaskGrid> of(Value value);

  /// The ops that numbers were computed from. None of them has effects.
  ArrayRef<Operation *> ops() const { return visited; }

private:
  std::optional<MaskGrid> compute(Operation *op);

  DenseMap<Value, std::optional<MaskGrid>> known;
  SmallVector<Operation *> visited;
};

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_KNOWNNUMBERS_H
