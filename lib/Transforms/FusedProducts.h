// SPDX-License-Identifier: Apache-2.0
// Products that several layers share, such as queries, keys and values in one.

#ifndef RING_LIB_TRANSFORMS_FUSEDPRODUCTS_H
#define RING_LIB_TRANSFORMS_FUSEDPRODUCTS_H

#include "mlir/IR/Block.h"

namespace mlir::ring {

/// Cuts products of which only slices of features are read into one product for
/// each slice, in place.
///
/// The features of a fused product lie side by side, q q q q k k v v: split
/// over two devices, one would have the queries and the other the rest. Of each
/// product by itself a device has its own heads:
///
///   slice(x * w, features)   ->   x * slice(w, columns)
void cutFusedProducts(Block &block);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_FUSEDPRODUCTS_H
