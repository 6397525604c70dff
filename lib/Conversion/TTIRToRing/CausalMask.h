// SPDX-License-Identifier: Apache-2.0
// Recognising a causal pattern that arrives as a constant mask.

#ifndef RING_LIB_CONVERSION_TTIRTORING_CAUSALMASK_H
#define RING_LIB_CONVERSION_TTIRTORING_CAUSALMASK_H

#include "mlir/IR/Value.h"

namespace mlir::ring {

/// Whether `mask` is a constant `[1, 1, S, S]` that is 0 up to the diagonal and
/// so negative beyond it that no score survives.
bool isConstantCausalMask(Value mask);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_CAUSALMASK_H
