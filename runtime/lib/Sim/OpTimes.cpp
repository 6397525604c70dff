// SPDX-License-Identifier: Apache-2.0
//
// Attention by the flash loop, products by their tiles, the rest by bytes.

#include "Sim/OpTimes.h"

#include <algorithm>

namespace ring::rt {

double tileBytesOf(ElementType element) {
  switch (element) {
  case ElementType::BFP8B:
    return machine::kBfp8TileBytes;
  case ElementType::BFP4B:
    return machine::kBfp4TileBytes;
  case ElementType::F32:
    return machine::kF32TileBytes;
  default:
    return machine::kBf16TileBytes;
  }
}

machine::AttentionCall callOf(const AttentionWork &work, ElementType element,
                              double pairs) {
  const kernels::AttentionShape &shape = work.shape;
  machine::AttentionCall call;
  call.batch = shape.batch;
  call.heads = shape.queryHeads;
  call.keyHeads = shape.keyValueHeads;
  call.queries = shape.queries;
  call.keys = shape.keys;
  call.keyDim = shape.keyDim;
  call.valueDim = shape.valueDim;
  machine::setPairs(call, pairs, work.longestRow, work.sloping, work.slides);
  call.mask = work.mask;
  call.carriesState = work.carriesState;
  call.packsKeys = work.packsKeys;
  call.tileBytes = tileBytesOf(element);
  // Products of f32 take all passes over the mantissas.
  if (element == ElementType::F32) {
    call.fidelity = machine::Fidelity::HiFi4;
    call.f32Accumulation = true;
  }
  return call;
}

const machine::AttentionTime &
OpTimes::timeOf(const machine::AttentionCall &call, bool fused) {
  const machine::AttentionTime &time = clock.timeOf(call);
  if (time.seconds > 0) {
    if (!earned)
      earned.emplace();
    earned->add(machine::earnedError(machine, call, fused));
  }
  return time;
}

OpCost OpTimes::attention(const AttentionWork &work, const OpTypes &types,
                          double flops) {
  const kernels::AttentionShape &shape = work.shape;
  double perPair = 2.0 * work.passes *
                   static_cast<double>(shape.batch * shape.queryHeads) *
                   static_cast<double>(shape.keyDim + shape.valueDim);
  machine::AttentionCall call =
      callOf(work, types.input(1)->element, flops / perPair);
  call.cores = cores;
  const machine::AttentionTime &time = timeOf(call, /*fused=*/false);
  // Gradients are other kernels, of which nothing was published.
  if (earned && work.passes != 1)
    earned->covered = false;
  OpCost cost;
  cost.seconds = time.seconds * work.passes;
  cost.dramSeconds = time.dramSeconds * work.passes;
  cost.flops = flops;
  cost.attends = true;
  cost.cores = cores > 0 ? cores : machine.chip.cores();
  cost.utilisation = time.utilisation;
  cost.fits = time.fits;
  cost.bound = time.bound;
  return cost;
}

OpCost OpTimes::cost(const Op &op, const OpTypes &types, int64_t device) {
  OpCost cost;
  cost.flops = op.costs.flops ? op.costs.flops(types, device) : 0;
  // Sharing moves a pointer, and a constant is there when the program starts.
  // A processor leaves elements that only move where they are.
  if (op.access.shares || op.name == "constant" ||
      op.role != Op::Role::Compute || (machine.processor && op.access.pieces)) {
    if (machine.processor)
      cost.seconds = machine.processor->instruction;
    return cost;
  }
  if (op.costs.attention) {
    AttentionWork work = op.costs.attention(types, device);
    if (work.shape.queries > 0)
      return attention(work, types, cost.flops);
  }
  double bytes = static_cast<double>(bytesTouched(types));
  machine::OpTime time;
  if (op.costs.product) {
    ProductWork work = op.costs.product(types);
    bool exact = types.input(0)->element == ElementType::F32;
    time = machine::productTime(
        machine, work.batch, work.rows, work.inner, work.columns, bytes,
        exact ? machine::Fidelity::HiFi4 : machine::Fidelity::HiFi2);
  } else {
    time = machine::elementwiseTime(machine, cost.flops, bytes);
  }
  cost.seconds = time.seconds;
  cost.dramSeconds = time.dramSeconds;
  cost.bound = time.bound;
  return cost;
}

} // namespace ring::rt
