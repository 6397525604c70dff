// SPDX-License-Identifier: Apache-2.0
// Masks that only keep or drop a key, as ones and zeros: the kind that the
// device's kernel takes.

#ifndef RING_LIB_CONVERSION_RINGTOTTIR_KEEPMASK_H
#define RING_LIB_CONVERSION_RINGTOTTIR_KEEPMASK_H

#include "ring/Dialect/Ring/IR/Positions.h"
#include "ring/Support/TTIRBuilder.h"

namespace mlir::ring {

/// Whether an additive mask is made of 0 and -inf by a `where`, or is rows and
/// columns or a sum of such.
bool isKeepMask(Value additiveMask);

/// The ones and zeros, in f32, that a mask for which `isKeepMask` holds was
/// made from.
Value keptPairsOf(Value additiveMask, TTIRBuilder &tensors);

/// Ones for the pairs of rows that a band keeps, `[1, 1, queries, keys]` in
/// f32, or no value if it keeps them all.
Value keptPairsOf(const Band &band, int64_t queries, int64_t keys,
                  TTIRBuilder &tensors);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_RINGTOTTIR_KEEPMASK_H
