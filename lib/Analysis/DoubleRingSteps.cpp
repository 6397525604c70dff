// SPDX-License-Identifier: Apache-2.0
// The steps of the ring of rings: fast links within a host, slow ones between
// hosts.

#include "StepsBuilder.h"

namespace mlir::ring {
namespace {

using machine::StepTransfer;

/// Worked example, 8 ranks, 4 of them a host. Rank 1 has the keys of ranks 1,
/// 0, 3, 2, then those of the other host, 5, 4, 7, 6. The shard of rank 5 was
/// sent over in the first step and had four steps to arrive. A flat ring sends
/// over the same slow link in every step, and only one rank's link is used.
class DoubleRing {
public:
  explicit DoubleRing(StepsBuilder &builder)
      : builder(builder), inner(builder.plan.getInnerRing().getRanks()),
        outer(builder.plan.getOuterRing().getRanks()),
        bytes(builder.keyBytes(builder.keys)) {
    bool asked = builder.plan.getDirections() == Directions::Both;
    bothWithin = asked && inner > 2;
    bothAcross = asked && outer > 2;
    turns = bothWithin ? (inner - 1) / 2 : inner - 1;
    diametric = bothWithin && inner % 2 == 0;
    addAxes();
  }

  void addSteps() {
    builder.result.movesBeside |= inner * outer > 1;
    int64_t forwardHops = bothAcross ? outer / 2 : outer - 1;
    int64_t backwardHops = outer - 1 - forwardHops;
    int64_t stepsOfARound = 1 + turns + (diametric ? 1 : 0);
    for (int64_t hop = 0; hop <= forwardHops; ++hop) {
      size_t first = builder.result.steps.size();
      bool back = hop > 0 && hop <= backwardHops;
      goRound(-hop);
      if (back)
        goRound(hop);
      // What is sent on before a round is needed when the rounds of this hop
      // are done; what comes back, a round later.
      int64_t rounds = back ? 2 : 1;
      StrategyStep &begin = builder.result.steps[first];
      if (hop < forwardHops)
        send(begin, across, 1, bytes, rounds * stepsOfARound);
      if (hop < backwardHops)
        send(begin, across, -1, bytes, (rounds + 1) * stepsOfARound);
    }
  }

  /// Shards that a device holds beside its own.
  int64_t shards() const {
    return (inner == 1   ? 0
            : bothWithin ? 4
                         : 2) +
           (outer == 1   ? 0
            : bothAcross ? 4
                         : 2);
  }

private:
  /// The links of either ring. Devices of one processor hand tensors over at
  /// the same price everywhere.
  void addAxes() {
    const PlannerMachine &machine = builder.context.machine;
    std::vector<machine::Axis> &axes = builder.result.axes;
    within = across = 0;
    if (machine.isProcessor())
      return;
    within = axes.size();
    across = within + 1;
    const machine::Axis &own = machine.axes[builder.plan.getAxis().getIndex()];
    if (std::optional<int64_t> other = builder.plan.getOuter()) {
      axes.push_back(own);
      axes.push_back(machine.axes[*other]);
      return;
    }
    axes.push_back(machine::subAxis(own, inner, /*stride=*/1));
    axes.push_back(machine::subAxis(own, outer, /*stride=*/inner));
  }

  void send(StrategyStep &step, size_t axis, int64_t hops, double size,
            int64_t neededAfter,
            StepTransfer::Data data = StepTransfer::Data::Forwarded) {
    StepTransfer transfer = builder.shift(size, hops);
    transfer.axis = axis;
    transfer.data = data;
    transfer.neededAfter = neededAfter;
    step.transfers.push_back(transfer);
  }

  /// Every rank's block with the keys that come from `host` hosts and `source`
  /// neighbours further.
  void attend(int64_t host, int64_t source) {
    auto rankOfKeys = [&](int64_t own) {
      int64_t from = (own / inner + host + outer) % outer;
      return from * inner + (own % inner + source + inner) % inner;
    };
    StepsBuilder::compute(builder.result.steps.back(),
                          builder.blocksWith(rankOfKeys, builder.ranks));
  }

  /// The inner ring over the shards of a host.
  void goRound(int64_t host) {
    for (int64_t turn = 0; turn <= turns; ++turn) {
      StrategyStep &step = builder.step();
      auto data =
          turn == 0 ? StepTransfer::Data::Given : StepTransfer::Data::Forwarded;
      bool last = turn == turns;
      if (!last || diametric) {
        double size = last ? bytes / 2 : bytes;
        send(step, within, 1, size, 1, data);
        if (bothWithin)
          send(step, within, -1, size, 1, data);
      }
      attend(host, -turn);
      if (bothWithin && turn > 0)
        attend(host, turn);
    }
    if (!diametric)
      return;
    builder.step();
    attend(host, -inner / 2);
    builder.result.steps.back().otherSeconds +=
        (builder.shardsLieTogether() ? 0 : builder.copySeconds(2 * bytes)) +
        builder.packSeconds(builder.keys);
  }

  StepsBuilder &builder;
  int64_t inner, outer;
  double bytes;
  bool bothWithin, bothAcross, diametric;
  int64_t turns;         ///< of an inner ring
  size_t within, across; ///< axes
};

} // namespace

void addDoubleRingSteps(StepsBuilder &builder) {
  builder.dealInputs();
  size_t first = builder.result.steps.size();
  DoubleRing ring(builder);
  ring.addSteps();
  builder.finishRing(first, ring.shards());
}

} // namespace mlir::ring
