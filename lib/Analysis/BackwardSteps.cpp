// SPDX-License-Identifier: Apache-2.0
// The steps of the strategies that compute gradients.

#include "StepsBuilder.h"

namespace mlir::ring {
namespace {

using machine::StepTransfer;

double sumSeconds(const StepsBuilder &builder, double bytes) {
  return machine::elementwiseTime(builder.context.machine.spec,
                                  bytes / kF32Bytes, 3 * bytes)
      .seconds;
}

/// Keys travel P - 1 hops; the sums of their gradients follow one hop behind
/// and take one more, beside which nothing is computed.
void addRing(StepsBuilder &builder) {
  builder.result.movesBeside = builder.ranks > 1;
  double keys = builder.keyBytes(builder.keys),
         sums = builder.keyBytesF32(builder.keys);
  for (int64_t hop = 0; hop < builder.ranks; ++hop) {
    StrategyStep &step = builder.step();
    double bytes = (hop + 1 < builder.ranks ? keys : 0) + (hop > 0 ? sums : 0);
    if (bytes > 0)
      step.transfers.push_back(builder.shift(bytes, 1));
    StepsBuilder::compute(step, builder.blocksFrom(-hop, builder.ranks));
    step.otherSeconds = sumSeconds(builder, sums);
  }
  if (builder.ranks == 1)
    return;
  StepTransfer home = builder.shift(sums, 1);
  home.data = StepTransfer::Data::Computed;
  home.neededAfter = 0;
  builder.step().transfers.push_back(home);
}

/// Gathered keys; every rank gets the parts of its own keys' gradients.
void addGathered(StepsBuilder &builder) {
  double all = static_cast<double>(builder.ranks);
  double sums = builder.keyBytesF32(builder.keys);
  if (builder.ranks > 1)
    builder.step().transfers.push_back(builder.collective(
        StepTransfer::Kind::AllGather, builder.keyBytes(builder.keys)));
  std::vector<int32_t> blocks = builder.blocksWithAllKeys();
  StepsBuilder::compute(builder.step(), blocks);
  if (builder.ranks == 1)
    return;
  builder.step().transfers.push_back(
      builder.collective(StepTransfer::Kind::AllToAll, all * sums));
  builder.step().otherSeconds = sumSeconds(builder, all * sums);
}

} // namespace

void addBackwardSteps(StepsBuilder &builder) {
  builder.result.blockFactor = kBackwardFactor;
  builder.result.usefulFlops *= kBackwardFactor;
  double all = static_cast<double>(builder.ranks);
  double queries = 2 * (builder.queryBytes(builder.queries) +
                        builder.outputBytes(builder.queries)) +
                   2 * builder.outputBytesF32(builder.queries);
  double keys = builder.keyBytes(builder.keys),
         sums = builder.keyBytesF32(builder.keys);
  switch (builder.plan.getStrategy()) {
  case Strategy::Ring:
    builder.dealInputs();
    addRing(builder);
    builder.result.deviceBytes = queries + 3 * keys + 4 * sums;
    break;
  case Strategy::AllGather:
    builder.dealInputs();
    addGathered(builder);
    builder.result.deviceBytes = queries + (all + 1) * keys + 2 * all * sums;
    break;
  default:
    // Outputs and their gradients are gathered beside the inputs.
    if (builder.ranks > 1)
      builder.step().transfers.push_back(
          builder.collective(StepTransfer::Kind::AllGather,
                             2 * builder.outputBytes(builder.queries)));
    addReplicatedSteps(builder);
    builder.result.deviceBytes = all * (queries + keys + sums);
    return;
  }
  builder.dealOutput();
  for (machine::AttentionCall &block : builder.result.blocks)
    block.carriesState = true;
}

} // namespace mlir::ring
