// SPDX-License-Identifier: Apache-2.0
// A function of launches as straight-line C++.

#ifndef RING_LIB_TARGET_METALIUM_METALIUMFUNCTION_H
#define RING_LIB_TARGET_METALIUM_METALIUMFUNCTION_H

#include "TextFiles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ring {

/// Writes `main.cpp`, a header for each launch and the kernels. A function
/// consists of launches and of what the host copies around them: shards and
/// whole tensors, slices, joins, padding, and bf16 made of f32. Other ops are
/// errors at their location.
FailureOr<TextFiles> writeMetaliumFunction(func::FuncOp function);

} // namespace mlir::ring

#endif // RING_LIB_TARGET_METALIUM_METALIUMFUNCTION_H
