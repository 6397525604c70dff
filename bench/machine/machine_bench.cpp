// SPDX-License-Identifier: Apache-2.0
//
// Writes the machine at hand as a machine file, so that `--backend sim
// --machine FILE` predicts what the CPU backend takes here. Everything is
// measured with the runtime itself, the best of several runs each.

#include "PeakFlops.h"
#include "ring-runtime/ProgramBuilder.h"
#include "ring-runtime/Runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace ring::rt;

namespace {

constexpr int kRuns = 7;

/// Seconds of the fastest of several calls.
double best(const std::function<double()> &seconds) {
  double least = 1e30;
  for (int i = 0; i < kRuns; ++i)
    least = std::min(least, seconds());
  return least;
}

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

double peakFlops(int threads) {
  constexpr int64_t kRounds = 40000000;
  double done = 0;
  double seconds = best([&] {
    std::vector<double> flops(threads, 0);
    double taken = onAllThreads(threads, [&](int i) {
      flops[i] = ring::bench::runFusedMultiplyAdds(kRounds);
    });
    done = 0;
    for (double one : flops)
      done += one;
    return taken;
  });
  return done / seconds;
}

/// Seconds of a program, or an end with a message.
double run(const ProgramBuilder &builder) {
  Result<Program> program = builder.build();
  Result<std::vector<PortTensors>> inputs =
      program ? generateInputs(*program, 1)
              : Result<std::vector<PortTensors>>(program.status());
  if (!inputs) {
    std::fprintf(stderr, "machine_bench: %s\n", inputs.message().c_str());
    std::exit(3);
  }
  return best([&] {
    Result<RunResult> result = ring::rt::run(*program, *inputs);
    if (!result) {
      std::fprintf(stderr, "machine_bench: %s\n", result.message().c_str());
      std::exit(3);
    }
    return result->seconds;
  });
}

constexpr int64_t kHeads = 8;

/// A chain of blocks that are folded into one state.
struct Chain {
  int64_t dim = 64;
  int64_t rows = 768;
  int64_t keys = 1024;
  bool causal = false;
  bool otherKeys = false; ///< each block has keys of its own

  double rowsOfAllHeads() const { return static_cast<double>(kHeads * rows); }
  /// Operations of every row with one key.
  double flopsOfAKey() const {
    return 4.0 * static_cast<double>(dim) * rowsOfAllHeads();
  }
};

/// Seconds of one block of a chain.
double secondsOf(const Chain &chain) {
  constexpr int64_t kBlocks = 16;
  ProgramBuilder builder("chain", {1});
  Shape rows = {1, kHeads, chain.rows, chain.dim};
  ValueType keyType =
      localTensor(ElementType::F32, {1, kHeads, chain.keys, chain.dim});
  int32_t q = builder.addInput("q", localTensor(ElementType::F32, rows));
  int32_t k = 0, v = 0;
  int32_t state = builder.addOne("ring.init", {}, localState(rows));
  for (int64_t i = 0; i < kBlocks; ++i) {
    if (i == 0 || chain.otherKeys) {
      k = builder.addInput("k" + std::to_string(i), keyType);
      v = builder.addInput("v" + std::to_string(i), keyType);
    }
    Attributes attributes;
    if (chain.causal)
      attributes = {{"before", int64_t(-1)}, {"after", int64_t(0)}};
    state = builder.addOne("ring.accumulate", {q, k, v, state},
                           localState(rows), attributes);
  }
  ValueType lse = localTensor(ElementType::F32, {1, kHeads, chain.rows, 1});
  builder.addOutput("o",
                    builder.add("ring.finish", {state},
                                {localTensor(ElementType::F32, rows), lse})[0]);
  return run(builder) / static_cast<double>(kBlocks);
}

/// What blocks cost: every key that a row meets, and every row in itself.
struct BlockTimes {
  double flops = 0; ///< per second, while rows meet keys
  double row = 0;   ///< seconds of a row beside its keys
};

/// Long blocks and short ones tell the two apart.
BlockTimes blockTimes(int64_t dim) {
  Chain few, many;
  few.dim = many.dim = dim;
  few.keys = 256;
  many.keys = 4096;
  double difference = secondsOf(many) - secondsOf(few);
  BlockTimes times;
  times.flops = few.flopsOfAKey() * static_cast<double>(many.keys - few.keys) /
                difference;
  double keys = few.flopsOfAKey() * static_cast<double>(few.keys) / times.flops;
  times.row = std::max(secondsOf(few) - keys, 1e-9) / few.rowsOfAllHeads();
  return times;
}

/// Bytes a second of a row's queries and of its state, which is read and
/// written: output, maximum and sum.
double stepBandwidth(int64_t dim, const BlockTimes &times) {
  return 4.0 * static_cast<double>(3 * dim + 4) / times.row;
}

/// Keys that a row meets in vain at a causal border.
double borderKeys(int64_t dim, const BlockTimes &times) {
  Chain chain;
  chain.dim = dim;
  chain.causal = true;
  chain.rows = chain.keys = 1536;
  double meeting = secondsOf(chain) - times.row * chain.rowsOfAllHeads();
  double met = meeting * times.flops / chain.flopsOfAKey();
  return std::max(met - static_cast<double>(chain.keys + 1) / 2, 1.0);
}

/// Bytes of keys that are packed a second.
double packBandwidth(int64_t dim) {
  Chain same, other;
  same.dim = other.dim = dim;
  other.otherKeys = true;
  double packing = std::max(secondsOf(other) - secondsOf(same), 1e-9);
  return 4.0 * static_cast<double>(kHeads * other.keys * dim) / packing;
}

/// Bytes a second that arrive by gathers, in memory that was not touched yet.
double copyBandwidth(int64_t devices) {
  constexpr int64_t kGathers = 4, kRows = 2048, kDim = 64;
  ProgramBuilder builder("gathers", {devices});
  for (int64_t i = 0; i < kGathers; ++i) {
    int32_t x = builder.addInput(
        "x" + std::to_string(i),
        localTensor(ElementType::F32, {1, kHeads, kRows, kDim}));
    builder.addOutput(
        "y" + std::to_string(i),
        builder.addOne(
            "ring.all_gather", {x},
            localTensor(ElementType::F32, {1, kHeads, kRows * devices, kDim}),
            {{"dim", int64_t(2)}, {"axis", int64_t(0)}}));
  }
  return 4.0 *
         static_cast<double>(kGathers * devices * devices * kHeads * kRows *
                             kDim) /
         run(builder);
}

/// Seconds of one of many small instructions on each of `devices`.
double smallStep(const char *op, int64_t devices, Attributes attributes) {
  constexpr int64_t kSteps = 2000;
  ProgramBuilder builder("steps", {devices});
  ValueType type = localTensor(ElementType::F32, {8});
  int32_t x = builder.addInput("x", type);
  for (int64_t i = 0; i < kSteps; ++i)
    x = builder.addOne(op, {x}, type, attributes);
  builder.addOutput("y", x);
  return run(builder) / static_cast<double>(kSteps * devices);
}

/// Memory that is given back goes to the system, so that every run meets fresh
/// memory, as the only run of a program does.
void forgetFreedMemory() {
#ifdef __GLIBC__
  constexpr int kLarge = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

} // namespace

int main() {
  forgetFreedMemory();
  int threads = std::max(1u, std::thread::hardware_concurrency());
  double peak = peakFlops(threads);
  double instruction = smallStep("neg", 1, {});
  double shift =
      smallStep("ring.shift", 8, {{"by", int64_t(1)}, {"axis", int64_t(0)}});
  constexpr int64_t kNarrow = 64, kWide = 128;
  BlockTimes narrow = blockTimes(kNarrow), wide = blockTimes(kWide);
  auto share = [&](const BlockTimes &times) {
    return 100 * std::min(1.0, times.flops / peak);
  };
  auto mean = [](double a, double b) { return (a + b) / 2; };
  std::printf("# SPDX-License-Identifier: Apache-2.0\n"
              "#\n"
              "# Measured by ./dev bench machine: %d threads, %s.\n"
              "[machine]\n"
              "name = cpu-mesh\n"
              "description = the CPU mesh on the machine where it was "
              "measured\n"
              "\n"
              "[processor]\n"
              "peak = %.1f GFLOP/s\n"
              "attention share = %d: %.1f %%, %d: %.1f %%\n",
              threads, ring::bench::targetName(), peak * 1e-9,
              static_cast<int>(kNarrow), share(narrow), static_cast<int>(kWide),
              share(wide));
  std::printf(
      "border = %.1f keys\n"
      "step bandwidth = %.1f GB/s\n"
      "pack bandwidth = %.1f GB/s\n"
      "copy bandwidth = %.1f GB/s\n"
      "hand over = %.3f us\n"
      "instruction = %.3f us\n",
      mean(borderKeys(kNarrow, narrow), borderKeys(kWide, wide)),
      1e-9 * mean(stepBandwidth(kNarrow, narrow), stepBandwidth(kWide, wide)),
      1e-9 * mean(packBandwidth(kNarrow), packBandwidth(kWide)),
      1e-9 * copyBandwidth(threads), 1e6 * std::max(shift - instruction, 1e-9),
      1e6 * instruction);
  return 0;
}
