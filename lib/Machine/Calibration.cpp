// SPDX-License-Identifier: Apache-2.0
//
// The published figures, and how far the model is from them.

#include "ring/Machine/ChipModel.h"
#include "ring/Machine/MachineFile.h"

#include <cassert>
#include <cmath>

namespace ring::machine {

namespace {

PublishedFigure figure(const char *name, const Machine &machine, int64_t tokens,
                       int64_t queryChunk, int64_t cores, int64_t steps,
                       double utilisation) {
  AttentionCall call;
  call.heads = 10;
  call.queries = call.keys = tokens;
  call.keyDim = call.valueDim = 128;
  call.queryChunk = queryChunk;
  call.keyChunk = 512;
  call.cores = cores;
  return {name, machine, call, steps, utilisation};
}

std::vector<PublishedFigure> makeFigures() {
  MachineOrError chip = loadMachine("p150");
  assert(chip && "the machine is built in");
  // Chunks of the single chip are not published with the figure; these are the
  // ones in use for shards of that length.
  return {figure("ring of 8, 9472 tokens a chip, q288 k512, 110 cores", *chip,
                 9472, 288, 110, 8, 0.707),
          figure("ring of 4, 8544 tokens a chip, q288 k512, 100 cores", *chip,
                 8544, 288, 100, 4, 0.685),
          figure("one chip, 9472 tokens, q288 k512, 110 cores", *chip, 9472,
                 288, 110, 1, 0.700),
          figure("one chip, 2368 tokens, q224 k512, 110 cores", *chip, 2368,
                 224, 110, 1, 0.575)};
}

} // namespace

const std::vector<PublishedFigure> &publishedFigures() {
  static const std::vector<PublishedFigure> kFigures = makeFigures();
  return kFigures;
}

/// The steps of a fused ring follow each other within one call, whose cores are
/// filled once; transfers are hidden.
double predictedUtilisation(const PublishedFigure &figure) {
  AttentionTime step = attentionTime(figure.machine, figure.call);
  double steps = static_cast<double>(figure.steps);
  double seconds = step.fillSeconds + steps * (step.seconds - step.fillSeconds);
  return step.utilisation * step.seconds * steps / seconds;
}

std::string predictionNote(const Machine &machine) {
  if (machine.processor)
    return "predicted by processor model 1 (not calibrated on published "
           "figures)";
  double worst = 0;
  for (const PublishedFigure &figure : publishedFigures())
    worst = std::max(
        worst, std::abs(predictedUtilisation(figure) / figure.utilisation - 1));
  std::string note = "predicted by chip model 1 (error <= " +
                     std::to_string(static_cast<int>(std::ceil(worst * 100))) +
                     " % on " + std::to_string(publishedFigures().size()) +
                     " published figures";
  if (machine.chip.architecture != "blackhole")
    note += ", all of Blackhole";
  return note + ")";
}

} // namespace ring::machine
