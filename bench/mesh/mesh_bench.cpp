// SPDX-License-Identifier: Apache-2.0
//
// How close programs on the CPU mesh come to the machine: for every program
// file, its useful operations per second as a share of the FMA peak of all the
// threads together. As a model repeats its layers, memory has been used before:
// a run is the median of three in one process. The programs take turns, with a
// measurement of the peak after every run. A thread that loses its core for a
// moment lowers a measured peak, so all shares are of the highest: those of the
// median run and of the fastest, which others disturb least.

#include "PeakFlops.h"

#include "ring-runtime/Runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace ring::rt;

namespace {

/// One program with its inputs and what was measured.
struct Candidate {
  std::string path;
  Program program;
  std::vector<PortTensors> inputs;
  double flops = 0;
  std::vector<double> seconds;
};

/// Operations per second of `threads` threads that do nothing but FMA, each for
/// some hundredths of a second.
double peakFlops(int threads) {
  constexpr int64_t kRounds = 4000000;
  std::vector<double> flops(threads);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> pool;
  for (int thread = 0; thread < threads; ++thread)
    pool.emplace_back([&flops, thread] {
      flops[thread] = ring::bench::runFusedMultiplyAdds(kRounds);
    });
  for (std::thread &thread : pool)
    thread.join();
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  double total = 0;
  for (double part : flops)
    total += part;
  return total / elapsed.count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "mesh_bench: %s\n", message.c_str());
  std::exit(1);
}

/// The useful operations that the devices counted.
double flopsOf(const RunResult &result) {
  double flops = result.host.flops;
  for (const DeviceStatistics &device : result.devices)
    flops += device.flops;
  return flops;
}

RunResult runOnce(const Candidate &candidate, int threads) {
  RunOptions options;
  options.threads = threads;
  // The first of several touches memory that nobody has used yet.
  options.repeat = 3;
  Result<RunResult> result = run(candidate.program, candidate.inputs, options);
  if (!result)
    fail(candidate.path + ": " + result.message());
  return std::move(*result);
}

Candidate load(const std::string &path) {
  Result<Program> program = Program::loadFile(path);
  if (!program)
    fail(path + ": " + program.message());
  Result<std::vector<PortTensors>> inputs = generateInputs(*program, 1);
  if (!inputs)
    fail(path + ": " + inputs.message());
  Candidate candidate{path, std::move(*program), std::move(*inputs)};
  return candidate;
}

/// The file's name without directory and extension.
std::string titleOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  const size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return path.substr(begin, path.rfind('.') - begin);
}

} // namespace

int main(int argc, char **argv) {
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  int repetitions = 7;
  std::vector<Candidate> candidates;
  for (int i = 1; i < argc; ++i) {
    if (!std::strncmp(argv[i], "--threads=", 10))
      threads = static_cast<int>(std::strtol(argv[i] + 10, nullptr, 10));
    else if (!std::strncmp(argv[i], "--repetitions=", 14))
      repetitions = static_cast<int>(std::strtol(argv[i] + 14, nullptr, 10));
    else if (argv[i][0] == '-')
      fail(std::string("expects --threads=N, --repetitions=N or program files, "
                       "but got ") +
           argv[i]);
    else
      candidates.push_back(load(argv[i]));
  }
  if (candidates.empty() || threads < 1 || repetitions < 1)
    fail("expects at least one program file, one thread and one repetition");

  for (Candidate &candidate : candidates)
    candidate.flops = flopsOf(runOnce(candidate, threads));
  double peak = peakFlops(threads);
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (Candidate &candidate : candidates) {
      candidate.seconds.push_back(runOnce(candidate, threads).seconds);
      peak = std::max(peak, peakFlops(threads));
    }

  std::printf("%d threads, %s, median of %d runs\n", threads,
              ring::bench::targetName(), repetitions);
  std::printf("%-24s | %8s %9s %7s %7s | %8s\n", "program", "ms", "GFLOP/s",
              "share", "best", "of first");
  const double first = median(candidates.front().seconds);
  for (const Candidate &candidate : candidates) {
    const double seconds = median(candidate.seconds);
    const double fastest =
        *std::min_element(candidate.seconds.begin(), candidate.seconds.end());
    std::printf("%-24s | %8.1f %9.1f %6.1f%% %6.1f%% | %7.1f%%\n",
                titleOf(candidate.path).c_str(), 1e3 * seconds,
                1e-9 * candidate.flops / seconds,
                100 * candidate.flops / seconds / peak,
                100 * candidate.flops / fastest / peak, 100 * first / seconds);
  }
  return 0;
}
