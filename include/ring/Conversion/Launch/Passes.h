// SPDX-License-Identifier: Apache-2.0
// The passes that form launches, prove them and write them as programs of
// tt-mlir. They need the runtime, which knows what the kernels are told, so
// that builds without it lack them.

#ifndef RING_CONVERSION_LAUNCH_PASSES_H
#define RING_CONVERSION_LAUNCH_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "ring/Dialect/Ring/IR/RingDialect.h"

namespace mlir::ring {

#define GEN_PASS_DECL
#include "ring/Conversion/Launch/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ring/Conversion/Launch/Passes.h.inc"

} // namespace mlir::ring

#endif // RING_CONVERSION_LAUNCH_PASSES_H
