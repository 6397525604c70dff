// SPDX-License-Identifier: Apache-2.0
// The parts of a TT-Metalium program that are the same in all of them.

#ifndef RING_LIB_TARGET_METALIUM_HOSTTEXT_H
#define RING_LIB_TARGET_METALIUM_HOSTTEXT_H

namespace mlir::ring {

/// Headers, and the structures of the tables that follow it.
extern const char kMetaliumStructures[];
/// What runs the tables, behind them.
extern const char kMetaliumHost[];

} // namespace mlir::ring

#endif // RING_LIB_TARGET_METALIUM_HOSTTEXT_H
