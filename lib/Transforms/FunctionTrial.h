// SPDX-License-Identifier: Apache-2.0
// A function as some plans would have it on the devices, tried on a copy: what
// is exchanged between its attentions, and what a device has to hold at most.
// What is tried is what runs, since the passes' own functions write it.

#ifndef RING_LIB_TRANSFORMS_FUNCTIONTRIAL_H
#define RING_LIB_TRANSFORMS_FUNCTIONTRIAL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Planner/PlannerMachine.h"

namespace mlir::ring {

/// Plans by attention.
using PlansOfFunction = llvm::DenseMap<Operation *, PlanAttr>;

/// Seconds of the transfers, and of what is moved for them, that stand between
/// the attentions of `function` as `plans` lay them: dealing tokens anew,
/// gathering them, sums over devices that have parts of features. Without what
/// the strategies themselves transfer.
double secondsBetween(func::FuncOp function, const PlansOfFunction &plans,
                      const PlannerMachine &machine);

/// Bytes that a device holds at most in the course of `function`: weights,
/// arguments, what attentions hold and what lives around them.
struct HeldBytes {
  int64_t most = 0;
  /// Of these, arguments without tokens: they do not shrink with the number of
  /// devices along the sequence.
  int64_t weights = 0;
};
HeldBytes heldBytes(func::FuncOp function, const PlansOfFunction &plans);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_FUNCTIONTRIAL_H
