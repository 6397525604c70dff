// SPDX-License-Identifier: Apache-2.0
// The passes between the ring dialect and the TT dialects.

#ifndef RING_CONVERSION_PASSES_H
#define RING_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ring {

#define GEN_PASS_DECL
#include "ring/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ring/Conversion/Passes.h.inc"

} // namespace mlir::ring

#endif // RING_CONVERSION_PASSES_H
