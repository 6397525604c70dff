// SPDX-License-Identifier: Apache-2.0
//
// Timing on a core that others use as well. On a virtual machine a neighbour on
// the core's other hyperthread makes everything 1.4 times slower, and a kernel
// and the peak not alike. A short probe that such a neighbour slows down
// therefore stands before and after every sample, and a sample counts only if
// both probes are about as fast as the fastest of the run. The probes alone
// choose, never the sample's own result. What comes and goes within a sample
// stays unseen; the median bears some of that.

#ifndef RING_BENCH_KERNELS_QUIETSAMPLES_H
#define RING_BENCH_KERNELS_QUIETSAMPLES_H

#include "PeakFlops.h"

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace ring::bench {

inline double secondsOn(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

inline double wallSeconds() { return secondsOn(CLOCK_MONOTONIC); }

/// Processor time of all threads: being preempted by others does not count, and
/// a library that starts threads gains nothing.
template <typename Function>
double secondsOf(Function &&function) {
  const double begin = secondsOn(CLOCK_PROCESS_CPUTIME_ID);
  function();
  return secondsOn(CLOCK_PROCESS_CPUTIME_ID) - begin;
}

/// What was seen of the core between two samples.
struct Moment {
  double peak;  ///< floating point operations a second
  double probe; ///< additions a second
};

/// Tells whether the core is ours alone, and how fast it is.
class Core {
public:
  /// Looks for a while, to know what the fastest probe is.
  Core() {
    constexpr double kSeconds = 0.2;
    for (const double end = wallSeconds() + kSeconds; wallSeconds() < end;)
      look();
  }

  Moment look() {
    const double peak = measurePeak();
    return {peak, measureProbe()};
  }

  /// A disturbed probe reaches about half of the fastest; the clock's own ups
  /// and downs are a few percent.
  bool isQuiet(double probe) const { return probe >= 0.88 * fastestProbe; }

  /// A quiet moment: `last` if it was one, otherwise the next before the
  /// deadline.
  Moment awaitQuiet(Moment last, double deadline) {
    constexpr timespec kPause = {0, 1000000};
    while (!isQuiet(last.probe) && wallSeconds() < deadline) {
      nanosleep(&kPause, nullptr);
      if (isQuiet(measureProbe()))
        last = look();
    }
    return last;
  }

private:
  /// Some 0.3 ms of multiply-adds.
  static double measurePeak() {
    constexpr int64_t kRounds = 150000;
    // Wide vector units that were idle take some microseconds to wake up.
    runFusedMultiplyAdds(kRounds / 10);
    double flops = 0;
    const double seconds =
        secondsOf([&] { flops = runFusedMultiplyAdds(kRounds); });
    return flops / seconds;
  }

  /// The better of two loops of 20 us, so that a single interrupt does no harm.
  double measureProbe() {
    const double probe = std::max(additionsPerSecond(), additionsPerSecond());
    fastestProbe = std::max(fastestProbe, probe);
    return probe;
  }

  /// A loop of one dependent addition takes a cycle on a core of its own, and
  /// two when the hyperthreads take turns at fetching its jump. Unrolled, it
  /// would not notice them. Wall time, so that being preempted shows as well.
  /// Not inlined: every probe is the same code.
  [[gnu::noinline]] static double additionsPerSecond() {
    constexpr int64_t kAdditions = 62000;
    uint64_t sum = 0;
    const double begin = wallSeconds();
#pragma GCC unroll 1
    for (int64_t i = 0; i < kAdditions; ++i) {
#if defined(__x86_64__)
      asm volatile("add $1, %0" : "+r"(sum));
#else
      ++sum;
      asm volatile("" : "+r"(sum)); // the sum is needed here: one at a time
#endif
    }
    return double(kAdditions) / (wallSeconds() - begin);
  }

  double fastestProbe = 0;
};

/// The value that a share `part` of all values is below.
inline double quantile(std::vector<double> values, double part) {
  const auto at = values.begin() + static_cast<int64_t>(part * values.size());
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

inline double median(const std::vector<double> &values) {
  return quantile(values, 0.5);
}

/// The samples of one way to compute attention.
class Series {
public:
  /// `runHead` computes the next head, which takes `flops` operations.
  Series(std::function<void()> runHead, double flops)
      : runHead(std::move(runHead)), flops(flops) {}

  /// Takes a sample after the moment `before` and returns the moment after it.
  Moment sample(const Moment &before, Core &core) {
    const double speed = flops / secondsOf(runHead);
    const Moment after = core.look();
    samples.push_back({speed, speed / std::max(before.peak, after.peak),
                       std::min(before.probe, after.probe)});
    return after;
  }

  /// Asked anew each time: a faster probe than all before tells that samples
  /// which seemed quiet were not.
  size_t counted(const Core &core) const { return shares(core).size(); }
  size_t discarded(const Core &core) const {
    return samples.size() - counted(core);
  }
  std::vector<double> shares(const Core &core) const {
    return ofCounted(core, &Sample::share);
  }
  std::vector<double> speeds(const Core &core) const {
    return ofCounted(core, &Sample::speed);
  }

private:
  struct Sample {
    double speed;
    double share;
    double slowerProbe;
  };

  std::vector<double> ofCounted(const Core &core,
                                double Sample::*figure) const {
    std::vector<double> figures;
    for (const Sample &sample : samples)
      if (core.isQuiet(sample.slowerProbe))
        figures.push_back(sample.*figure);
    return figures;
  }

  std::function<void()> runHead;
  double flops;
  std::vector<Sample> samples;
};

/// Samples until each series has `wanted` that count, or the deadline is over.
/// What is compared takes turns, so that a slow moment meets all of it.
inline void collect(const std::vector<Series *> &compared, size_t wanted,
                    double deadline, Core &core) {
  Moment last = core.look();
  for (bool complete = false; !complete;) {
    complete = true;
    for (Series *series : compared) {
      if (series->counted(core) >= wanted)
        continue;
      complete = false;
      last = core.awaitQuiet(last, deadline);
      if (wallSeconds() >= deadline)
        return;
      last = series->sample(last, core);
    }
  }
}

} // namespace ring::bench

#endif // RING_BENCH_KERNELS_QUIETSAMPLES_H
