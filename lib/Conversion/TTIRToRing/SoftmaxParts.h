// SPDX-License-Identifier: Apache-2.0
// A softmax in the spellings that models have for it.

#ifndef RING_LIB_CONVERSION_TTIRTORING_SOFTMAXPARTS_H
#define RING_LIB_CONVERSION_TTIRTORING_SOFTMAXPARTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace mlir::ring {

using AttentionParts = llvm::SmallSetVector<Operation *, 16>;

/// A softmax over the last dimension.
struct SoftmaxParts {
  Value scores, probabilities;
};

/// Reads the softmax that `end` ends, and adds its ops to `parts`: the op, or
/// `exp(x - max(x)) / sum(exp(x - max(x)))`, with or without the maximum.
std::optional<SoftmaxParts> readSoftmax(Operation *end, AttentionParts &parts);

/// Whether `condition` says of each row that all its `scores` are -inf, or, if
/// not `masked`, that some are not: models ask so to take a row without keys as
/// 0. Adds the ops that ask to `parts`.
bool asksForMaskedRows(Value condition, bool masked, Value scores,
                       AttentionParts &parts);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_SOFTMAXPARTS_H
