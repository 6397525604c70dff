// SPDX-License-Identifier: Apache-2.0
// Attentions that a model writes as a softmax between two products.

#ifndef RING_LIB_CONVERSION_TTIRTORING_SPELLEDOUT_H
#define RING_LIB_CONVERSION_TTIRTORING_SPELLEDOUT_H

#include "SourceAttention.h"
#include "mlir/IR/Builders.h"

#include <string>

namespace mlir::ring {

/// Whether `op` ends a softmax: the op itself, or the division of exponentials
/// by their sum.
bool endsSoftmax(Operation *op);

/// What was found around a softmax.
enum class Spelling { NoAttention, Unreadable, Attention };

/// Reads the attention around the softmax that `op` ends; where it is one that
/// no ring can be, `reason` says why. `builder` writes the ops that bring
/// query, key, value and mask into their four dimensions, before the second
/// product.
Spelling readSpelledOut(OpBuilder &builder, Operation *op,
                        SourceAttention &source, std::string &reason);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_SPELLEDOUT_H
