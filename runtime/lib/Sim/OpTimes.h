// SPDX-License-Identifier: Apache-2.0
//
// How long instructions take on a chip: from the op table's description of
// their work to the machine model.

#ifndef RING_RUNTIME_SIM_OPTIMES_H
#define RING_RUNTIME_SIM_OPTIMES_H

#include "Ops/Op.h"
#include "ring/Machine/AttentionClock.h"
#include "ring/Machine/PublishedFigures.h"

namespace ring::rt {

/// What one instruction costs on one device.
struct OpCost {
  double seconds = 0;
  double dramSeconds = 0;
  double flops = 0;
  bool attends = false;
  /// Of an attention: cores at work, share of their peak, whether it fits L1.
  int64_t cores = 0;
  double utilisation = 0;
  bool fits = true;
  std::string bound;
};

/// Times instructions; the same work is timed once.
class OpTimes {
public:
  /// `cores` of a chip attend; 0 for all.
  OpTimes(const machine::Machine &machine, int64_t cores)
      : machine(machine), cores(cores), clock(machine) {}

  OpCost cost(const Op &op, const OpTypes &types, int64_t device);
  /// The clock's answer for a call. `fused`: a step of a fused ring.
  const machine::AttentionTime &timeOf(const machine::AttentionCall &call,
                                       bool fused);
  /// The error of all calls that were timed; none if there were none.
  const std::optional<machine::EarnedError> &error() const { return earned; }

private:
  OpCost attention(const AttentionWork &work, const OpTypes &types,
                   double flops);

  const machine::Machine &machine;
  int64_t cores;
  machine::AttentionClock clock;
  std::optional<machine::EarnedError> earned;
};

/// Bytes of a tile of 1024 elements.
double tileBytesOf(ElementType element);

/// The call of the machine model for some attention, of which `pairs` of a
/// query and a key count for each head.
machine::AttentionCall callOf(const AttentionWork &work, ElementType element,
                              double pairs);

} // namespace ring::rt

#endif // RING_RUNTIME_SIM_OPTIMES_H
