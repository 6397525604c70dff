// SPDX-License-Identifier: Apache-2.0
// Times of a strategy's steps. Worked example, Wan 2.2 on a ring of 8: a step
// has one kind of block, 10 heads of 9472 x 9472. Every chunk size and every
// split of the cores gives it a time; the sum over the steps decides. Only then
// are transfers looked at, which do not depend on either.

#include "ring/Analysis/PlanCost.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mlir::ring {
namespace {

using machine::StepTransfer;

/// The largest chunks in use; the chip model is not held against larger ones.
constexpr int64_t kLargestChunk = 512;
constexpr int64_t kKeyChunks[] = {512, 384, 256, 192, 128, 96, 64, 32};
/// Operations per cycle and core of tt-metal's utilisation.
constexpr double kUtilisationFlops = 2048;

/// Ranks whose times differ by less are taken as equally slow.
constexpr double kAlike = 0.02;

int64_t coresOf(const KernelChoice &kernel, const machine::Machine &machine) {
  return kernel.grid.empty() ? machine.chip.cores()
                             : kernel.grid[0] * kernel.grid[1];
}

/// The times of all blocks with some settings.
struct BlockTimes {
  std::vector<double> seconds;
  int64_t l1Bytes = 0;
  bool fit = true;
};

BlockTimes timesOf(const StrategySteps &steps, const machine::Machine &machine,
                   const KernelChoice &kernel) {
  BlockTimes times;
  for (machine::AttentionCall call : steps.blocks) {
    call.queryChunk = kernel.queryChunk;
    call.keyChunk = kernel.keyChunk;
    call.cores = machine.processor ? 0 : coresOf(kernel, machine);
    machine::AttentionTime time = machine::attentionTime(machine, call);
    // One call fills its cores once, which its first step pays for.
    double seconds = time.seconds - (steps.oneCall ? time.fillSeconds : 0);
    times.seconds.push_back(steps.blockFactor * seconds);
    times.l1Bytes = std::max(times.l1Bytes, time.l1Bytes);
    times.fit &= time.fits;
  }
  return times;
}

double secondsOf(const StepBlocks &work, const BlockTimes &times) {
  double seconds = 0;
  for (int32_t block : work)
    seconds += times.seconds[block];
  return seconds;
}

/// What filling the cores of a single call takes.
double fillOf(const StrategySteps &steps, const machine::Machine &machine,
              const KernelChoice &kernel) {
  if (!steps.oneCall || steps.blocks.empty() || machine.processor)
    return 0;
  machine::AttentionCall call = steps.blocks.front();
  call.queryChunk = kernel.queryChunk;
  call.keyChunk = kernel.keyChunk;
  call.cores = coresOf(kernel, machine);
  return machine::attentionTime(machine, call).fillSeconds;
}

/// The steps with every different set of blocks once: what the search for
/// chunks sums up.
class BusiestRank {
public:
  explicit BusiestRank(const StrategySteps &steps) {
    for (const StrategyStep &step : steps.steps) {
      std::vector<StepBlocks> different;
      for (const StepBlocks &work : step.work)
        if (!work.empty() && llvm::find(different, work) == different.end())
          different.push_back(work);
      if (!different.empty())
        ++steps_[different];
    }
  }

  double seconds(const BlockTimes &times) const {
    double sum = 0;
    for (const auto &[different, repeat] : steps_) {
      double most = 0;
      for (const StepBlocks &work : different)
        most = std::max(most, secondsOf(work, times));
      sum += static_cast<double>(repeat) * most;
    }
    return sum;
  }

private:
  std::map<std::vector<StepBlocks>, int64_t> steps_;
};

/// How the cores may be split: data moves on the last column or the last row.
std::vector<KernelChoice> coreSplits(const StrategySteps &steps,
                                     const machine::Chip &chip,
                                     const KernelRequest &request) {
  int64_t columns = chip.gridColumns, rows = chip.gridRows;
  KernelChoice asked;
  asked.grid = request.grid;
  asked.cclOffset = request.cclOffset;
  if (!request.grid.empty())
    return {asked};
  if (!steps.movesBeside)
    return {asked};
  std::vector<KernelChoice> splits;
  KernelChoice column, row, inOrder;
  column.grid = {columns - 1, rows};
  column.cclOffset = {columns - 1, 0};
  row.grid = {columns, rows - 1};
  row.cclOffset = {0, rows - 1};
  inOrder.inOrder = true;
  if (!request.inOrder.value_or(false))
    for (KernelChoice &split : {std::ref(column), std::ref(row)}) {
      if (!request.cclOffset.empty())
        split.cclOffset = request.cclOffset;
      splits.push_back(split);
    }
  if (!steps.oneCall && request.cclOffset.empty() &&
      request.inOrder.value_or(true))
    splits.push_back(inOrder);
  return splits;
}

std::string sayL1(int64_t needed, int64_t there) {
  return llvm::formatv("needs {0} KiB of L1 a core, there are {1}",
                       (needed + 1023) / 1024, there / 1024)
      .str();
}

machine::TransferOptions transferOptions(const StrategySteps &steps,
                                         const LinkRequest &links) {
  machine::TransferOptions options;
  if (!steps.blocks.empty())
    options.packet = machine::packetBytes(steps.blocks.front().tileBytes);
  options.links = links.links;
  return options;
}

double transferSeconds(const StrategySteps &steps, const StrategyStep &step,
                       const machine::TransferOptions &options) {
  double ways[2] = {0, 0}, latency = 0;
  for (const StepTransfer &transfer : step.transfers) {
    const machine::Axis &axis = steps.axes[transfer.axis];
    double collective = 0;
    switch (transfer.kind) {
    case StepTransfer::Kind::Shift: {
      machine::ShiftLoad load = machine::shiftLoad(
          axis, transfer.bytes, transfer.hops, options, transfer.reaching > 0);
      ways[0] += load.forward;
      ways[1] += load.backward;
      latency = std::max(latency, load.latency);
      continue;
    }
    case StepTransfer::Kind::AllGather:
      collective = machine::allGatherSeconds(axis, transfer.bytes, options);
      break;
    case StepTransfer::Kind::AllToAll:
      collective = machine::allToAllSeconds(axis, transfer.bytes, options);
      break;
    case StepTransfer::Kind::AllReduce:
      collective = machine::allReduceSeconds(axis, transfer.bytes, options);
      break;
    }
    ways[0] += collective;
    ways[1] += collective;
  }
  return std::max(ways[0], ways[1]) + latency;
}

machine::Schedule scheduleOf(const StrategySteps &steps,
                             const machine::Machine &machine,
                             const LinkRequest &links,
                             const KernelChoice &kernel) {
  BlockTimes times = timesOf(steps, machine, kernel);
  machine::Schedule schedule;
  schedule.axes = steps.axes;
  schedule.transfer = transferOptions(steps, links);
  schedule.overlaps = !kernel.inOrder;
  double fill = fillOf(steps, machine, kernel);
  for (const StrategyStep &step : steps.steps) {
    machine::ScheduleStep timed;
    timed.transfers = step.transfers;
    for (const StepBlocks &work : step.work)
      timed.compute.push_back(secondsOf(work, times) + step.otherSeconds);
    if (step.work.empty() && step.otherSeconds > 0)
      timed.compute.push_back(step.otherSeconds);
    if (!timed.compute.empty()) {
      for (double &seconds : timed.compute)
        seconds += fill;
      fill = 0;
      auto [least, most] =
          std::minmax_element(timed.compute.begin(), timed.compute.end());
      if (!machine.processor && *least >= (1 - kAlike) * *most)
        timed.compute = {*most};
    }
    schedule.steps.push_back(timed);
  }
  return schedule;
}

void setUtilisation(const StrategySteps &steps, const machine::Machine &machine,
                    PlanCost &cost) {
  if (cost.seconds <= 0)
    return;
  double peak = 0;
  if (machine.processor) {
    double devices = 1;
    for (const machine::Axis &axis : steps.axes)
      devices *= static_cast<double>(axis.ranks);
    peak = machine.processor->peak / devices;
  } else {
    peak = static_cast<double>(coresOf(cost.kernel, machine)) *
           machine.chip.clock * kUtilisationFlops;
  }
  cost.utilisation = steps.usefulFlops / (peak * cost.seconds);
}

/// The analytic model: in every step the longer of the slowest rank's blocks
/// and of the transfers, or both where one waits for the other.
void addUp(const StrategySteps &steps, const machine::Machine &machine,
           const machine::TransferOptions &options, PlanCost &cost) {
  BlockTimes times = timesOf(steps, machine, cost.kernel);
  cost.seconds = fillOf(steps, machine, cost.kernel);
  for (const StrategyStep &step : steps.steps) {
    double most = 0;
    for (const StepBlocks &work : step.work)
      most = std::max(most, secondsOf(work, times));
    most += step.otherSeconds;
    double moving = transferSeconds(steps, step, options);
    cost.computeSeconds += most;
    bool waits = cost.kernel.inOrder ||
                 llvm::any_of(step.transfers, [](const StepTransfer &transfer) {
                   return transfer.neededAfter == 0;
                 });
    double seconds = waits ? most + moving : std::max(most, moving);
    cost.exposedSeconds += seconds - most;
    cost.seconds += seconds;
    for (const StepTransfer &transfer : step.transfers)
      if (transfer.kind == StepTransfer::Kind::Shift)
        cost.bytesSent +=
            transfer.bytes *
            machine::shareReached(transfer, steps.axes[transfer.axis]);
  }
  setUtilisation(steps, machine, cost);
}

/// Chunks in the order of their times, as many as fit.
struct ChunkTime {
  KernelChoice kernel;
  double seconds;
  int64_t l1Bytes;
  size_t order; ///< of equally fast ones the earlier
};

} // namespace

CostOrReason costOf(const StrategySteps &steps, const PlannerMachine &machine,
                    const KernelRequest &request, const LinkRequest &links,
                    const KernelRule &allowed) {
  const machine::Machine &spec = machine.spec;
  PlanCost cost;
  cost.deviceBytes = steps.deviceBytes;
  if (machine.isProcessor()) {
    cost.kernel.queryChunk = request.queryChunk;
    cost.kernel.keyChunk = request.keyChunk;
    if (auto reason = allowed(cost.kernel))
      return {std::nullopt, *reason};
    confirm(steps, machine, links, cost);
    return {cost, ""};
  }

  int64_t queries = 0, keys = 0;
  for (const machine::AttentionCall &block : steps.blocks) {
    queries = std::max(queries, block.queries);
    keys = std::max(keys, block.keys);
  }
  constexpr int64_t kTile = machine::kTileSide;
  auto wholeTiles = [&](int64_t rows) {
    return std::max<int64_t>((rows + kTile - 1) / kTile * kTile, kTile);
  };
  std::vector<int64_t> queryChunks, keyChunks;
  if (request.queryChunk > 0)
    queryChunks = {request.queryChunk};
  else
    for (int64_t rows = std::min(kLargestChunk, wholeTiles(queries)); rows > 0;
         rows -= kTile)
      queryChunks.push_back(rows);
  if (request.keyChunk > 0)
    keyChunks = {request.keyChunk};
  else
    for (int64_t rows : kKeyChunks)
      if (rows <= wholeTiles(keys))
        keyChunks.push_back(rows);

  BusiestRank busiest(steps);
  machine::TransferOptions options = transferOptions(steps, links);
  int64_t leastL1 = std::numeric_limits<int64_t>::max();
  std::string reason;
  std::optional<PlanCost> best;
  for (KernelChoice kernel : coreSplits(steps, spec.chip, request)) {
    std::vector<ChunkTime> candidates;
    for (int64_t q : queryChunks)
      for (int64_t k : keyChunks) {
        kernel.queryChunk = q;
        kernel.keyChunk = k;
        BlockTimes times = timesOf(steps, spec, kernel);
        leastL1 = std::min(leastL1, times.l1Bytes);
        if (times.fit)
          candidates.push_back(
              {kernel, busiest.seconds(times) + fillOf(steps, spec, kernel),
               times.l1Bytes, candidates.size()});
      }
    llvm::sort(candidates, [](const ChunkTime &a, const ChunkTime &b) {
      return std::tie(a.seconds, a.order) < std::tie(b.seconds, b.order);
    });
    for (const ChunkTime &candidate : candidates) {
      std::optional<std::string> refusal = allowed(candidate.kernel);
      if (refusal) {
        if (reason.empty())
          reason = *refusal;
        continue;
      }
      cost = PlanCost();
      cost.deviceBytes = steps.deviceBytes;
      cost.kernel = candidate.kernel;
      cost.l1Bytes = candidate.l1Bytes;
      addUp(steps, spec, options, cost);
      if (!best || cost.seconds < best->seconds)
        best = cost;
      break;
    }
  }
  if (best)
    return {best, ""};
  return {std::nullopt,
          reason.empty() ? sayL1(leastL1, spec.chip.l1Bytes) : reason};
}

void confirm(const StrategySteps &steps, const PlannerMachine &machine,
             const LinkRequest &links, PlanCost &cost) {
  machine::ScheduleTime time =
      machine::simulate(scheduleOf(steps, machine.spec, links, cost.kernel));
  cost.seconds = time.seconds;
  cost.computeSeconds = time.computeSeconds;
  cost.exposedSeconds = time.exposedSeconds;
  cost.waitingSeconds = time.waitingSeconds;
  cost.bytesSent = time.bytesSent;
  cost.simulated = true;
  setUtilisation(steps, machine.spec, cost);
}

} // namespace mlir::ring
