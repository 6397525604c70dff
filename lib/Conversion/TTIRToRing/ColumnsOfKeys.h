// SPDX-License-Identifier: Apache-2.0
// Values that are the first columns of keys, as in multi-head latent attention.

#ifndef RING_LIB_CONVERSION_TTIRTORING_COLUMNSOFKEYS_H
#define RING_LIB_CONVERSION_TTIRTORING_COLUMNSOFKEYS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace mlir::ring {

/// How many of the first columns of `key` the values are, if they are such. The
/// slice that takes them may stand before ops that are done to both alike:
///
///   %key   = permute(all_gather(%latent))
///   %value = permute(all_gather(slice_static(%latent)))
///
/// so that the values are a slice of %key itself, and one gather does for both.
std::optional<int64_t> columnsOfKeys(Value key, Value value);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_COLUMNSOFKEYS_H
