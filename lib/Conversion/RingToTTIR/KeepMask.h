// SPDX-License-Identifier: Apache-2.0
// Masks that only keep or drop a key, as ones and zeros: the kind that the
// device's kernel takes.

#ifndef RING_LIB_CONVERSION_RINGTOTTIR_KEEPMASK_H
#define RING_LIB_CONVERSION_RINGTOTTIR_KEEPMASK_H

#include "ring/Dialect/Ring/IR/Positions.h"
#include "ring/Support/TTIRBuilder.h"

namespace mlir::ring {

/// The ones and zeros, in f32, that an additive mask of 0 and -inf was made
/// from; no value for a mask that is anything else.
Value keptPairsOf(Value additiveMask);

/// Ones for the pairs of rows that a band keeps, `[1, 1, queries, keys]` in
/// f32, or no value if it keeps them all.
Value keptPairsOf(const Band &band, int64_t queries, int64_t keys,
                  TTIRBuilder &tensors);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_RINGTOTTIR_KEEPMASK_H
