// SPDX-License-Identifier: Apache-2.0
// Which values of a function are one device's own.

#ifndef RING_LIB_CONVERSION_TTIRTORING_DEVICEVALUES_H
#define RING_LIB_CONVERSION_TTIRTORING_DEVICEVALUES_H

#include "mlir/IR/ValueRange.h"

namespace mlir::ring {

/// Whether one of `values` is what a device has rather than a whole tensor of
/// the host: it comes from a shard, a collective or, in a function that has
/// collectives and shards nothing, from any argument.
bool areOnDevices(ValueRange values);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_DEVICEVALUES_H
