// SPDX-License-Identifier: Apache-2.0
// What differs from device to device in TTIR: a choice by rank, and who sends
// to whom.

#ifndef RING_LIB_CONVERSION_RINGTOTTIR_DEVICECHOICE_H
#define RING_LIB_CONVERSION_RINGTOTTIR_DEVICECHOICE_H

#include "ring/Dialect/Ring/IR/RingAttrs.h"
#include "ring/Support/TTIRBuilder.h"

namespace mlir::ring {

/// `onTrue` on the ranks whose entry of `choice` is true, else `onFalse`. TTIR
/// has no device number, so the entry comes from a constant that every device
/// has and `mesh_partition` cuts.
Value chooseByRank(OpBuilder &builder, Location loc, Value onTrue,
                   Value onFalse, ArrayRef<bool> choice, AxisAttr axis);

/// What the device `by` ranks back sends: every device of every ring on the
/// axis sends to the one `by` ranks further, if its rank is at least
/// `reaching`; others get what nobody reads.
Value shiftRanks(OpBuilder &builder, Location loc, Value input, int64_t by,
                 AxisAttr axis, int64_t reaching = 0);

/// Sends the tensor of rank `r` to rank `targets[r]`, a permutation, in every
/// ring on the axis.
Value permuteRanks(OpBuilder &builder, Location loc, Value input,
                   ArrayRef<int64_t> targets, AxisAttr axis);

/// The devices of each ring on the axis, one ring after the other, in rank
/// order.
SmallVector<int64_t> ringsOf(AxisAttr axis);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_RINGTOTTIR_DEVICECHOICE_H
