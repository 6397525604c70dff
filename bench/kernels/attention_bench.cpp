// SPDX-License-Identifier: Apache-2.0
//
// How close attention comes to the machine: one table of shares of the FMA
// peak, one thread. A sample is one head, from Q, K and V to the result; its
// share is its speed divided by the better of the peaks measured before and
// after it, since the clock drifts. `behind` is how many points the median
// share is below that of full attention in f32, `p90` the share that one sample
// in ten exceeds.
//
// Only samples of a quiet core count (see QuietSamples.h). A case with too few
// of them says so instead of giving figures, and a last line warns if many were
// disturbed: then others were disturbed unseen.
//
// Useful work of a head is 4 * S^2 * D operations, half of it when causal.

#include "Kernels/Attention.h"
#include "PeakFlops.h"
#include "QuietSamples.h"

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
#include <optional>
#include <random>
#include <utility>
#include <vector>

using namespace ring::bench;
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

struct Case {
  int64_t sequence;
  int64_t dim;
  bool causal;
  bool bf16;
};

/// Random tensors of one size, for all cases of that size: what a case finds in
/// the caches must not depend on how many others there are.
class Tensors {
public:
  Tensors(int64_t sequence, int64_t dim, int64_t heads)
      : shape{1, heads, heads, sequence, sequence, dim, dim} {
    std::mt19937 engine(42);
    std::normal_distribution<float> normal;
    const int64_t count = heads * sequence * dim;
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
    out.resize(count);
    lse.resize(heads * sequence);
    packed.resize(packedKeyValueBytes(headShape()));
    scratch.resize(accumulateScratchBytes(headShape()));
  }

  AttentionShape headShape() const {
    AttentionShape head = shape;
    head.queryHeads = head.keyValueHeads = 1;
    return head;
  }

  /// Every sample takes another head, whatever its case, so that its operands
  /// are cold.
  int64_t takeTurn() { return turn++ % shape.queryHeads; }

  const AttentionShape shape;
  Buffer<float> q, k, v, out, lse;
  Buffer<uint16_t> qNarrow, kNarrow, vNarrow;
  Buffer<char> packed, scratch;

private:
  int64_t turn = 0;
};

/// One way to attend.
class Workload {
public:
  Workload(const Case &config, Tensors &tensors)
      : config(config), tensors(tensors), shape(tensors.shape),
        head(tensors.headShape()) {
    problem.shape = head;
    problem.scale = 1.0f / std::sqrt(static_cast<float>(config.dim));
    problem.masking.causal = config.causal;
  }

  double flopsOfHead() const {
    return 4.0 * head.queries * double(head.keys) * head.keyDim *
           (config.causal ? 0.5 : 1.0);
  }

  /// The whole way from Q, K and V to the result and its lse.
  void runOurs() {
    const int64_t index = tensors.takeTurn();
    const int64_t at = index * shape.queries * shape.valueDim;
    startPacking(head, tensors.packed.data());
    attend(problem, view(tensors.q, tensors.qNarrow, at),
           {view(tensors.k, tensors.kNarrow, at),
            view(tensors.v, tensors.vNarrow, at), tensors.packed.data()},
           /*sinks=*/nullptr,
           denseView(static_cast<void *>(tensors.out.data() + at),
                     ElementType::F32, 1, shape.queries, shape.valueDim),
           tensors.lse.data() + index * shape.queries, {0, workItems(head)},
           tensors.scratch.data());
  }

#ifdef RING_BENCH_ONEDNN
  /// Computes all heads by ourselves, which the library is compared to.
  void prepareOneDnn() {
    for (int64_t index = 0; index < shape.queryHeads; ++index)
      runOurs();
    expected = tensors.out;
  }
  void runOneDnn(int64_t queryBlock, int64_t keyBlock) {
    const int64_t at = tensors.takeTurn() * shape.queries * shape.valueDim;
    oneDnnAttention(head, problem.scale, config.causal, tensors.q.data() + at,
                    tensors.k.data() + at, tensors.v.data() + at,
                    tensors.out.data() + at, queryBlock, keyBlock);
  }
  float difference() const {
    float largest = 0;
    for (size_t i = 0; i < expected.size(); ++i)
      largest = std::max(largest, std::fabs(expected[i] - tensors.out[i]));
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
  Tensors &tensors;
  AttentionShape shape, head;
  AttentionProblem problem; ///< of one head
  Buffer<float> expected;   ///< of all heads, for the library
};

/// Fewer samples give no figures.
constexpr size_t kFewestSamples = 15;
/// Of the library, for every block size.
constexpr size_t kLibrarySamples = 5;

/// A case and its samples.
class Measured {
public:
  Measured(const Case &config, Tensors &tensors)
      : config(config), workload(config, tensors),
        ours([this] { workload.runOurs(); }, workload.flopsOfHead()) {
    // What runs for the first time is slower.
    for (int64_t head = 0; head < tensors.shape.queryHeads; ++head)
      workload.runOurs();
  }
  // The series know where the workload is.
  Measured(const Measured &) = delete;
  Measured &operator=(const Measured &) = delete;

  Series &samples() { return ours; }

  /// Samples the library over block sizes, if there is something to compare.
  /// Returns whether it agrees with ours.
  bool runLibrary([[maybe_unused]] int64_t heads,
                  [[maybe_unused]] double deadline,
                  [[maybe_unused]] Core &core) {
#ifdef RING_BENCH_ONEDNN
    if (config.bf16)
      return true;
    workload.prepareOneDnn();
    for (int64_t head = 0; head < heads; ++head)
      workload.runOneDnn(192, 256);
    for (int64_t queryBlock : {96, 192, 384})
      for (int64_t keyBlock : {128, 256, 512})
        library.emplace_back([=] { workload.runOneDnn(queryBlock, keyBlock); },
                             workload.flopsOfHead());
    std::vector<Series *> compared;
    compared.reserve(library.size());
    for (Series &series : library)
      compared.push_back(&series);
    collect(compared, kLibrarySamples, deadline, core);
    if (!(workload.difference() < 1e-4f)) {
      std::fprintf(stderr,
                   "expects ours and oneDNN to agree to 1e-4, but they differ "
                   "by %g\n",
                   workload.difference());
      return false;
    }
#endif
    return true;
  }

  /// A line of the table; `full` is what the case is compared to.
  void print(const Measured &full, const Core &core) const {
    std::printf(
        "%6lld %4lld %7s %5s | ", static_cast<long long>(config.sequence),
        static_cast<long long>(config.dim), config.causal ? "causal" : "full",
        config.bf16 ? "bf16" : "f32");
    const bool enough = ours.counted(core) >= kFewestSamples;
    const double speed = enough ? median(ours.speeds(core)) : 0;
    if (enough) {
      const std::vector<double> shares = ours.shares(core);
      std::printf("%9.1f %6.1f%% %6.1f%% ", speed * 1e-9, 100 * median(shares),
                  100 * quantile(shares, 0.9));
      if (full.ours.counted(core) >= kFewestSamples)
        std::printf("%7.1f ",
                    100 * (median(full.ours.shares(core)) - median(shares)));
      else
        std::printf("%7s ", "-");
    } else {
      std::printf("%9s %7s %7s %7s ", "too few", "-", "-", "-");
    }
    std::printf("%8zu %9zu | ", ours.counted(core), ours.discarded(core));
    printLibrary(speed, core);
    std::fflush(stdout);
  }

private:
  /// The library's best block size, and how much faster ours is; `speed` is 0
  /// if that is not known.
  void printLibrary(double speed, const Core &core) const {
    double best = 0;
    for (const Series &series : library) {
      // One that is missing could have been the best.
      if (series.counted(core) < kLibrarySamples) {
        std::printf("%9s %6s\n", "too few", "-");
        return;
      }
      best = std::max(best, median(series.speeds(core)));
    }
    if (library.empty())
      std::printf("%9s %6s\n", "-", "-");
    else if (speed == 0)
      std::printf("%9.1f %6s\n", best * 1e-9, "-");
    else
      std::printf("%9.1f %6.2f\n", best * 1e-9, speed / best);
  }

  Case config;
  Workload workload;
  Series ours;
  std::vector<Series> library; ///< one for each pair of block sizes
};

/// The number of at least 1 that follows `option` in `argument`.
std::optional<double> numberAfter(const char *option, const char *argument) {
  const size_t length = std::strlen(option);
  if (std::strncmp(argument, option, length) != 0)
    return std::nullopt;
  char *end = nullptr;
  const double number = std::strtod(argument + length, &end);
  if (*end || !(number >= 1))
    return std::nullopt;
  return number;
}

/// Long sequences take fewer samples, so that all sizes take about as long.
size_t samplesFor(int64_t sequence, int64_t dim, double samples) {
  const double work =
      double(sequence) * double(sequence) * double(dim) / (2048.0 * 2048 * 64);
  return std::max(kFewestSamples, static_cast<size_t>(samples / work));
}

} // namespace

int main(int argc, char **argv) {
  double samples = 150; // of 2048 tokens
  double limit = 60;    // seconds for a size, and as many for the library
  int64_t heads = 8;
  bool avx2 = false, library = true;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--avx2"))
      avx2 = true;
    else if (!std::strcmp(argv[i], "--no-library"))
      library = false;
    else if (auto number = numberAfter("--heads=", argv[i]))
      heads = static_cast<int64_t>(*number);
    else if (auto number = numberAfter("--samples=", argv[i]))
      samples = *number;
    else if (auto number = numberAfter("--limit=", argv[i]))
      limit = *number;
    else {
      std::fprintf(stderr,
                   "expects --avx2, --no-library, --heads=N, --samples=N or "
                   "--limit=SECONDS with numbers of at least 1, but got %s\n",
                   argv[i]);
      return 1;
    }
  }
  restrictToAvx2(avx2);
  std::printf("one thread, %s, %lld heads in turn, medians of the samples of a "
              "quiet core\n",
              targetName(), static_cast<long long>(heads));
  std::printf("%6s %4s %7s %5s | %9s %7s %7s %7s %8s %9s | %9s %6s\n", "S", "D",
              "mask", "type", "GFLOP/s", "share", "p90", "behind", "counted",
              "discarded", "oneDNN", "ratio");
  Core core;
  size_t counted = 0, discarded = 0;
  for (auto [sequence, dim] : {std::pair(2048, 64), std::pair(4096, 64),
                               std::pair(8192, 64), std::pair(4096, 128)}) {
    Tensors tensors(sequence, dim, heads);
    Measured full({sequence, dim, /*causal=*/false, /*bf16=*/false}, tensors);
    Measured causal({sequence, dim, /*causal=*/true, /*bf16=*/false}, tensors);
    Measured narrow({sequence, dim, /*causal=*/false, /*bf16=*/true}, tensors);
    collect({&full.samples(), &causal.samples(), &narrow.samples()},
            samplesFor(sequence, dim, samples), wallSeconds() + limit, core);
    const double deadline = wallSeconds() + limit;
    for (Measured *measured : {&full, &causal, &narrow}) {
      if (library && !measured->runLibrary(heads, deadline, core))
        return 1;
      measured->print(full, core);
      counted += measured->samples().counted(core);
      discarded += measured->samples().discarded(core);
    }
  }
  if (5 * discarded > counted + discarded)
    std::fprintf(
        stderr,
        "%zu of %zu samples were disturbed, and so were others within: "
        "the shares are too low; repeat it on a quieter machine\n",
        discarded, counted + discarded);
  return 0;
}
