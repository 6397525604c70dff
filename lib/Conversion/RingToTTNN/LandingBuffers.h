// SPDX-License-Identifier: Apache-2.0
// Memory that transfers between devices land in: allocated once for a function
// and taken in turns, by the steps of a ring and by the layers of a model.

#ifndef RING_LIB_CONVERSION_RINGTOTTNN_LANDINGBUFFERS_H
#define RING_LIB_CONVERSION_RINGTOTTNN_LANDINGBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ring {

class LandingBuffers {
public:
  explicit LandingBuffers(func::FuncOp func) : func(func) {}

  /// Notes a `ttnn.empty` that a transfer to every device lands in.
  void add(Operation *empty) { landings.push_back(empty); }

  /// Lets landings of one type that are never needed at the same time be the
  /// same buffer, at the start of the function. What is returned keeps its own.
  void share();

private:
  /// All values that lie in the memory of `landing`.
  SmallVector<Value> valuesIn(Value landing) const;

  func::FuncOp func;
  SmallVector<Operation *> landings;
};

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_RINGTOTTNN_LANDINGBUFFERS_H
