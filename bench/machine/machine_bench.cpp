// SPDX-License-Identifier: Apache-2.0
//
// Writes the machine at hand as a machine file, so that `--backend sim
// --machine FILE` predicts what the CPU backend takes here and the planner
// chooses for it. Everything is measured with the runtime itself, in turns, in
// memory that earlier runs have touched, as a model finds it layer after layer.

#include "BlockRuns.h"
#include "PeakFlops.h"
#include "TimedProgram.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>

using namespace ring::rt;

namespace {

/// Seconds that `work` takes on all threads at once.
double onAllThreads(int threads, const std::function<void(int)> &work) {
  auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i)
    pool.emplace_back(work, i);
  for (std::thread &thread : pool)
    thread.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// Operations a second at best: whoever shares the cores can only lower it.
double peakFlops(int threads) {
  constexpr int kRuns = 7;
  constexpr int64_t kRounds = 40000000;
  double most = 0;
  for (int i = 0; i < kRuns; ++i) {
    std::vector<double> flops(threads, 0);
    double taken = onAllThreads(threads, [&](int thread) {
      flops[thread] = ring::bench::runFusedMultiplyAdds(kRounds);
    });
    double done = 0;
    for (double one : flops)
      done += one;
    most = std::max(most, done / taken);
  }
  return most;
}

/// Seconds of one of many small instructions on each of `devices`.
double smallStep(const char *op, int64_t devices,
                 const Attributes &attributes) {
  constexpr int64_t kSteps = 2000;
  ProgramBuilder builder("steps", {devices});
  ValueType type = localTensor(ElementType::F32, {8});
  int32_t x = builder.addInput("x", type);
  for (int64_t i = 0; i < kSteps; ++i)
    x = builder.addOne(op, {x}, type, attributes);
  builder.addOutput("y", x);
  return ring::bench::medianSeconds(builder) /
         static_cast<double>(kSteps * devices);
}

} // namespace

int main() {
  int threads = std::max(1u, std::thread::hardware_concurrency());
  double peak = peakFlops(threads);
  double instruction = smallStep("neg", 1, {});
  double shift =
      smallStep("ring.shift", 8, {{"by", int64_t(1)}, {"axis", int64_t(0)}});
  constexpr int64_t kNarrow = 64, kWide = 128;
  ring::bench::BlockCosts narrow = ring::bench::measureBlocks(kNarrow);
  ring::bench::BlockCosts wide = ring::bench::measureBlocks(kWide);
  auto share = [&](const ring::bench::BlockCosts &costs) {
    return 100 * std::min(1.0, 1 / costs.flop / peak);
  };
  auto mean = [&](double ring::bench::BlockCosts::*cost) {
    return (narrow.*cost + wide.*cost) / 2;
  };
  // Something that was too small to be seen is as fast as nothing else.
  auto bandwidth = [&](double ring::bench::BlockCosts::*byte) {
    constexpr double kUnseen = 1e-12;
    return 1e-9 / std::max(mean(byte), kUnseen);
  };
  using ring::bench::BlockCosts;
  std::printf(
      "# SPDX-License-Identifier: Apache-2.0\n"
      "#\n"
      "# Measured by ./dev bench machine: %d threads, %s. The times of\n"
      "# blocks are %.1f %% apart from what these figures say.\n"
      "[machine]\n"
      "name = cpu-mesh\n"
      "description = the CPU mesh on the machine where it was "
      "measured\n"
      "\n"
      "[processor]\n"
      "peak = %.1f GFLOP/s\n"
      "attention share = %d: %.1f %%, %d: %.1f %%\n",
      threads, ring::bench::targetName(), 100 * mean(&BlockCosts::error),
      peak * 1e-9, static_cast<int>(kNarrow), share(narrow),
      static_cast<int>(kWide), share(wide));
  std::printf(
      "border = %.1f keys\n"
      "step bandwidth = %.1f GB/s\n"
      "state bandwidth = %.1f GB/s\n"
      "pack bandwidth = %.1f GB/s\n"
      "copy bandwidth = %.1f GB/s\n"
      "hand over = %.3f us\n"
      "instruction = %.3f us\n",
      std::max(mean(&BlockCosts::border), 1.0),
      bandwidth(&BlockCosts::stepByte), bandwidth(&BlockCosts::stateByte),
      bandwidth(&BlockCosts::packByte), bandwidth(&BlockCosts::copyByte),
      1e6 * std::max(shift - instruction, 1e-9), 1e6 * instruction);
  return 0;
}
