// SPDX-License-Identifier: Apache-2.0
// The ring in two levels: fast links within a host, slow ones between hosts.

#include "StepsBuilder.h"

namespace mlir::ring {

using machine::StepTransfer;

/// Worked example, 8 ranks, 4 of them a host. Rank 1 has the keys of ranks 1,
/// 0, 3, 2, then those of the other host, 5, 4, 7, 6. The shard of rank 5 was
/// sent over in the first step and had four steps to arrive. A flat ring sends
/// over the same slow link in every step, and only one rank's link is used.
///
/// Half of every shard goes either way round, so that both directions of a link
/// are used.
StrategySteps doubleRingSteps(const AttentionTraits &traits, PlanAttr plan,
                              const StepsContext &context, int64_t inner) {
  StepsBuilder builder(traits, plan, context);
  builder.dealInputs();
  int64_t outer = builder.ranks / inner;
  std::vector<machine::Axis> &axes = builder.result.axes;
  machine::Axis within = axes.front(), across = axes.front();
  within.ranks = within.perHost = inner;
  within.topology =
      inner > 2 ? machine::Topology::Ring : machine::Topology::Line;
  across.ranks = outer;
  across.perHost = 1;
  across.topology =
      outer > 2 ? machine::Topology::Ring : machine::Topology::Line;
  size_t withinAxis = axes.size(), acrossAxis = axes.size() + 1;
  axes.push_back(within);
  axes.push_back(across);

  double half = builder.keyBytes(builder.keys) / 2;
  auto send = [&](StrategyStep &step, size_t axis, StepTransfer::Data data,
                  int64_t neededAfter) {
    for (int64_t hop : {1, -1}) {
      StepTransfer transfer = builder.shift(half, hop);
      transfer.axis = axis;
      transfer.data = data;
      transfer.neededAfter = neededAfter;
      step.transfers.push_back(transfer);
    }
  };
  builder.result.movesBeside = builder.ranks > 1;
  size_t first = builder.result.steps.size();
  for (int64_t host = 0; host < outer; ++host)
    for (int64_t turn = 0; turn < inner; ++turn) {
      StrategyStep &step = builder.step();
      auto rankOfKeys = [&](int64_t own) {
        int64_t from = (own / inner + outer - host) % outer;
        return from * inner + (own % inner + inner - turn) % inner;
      };
      StepsBuilder::compute(step,
                            builder.blocksWith(rankOfKeys, builder.ranks));
      if (turn == 0 && host + 1 < outer)
        send(step, acrossAxis, StepTransfer::Data::Forwarded, inner);
      if (turn + 1 < inner)
        send(step, withinAxis,
             turn == 0 ? StepTransfer::Data::Given
                       : StepTransfer::Data::Forwarded,
             /*neededAfter=*/1);
    }
  builder.carryState(first, builder.queries);
  builder.packOnce(first, builder.keys);
  builder.dealOutput();
  // Its own shard, two that travel within the host and two between hosts.
  builder.result.deviceBytes = builder.queryBytes(builder.queries) +
                               builder.outputBytes(builder.queries) +
                               builder.outputBytesF32(builder.queries) +
                               5 * builder.keyBytes(builder.keys);
  return std::move(builder.result);
}

} // namespace mlir::ring
