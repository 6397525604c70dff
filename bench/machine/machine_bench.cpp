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
#include <cstring>
#include <functional>
#include <thread>

using namespace ring::rt;

namespace {

constexpr int kRuns = 5;

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

/// Bytes copied a second, each counted once.
double copyBandwidth(int threads) {
  constexpr size_t kBytes = size_t(64) << 20;
  std::vector<std::vector<char>> from(threads), into(threads);
  for (int i = 0; i < threads; ++i) {
    from[i].assign(kBytes, 1);
    into[i].assign(kBytes, 0);
  }
  double seconds = best([&] {
    return onAllThreads(threads, [&](int i) {
      std::memcpy(into[i].data(), from[i].data(), kBytes);
    });
  });
  return static_cast<double>(kBytes) * threads / seconds;
}

/// Seconds of a program and the operations it did, or an end with a message.
double run(const ProgramBuilder &builder, double *flops = nullptr) {
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
    if (flops)
      *flops = result->devices[0].flops;
    return result->seconds;
  });
}

/// Share of the peak that attention over blocks of `rows` reaches.
double attentionShare(int64_t rows, double peak) {
  // As many blocks as make a run long enough to time.
  int64_t blocks = std::max<int64_t>(1, (int64_t(1) << 22) / (rows * rows));
  ProgramBuilder builder("share", {1});
  ValueType type = localTensor(ElementType::F32, {1, 8, rows, 128});
  int32_t q = builder.addInput("q", type);
  int32_t k = builder.addInput("k", type);
  int32_t state =
      builder.addOne("ring.init", {}, localState({1, 8, rows, 128}));
  for (int64_t i = 0; i < blocks; ++i)
    state = builder.addOne("ring.accumulate", {q, k, k, state},
                           localState({1, 8, rows, 128}));
  builder.addOutput("o", builder.add("ring.finish", {state},
                                     {type, localTensor(ElementType::F32,
                                                        {1, 8, rows, 1})})[0]);
  double flops = 0;
  double seconds = run(builder, &flops);
  return std::min(1.0, flops / seconds / peak);
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

} // namespace

int main() {
  int threads = std::max(1u, std::thread::hardware_concurrency());
  double peak = peakFlops(threads);
  double instruction = smallStep("neg", 1, {});
  double shift =
      smallStep("ring.shift", 8, {{"by", int64_t(1)}, {"axis", int64_t(0)}});
  std::printf(
      "# SPDX-License-Identifier: Apache-2.0\n"
      "#\n"
      "# Measured by ./dev bench machine: %d threads, %s.\n"
      "[machine]\n"
      "name = cpu-mesh\n"
      "description = the CPU mesh on the machine where it was measured\n"
      "\n"
      "[processor]\n"
      "peak = %.1f GFLOP/s\n"
      "attention share = ",
      threads, ring::bench::targetName(), peak * 1e-9);
  bool first = true;
  for (int64_t rows : {32, 128, 512, 2048}) {
    std::printf("%s%lld: %.1f %%", first ? "" : ", ",
                static_cast<long long>(rows), 100 * attentionShare(rows, peak));
    first = false;
  }
  std::printf("\ncopy bandwidth = %.1f GB/s\n"
              "hand over = %.3f us\n"
              "instruction = %.3f us\n",
              copyBandwidth(threads) * 1e-9,
              1e6 * std::max(shift - instruction, 1e-9), 1e6 * instruction);
  return 0;
}
