// SPDX-License-Identifier: Apache-2.0
// The passes from a planned attention to a schedule.

#ifndef RING_TRANSFORMS_PASSES_H
#define RING_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ring {

#define GEN_PASS_DECL
#include "ring/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ring/Transforms/Passes.h.inc"

} // namespace mlir::ring

#endif // RING_TRANSFORMS_PASSES_H
