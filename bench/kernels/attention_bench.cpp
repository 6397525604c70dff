// SPDX-License-Identifier: Apache-2.0
//
// How close attention comes to the machine: one table of shares of the FMA
// peak, one thread. Absolute figures drift with the clock and with whatever
// else runs, so every run of the kernel stands between two measurements of the
// peak, is divided by the better of them, and the median of these shares
// counts. `behind` is how many points that is below full attention in f32.
//
// Useful work is 4 * B * H * S^2 * D operations, half of it when causal.

#include "Kernels/Attention.h"
#include "PeakFlops.h"

#include <time.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#ifdef RING_BENCH_ONEDNN
#include "OneDnnAttention.h"
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

using namespace ring::rt::kernels;

namespace {

/// Large memory in large pages where the system has them, as the executor's.
template <typename T>
struct PageAllocator {
  using value_type = T;
  T *allocate(size_t count) {
    constexpr size_t kPage = size_t(2) << 20;
    const size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    void *memory = std::aligned_alloc(kPage, bytes);
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T *>(memory);
  }
  void deallocate(T *memory, size_t) { std::free(memory); }
  bool operator==(const PageAllocator &) const { return true; }
  bool operator!=(const PageAllocator &) const { return false; }
};
template <typename T>
using Buffer = std::vector<T, PageAllocator<T>>;

/// Processor time of all threads: being preempted by others does not count, and
/// a library that starts threads gains nothing.
double secondsNow() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

template <typename Function>
double secondsOf(Function &&function) {
  const double begin = secondsNow();
  function();
  return secondsNow() - begin;
}

double peakFlops() {
  constexpr int64_t kRounds = 10000000;
  double flops = 0;
  const double seconds =
      secondsOf([&] { flops = ring::bench::runFusedMultiplyAdds(kRounds); });
  return flops / seconds;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

struct Case {
  int64_t sequence;
  int64_t dim;
  bool causal;
  bool bf16;
};

/// One attention problem with random data.
class Workload {
public:
  Workload(const Case &config, int64_t heads) : config(config) {
    shape = {1,          heads,     heads, config.sequence, config.sequence,
             config.dim, config.dim};
    problem.scale = 1.0f / std::sqrt(static_cast<float>(config.dim));
    problem.masking.causal = config.causal;
    std::mt19937 engine(42);
    std::normal_distribution<float> normal;
    const int64_t count = heads * config.sequence * config.dim;
    for (Buffer<float> *values : {&q, &k, &v}) {
      values->resize(count);
      for (float &value : *values)
        value = normal(engine);
    }
    for (auto [wide, narrow] :
         {std::pair(&q, &qNarrow), std::pair(&k, &kNarrow),
          std::pair(&v, &vNarrow)})
      for (float value : *wide)
        narrow->push_back(floatToBf16(value));
    head = shape;
    head.queryHeads = head.keyValueHeads = 1;
    problem.shape = head;
    packed.resize(packedKeyValueBytes(head));
    scratch.resize(accumulateScratchBytes(head));
    out.resize(count);
    lse.resize(heads * config.sequence);
  }

  double flops() const {
    return 4.0 * shape.queryHeads * shape.queries * double(shape.keys) *
           shape.keyDim * (config.causal ? 0.5 : 1.0);
  }

  /// The whole way from Q, K and V to the result and its lse, one head after
  /// the other, so that what is packed is still in the cache when it is used.
  void runOurs() {
    for (int64_t index = 0; index < shape.queryHeads; ++index) {
      const int64_t at = index * shape.queries * shape.valueDim;
      packKeyValue(head, view(k, kNarrow, at), view(v, vNarrow, at),
                   packed.data(), {0, packWorkItems(head)});
      attend(problem, view(q, qNarrow, at), packed.data(),
             /*sinks=*/nullptr,
             denseView(static_cast<void *>(out.data() + at), ElementType::F32,
                       1, shape.queries, shape.valueDim),
             lse.data() + index * shape.queries, {0, workItems(head)},
             scratch.data());
    }
  }

#ifdef RING_BENCH_ONEDNN
  void runOneDnn(int64_t queryBlock, int64_t keyBlock) {
    ring::bench::oneDnnAttention(shape, problem.scale, config.causal, q.data(),
                                 k.data(), v.data(), other.data(), queryBlock,
                                 keyBlock);
  }
  void prepareOneDnn() { other.resize(out.size()); }
  float difference() const {
    float largest = 0;
    for (size_t i = 0; i < out.size(); ++i)
      largest = std::max(largest, std::fabs(out[i] - other[i]));
    return largest;
  }
#endif

private:
  /// The head that starts at element `at`.
  TensorView view(const Buffer<float> &wide, const Buffer<uint16_t> &narrow,
                  int64_t at) const {
    const void *data = wide.data() + at;
    if (config.bf16)
      data = narrow.data() + at;
    return denseView(data, config.bf16 ? ElementType::BF16 : ElementType::F32,
                     1, shape.queries, shape.keyDim);
  }

  Case config;
  AttentionShape shape, head;
  AttentionProblem problem; ///< of one head
  Buffer<float> q, k, v, out, lse, other;
  Buffer<uint16_t> qNarrow, kNarrow, vNarrow;
  Buffer<char> packed, scratch;
};

/// A case and the runs of it so far.
class Measured {
public:
  Measured(const Case &config, int64_t heads)
      : config(config), workload(config, heads) {
    workload.runOurs();
  }

  /// Runs the case once after the peak was measured as `before`, and returns
  /// the peak after it.
  double run(double before) {
    const double seconds = secondsOf([&] { workload.runOurs(); });
    const double after = peakFlops();
    speeds.push_back(workload.flops() / seconds);
    shares.push_back(speeds.back() / std::max(before, after));
    return after;
  }

  /// The library's best speed over block sizes; 0 if there is nothing to
  /// compare, negative if it disagrees.
  double oneDnnSpeed() {
    double best = 0;
#ifdef RING_BENCH_ONEDNN
    if (config.bf16)
      return 0;
    workload.prepareOneDnn();
    for (int64_t queryBlock : {96, 192, 384})
      for (int64_t keyBlock : {128, 256, 512}) {
        const double seconds =
            secondsOf([&] { workload.runOneDnn(queryBlock, keyBlock); });
        best = std::max(best, workload.flops() / seconds);
      }
    if (!(workload.difference() < 1e-4f)) {
      std::fprintf(stderr,
                   "expects ours and oneDNN to agree to 1e-4, but they differ "
                   "by %g\n",
                   workload.difference());
      return -1;
    }
#endif
    return best;
  }

  /// A line of the table; `full` is what the case is compared to.
  void print(const Measured &full, double onednn) const {
    const double share = median(shares);
    const double ours = *std::max_element(speeds.begin(), speeds.end());
    std::printf("%6lld %4lld %7s %5s | %12.1f %6.1f%% %6.1f%% %7.1f | ",
                static_cast<long long>(config.sequence),
                static_cast<long long>(config.dim),
                config.causal ? "causal" : "full", config.bf16 ? "bf16" : "f32",
                ours * 1e-9, 100.0 * share,
                100.0 * *std::max_element(shares.begin(), shares.end()),
                100.0 * (median(full.shares) - share));
    if (onednn > 0)
      std::printf("%10.1f %6.2f\n", onednn * 1e-9, ours / onednn);
    else
      std::printf("%10s %6s\n", "-", "-");
    std::fflush(stdout);
  }

private:
  Case config;
  Workload workload;
  std::vector<double> shares, speeds;
};

} // namespace

int main(int argc, char **argv) {
  int repetitions = 15;
  int64_t heads = 8;
  bool avx2 = false, library = true;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--avx2"))
      avx2 = true;
    else if (!std::strcmp(argv[i], "--no-library"))
      library = false;
    else if (!std::strncmp(argv[i], "--heads=", 8))
      heads = std::atoi(argv[i] + 8);
    else if (!std::strncmp(argv[i], "--repetitions=", 14))
      repetitions = std::atoi(argv[i] + 14);
    else {
      std::fprintf(stderr,
                   "expects --avx2, --no-library, --heads=N or "
                   "--repetitions=N, but got %s\n",
                   argv[i]);
      return 1;
    }
  }
  ring::bench::restrictToAvx2(avx2);
  std::printf("one thread, %s, %lld heads, median of %d runs\n",
              ring::bench::targetName(), static_cast<long long>(heads),
              repetitions);
  std::printf("%6s %4s %7s %5s | %12s %7s %7s %7s | %10s %6s\n", "S", "D",
              "mask", "type", "GFLOP/s", "share", "best", "behind", "oneDNN",
              "ratio");
  for (auto [sequence, dim] : {std::pair(2048, 64), std::pair(4096, 64),
                               std::pair(8192, 64), std::pair(4096, 128)}) {
    // What is compared takes turns, so that a slow moment meets all of it.
    std::vector<Measured> cases;
    for (auto [causal, bf16] : {std::pair(false, false), std::pair(true, false),
                                std::pair(false, true)})
      cases.emplace_back(Case{sequence, dim, causal, bf16}, heads);
    double before = peakFlops();
    for (int repetition = 0; repetition < repetitions; ++repetition)
      for (Measured &measured : cases)
        before = measured.run(before);
    for (Measured &measured : cases) {
      const double onednn = library ? measured.oneDnnSpeed() : 0;
      if (onednn < 0)
        return 1;
      measured.print(cases.front(), onednn);
    }
  }
  return 0;
}
