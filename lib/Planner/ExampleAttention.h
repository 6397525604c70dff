// SPDX-License-Identifier: Apache-2.0
// A function with one attention of given traits, for who has no model at hand.

#ifndef RING_LIB_PLANNER_EXAMPLEATTENTION_H
#define RING_LIB_PLANNER_EXAMPLEATTENTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "ring/Analysis/AttentionTraits.h"

namespace mlir::ring {

/// A function whose arguments are what an attention with these traits takes,
/// whose body is that attention with `plan`, and whose results are its own. An
/// attention that is a device's own gathers its operands and takes its rows of
/// the result, as such functions come from frontends.
OwningOpRef<func::FuncOp> makeExample(const AttentionTraits &traits,
                                      PlanAttr plan);

} // namespace mlir::ring

#endif // RING_LIB_PLANNER_EXAMPLEATTENTION_H
