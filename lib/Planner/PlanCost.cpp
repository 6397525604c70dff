// SPDX-License-Identifier: Apache-2.0
// The cost of a timeline. Worked example, Wan 2.2 on a ring of 8: it has one
// kind of block, 10 heads of 9472 x 9472. Every split of the cores gives it the
// chunks that suit it best, and the split with which the timeline is played
// fastest is taken.

#include "ring/Planner/PlanCost.h"
#include "ring/Machine/AttentionClock.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <limits>

namespace mlir::ring {
namespace {

int64_t coresOf(const KernelChoice &kernel, const machine::Machine &machine) {
  return kernel.grid.empty() ? machine.chip.cores()
                             : kernel.grid[0] * kernel.grid[1];
}

/// The times of all blocks with some settings.
struct BlockTimes {
  std::vector<double> seconds;
  double fill = 0; ///< of the cores, before the first block of a single call
  int64_t l1Bytes = 0;
  bool fit = true;
  machine::Chunks chunks; ///< of the largest block, as the next two
  double slotWaste = 0;
  double chunkWaste = 0;
};

/// Searches the settings of one timeline.
class KernelSearch {
public:
  KernelSearch(const DeviceTimeline &program, const PlannerMachine &machine,
               const KernelRequest &request, const KernelRule &allowed)
      : program(program), timeline(program.timeline), machine(machine),
        request(request), allowed(allowed), clock(machine.spec) {}

  CostOrReason run() {
    for (const KernelChoice &split : coreSplits())
      timeline.oneCall && !machine.isProcessor() ? tryChunks(split)
                                                 : tryKernel(split);
    if (best)
      return {best, ""};
    if (reason.empty() && leastL1 == std::numeric_limits<int64_t>::max())
      reason = "expects cores to set apart for transfers, but the chip has one";
    if (reason.empty())
      reason = llvm::formatv("needs {0} KiB of L1 a core, there are {1}",
                             (leastL1 + 1023) / 1024,
                             machine.spec.chip.l1Bytes / 1024)
                   .str();
    return {std::nullopt, reason};
  }

private:
  std::vector<KernelChoice> coreSplits() const;
  std::vector<KernelChoice> fusedSplits(const KernelChoice &asked) const;
  BlockTimes timesOf(const KernelChoice &kernel);
  void tryKernel(KernelChoice kernel);
  void tryChunks(const KernelChoice &split);
  void take(const KernelChoice &kernel, const BlockTimes &times);

  const DeviceTimeline &program;
  const machine::Timeline &timeline;
  const PlannerMachine &machine;
  const KernelRequest &request;
  const KernelRule &allowed;
  machine::AttentionClock clock;
  std::optional<PlanCost> best;
  int64_t leastL1 = std::numeric_limits<int64_t>::max();
  std::string reason;
};

std::vector<KernelChoice> KernelSearch::coreSplits() const {
  KernelChoice asked;
  asked.queryChunk = request.queryChunk;
  asked.keyChunk = request.keyChunk;
  asked.grid = request.grid;
  asked.cclOffset = request.cclOffset;
  if (machine.isProcessor())
    return {asked};
  const machine::Chip &chip = machine.spec.chip;
  bool beside = timeline.attendsBesideTransfers();
  if (timeline.oneCall && beside)
    return fusedSplits(asked);
  // The op without transfers of its own is told that it has all cores.
  if (timeline.oneCall && request.grid.empty())
    asked.grid = {chip.gridColumns, chip.gridRows};
  if (!request.grid.empty() || !beside)
    return {asked};
  std::vector<KernelChoice> splits;
  for (const machine::CoreSplit &split : machine::coreSplits(chip)) {
    bool fits = !split.alternates || request.cclOffset.empty();
    if (!fits ||
        request.alternates.value_or(split.alternates) != split.alternates)
      continue;
    KernelChoice choice = asked;
    choice.alternates = split.alternates;
    if (!split.alternates) {
      choice.grid = {split.grid[0], split.grid[1]};
      if (choice.cclOffset.empty())
        choice.cclOffset = {split.movers[0], split.movers[1]};
    }
    splits.push_back(choice);
  }
  return splits;
}

/// Of cores that compute and cores that move data, who asks for the one gets
/// the other beside it, or below it: beside 6x7 cores those from 6x0 on, below
/// them those from 0x7 on.
std::vector<KernelChoice>
KernelSearch::fusedSplits(const KernelChoice &asked) const {
  std::vector<KernelChoice> splits;
  for (const machine::CoreSplit &split :
       machine::coreSplits(machine.spec.chip)) {
    if (split.alternates)
      continue;
    bool byColumn = split.movers[1] == 0;
    KernelChoice choice = asked;
    if (asked.grid.empty()) {
      choice.grid = {split.grid[0], split.grid[1]};
      if (!asked.cclOffset.empty())
        choice.grid[byColumn ? 0 : 1] = asked.cclOffset[byColumn ? 0 : 1];
    }
    if (asked.cclOffset.empty())
      choice.cclOffset = byColumn ? SmallVector<int64_t, 2>{choice.grid[0], 0}
                                  : SmallVector<int64_t, 2>{0, choice.grid[1]};
    if (choice.grid[0] > 0 && choice.grid[1] > 0)
      splits.push_back(choice);
  }
  return splits;
}

BlockTimes KernelSearch::timesOf(const KernelChoice &kernel) {
  BlockTimes times;
  double largest = 0;
  for (const machine::TimelineBlock &block : timeline.blocks) {
    machine::AttentionCall call = block.call;
    call.queryChunk = kernel.queryChunk;
    call.keyChunk = kernel.keyChunk;
    call.cores = machine.isProcessor() ? 0 : coresOf(kernel, machine.spec);
    const machine::AttentionTime &time = clock.timeOf(call);
    // One call fills its cores once, which its first block pays for.
    double seconds = time.seconds - (timeline.oneCall ? time.fillSeconds : 0);
    times.seconds.push_back(block.passes * seconds);
    if (timeline.oneCall && times.seconds.size() == 1)
      times.fill = time.fillSeconds;
    times.l1Bytes = std::max(times.l1Bytes, time.l1Bytes);
    times.fit &= time.fits;
    if (time.flops > largest) {
      largest = time.flops;
      times.chunks = {time.queryChunk, time.keyChunk};
      times.slotWaste = time.slotWaste;
      times.chunkWaste = time.chunkWaste;
    }
  }
  return times;
}

/// One setting of cores, each block with its own best chunks.
void KernelSearch::tryKernel(KernelChoice kernel) {
  BlockTimes times = timesOf(kernel);
  leastL1 = std::min(leastL1, times.l1Bytes);
  if (!times.fit)
    return;
  kernel.queryChunk = times.chunks.queries;
  kernel.keyChunk = times.chunks.keys;
  if (auto refusal = allowed(kernel))
    reason = *refusal;
  else
    take(kernel, times);
}

/// One call has one pair of chunks for all blocks: the fastest that is allowed.
void KernelSearch::tryChunks(const KernelChoice &split) {
  int64_t queries = 0, keys = 0;
  for (const machine::TimelineBlock &block : timeline.blocks) {
    queries = std::max(queries, block.call.queries);
    keys = std::max(keys, block.call.keys);
  }
  struct Candidate {
    KernelChoice kernel;
    BlockTimes times;
    double busiest;
  };
  std::vector<Candidate> candidates;
  for (const machine::Chunks &chunks : machine::chunkSizes(
           queries, keys, {request.queryChunk, request.keyChunk})) {
    KernelChoice kernel = split;
    kernel.queryChunk = chunks.queries;
    kernel.keyChunk = chunks.keys;
    BlockTimes times = timesOf(kernel);
    leastL1 = std::min(leastL1, times.l1Bytes);
    if (!times.fit)
      continue;
    double busiest = times.fill;
    for (const machine::TimelineEvent &event : timeline.events) {
      double most = 0;
      for (int32_t block : event.blocks)
        if (block != machine::kNoBlock)
          most = std::max(most, times.seconds[block]);
      busiest += most;
    }
    candidates.push_back({kernel, std::move(times), busiest});
  }
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.busiest < b.busiest;
  });
  for (const Candidate &candidate : candidates) {
    auto refusal = allowed(candidate.kernel);
    if (!refusal)
      return take(candidate.kernel, candidate.times);
    if (reason.empty())
      reason = *refusal;
  }
}

void KernelSearch::take(const KernelChoice &kernel, const BlockTimes &times) {
  machine::TimelineTime time =
      machine::play(timeline, times.seconds, times.fill, kernel.alternates);
  if (best && time.seconds >= best->seconds)
    return;
  PlanCost cost;
  cost.kernel = kernel;
  cost.seconds = time.seconds;
  cost.exposedSeconds = time.exposedSeconds;
  cost.transferSeconds = time.transferSeconds;
  cost.error = machine::earnedError(machine.spec, timeline, times.seconds);
  cost.bytesSent = time.bytesSent;
  cost.deviceBytes = program.deviceBytes;
  cost.slotWaste = times.slotWaste;
  cost.chunkWaste = times.chunkWaste;
  double peak = static_cast<double>(coresOf(kernel, machine.spec)) *
                machine.spec.chip.clock * machine::kUtilisationFlops;
  if (machine.isProcessor()) {
    peak = machine.spec.processor->peak;
    for (int64_t size : timeline.mesh)
      peak /= static_cast<double>(size);
  }
  if (time.seconds > 0)
    cost.utilisation = program.usefulFlops / (peak * time.seconds);
  best = cost;
}

} // namespace

CostOrReason costOf(const DeviceTimeline &program,
                    const PlannerMachine &machine, const KernelRequest &request,
                    const KernelRule &allowed) {
  return KernelSearch(program, machine, request, allowed).run();
}

} // namespace mlir::ring
