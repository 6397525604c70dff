// SPDX-License-Identifier: Apache-2.0
// Recognising a causal pattern that arrives as a mask.

#ifndef RING_LIB_CONVERSION_TTIRTORING_CAUSALMASK_H
#define RING_LIB_CONVERSION_TTIRTORING_CAUSALMASK_H

#include "mlir/IR/Value.h"

namespace mlir::ring {

/// Whether a mask that is added to the scores says only that queries do not
/// see the keys behind them: a constant of as many rows as columns, or one that
/// is computed by comparing the positions of queries and keys.
bool isCausalMask(Value mask);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_CAUSALMASK_H
