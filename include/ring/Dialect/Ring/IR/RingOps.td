// SPDX-License-Identifier: Apache-2.0
// All ops of the ring dialect, grouped by the stage they live in.

#ifndef RING_DIALECT_RING_IR_RINGOPS_TD
#define RING_DIALECT_RING_IR_RINGOPS_TD

include "ring/Dialect/Ring/IR/RingAttentionOps.td"
include "ring/Dialect/Ring/IR/RingBackwardOps.td"
include "ring/Dialect/Ring/IR/RingBlockOps.td"
include "ring/Dialect/Ring/IR/RingShardOps.td"
include "ring/Dialect/Ring/IR/RingTransferOps.td"
include "ring/Dialect/Ring/IR/RingScheduleOps.td"
include "ring/Dialect/Ring/IR/RingLaunchOps.td"

#endif // RING_DIALECT_RING_IR_RINGOPS_TD
