// SPDX-License-Identifier: Apache-2.0
//
// What the kernel tests share: aligned memory, a choice of instruction set, and
// the one measure of error.

#ifndef RING_RUNTIME_TEST_KERNELS_KERNELTEST_H
#define RING_RUNTIME_TEST_KERNELS_KERNELTEST_H

#include "Kernels/Attention.h"

#include "hwy/targets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace ring::rt::kernels::test {

struct FreeDeleter {
  void operator()(void *memory) const { std::free(memory); }
};

/// Aligned memory full of NaN, so that reading what nobody wrote shows.
inline std::unique_ptr<void, FreeDeleter> allocateNaN(size_t bytes) {
  const size_t rounded =
      (bytes + kBufferAlignment) / kBufferAlignment * kBufferAlignment;
  auto *memory =
      static_cast<float *>(std::aligned_alloc(kBufferAlignment, rounded));
  std::fill_n(memory, rounded / sizeof(float),
              std::numeric_limits<float>::quiet_NaN());
  return std::unique_ptr<void, FreeDeleter>(memory);
}

/// Makes the kernels use one instruction set for as long as it lives.
class ScopedTarget {
public:
  explicit ScopedTarget(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
  }
  ~ScopedTarget() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

/// The instruction sets that were compiled and that this machine has.
inline std::vector<int64_t> targetsOfMachine() {
  std::vector<int64_t> targets;
  for (int bit = 0; bit < 63; ++bit)
    if (hwy::SupportedTargets() & HWY_TARGETS & (int64_t(1) << bit))
      targets.push_back(int64_t(1) << bit);
  return targets;
}

inline std::string targetOfTest(const testing::TestParamInfo<int64_t> &info) {
  return hwy::TargetName(info.param);
}

/// The largest difference over the largest magnitude of the expected tensor;
/// inf for a NaN.
template <typename Actual, typename Expected>
double relativeError(const std::vector<Actual> &actual,
                     const std::vector<Expected> &expected) {
  if (actual.size() != expected.size())
    return std::numeric_limits<double>::infinity();
  double scale = 0, error = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    scale = std::max(scale, std::fabs(double(expected[i])));
    const double difference =
        std::fabs(double(actual[i]) - double(expected[i]));
    if (!(difference <= std::numeric_limits<double>::max()))
      return std::numeric_limits<double>::infinity();
    error = std::max(error, difference);
  }
  return scale > 0 ? error / scale : error;
}

} // namespace ring::rt::kernels::test

#endif // RING_RUNTIME_TEST_KERNELS_KERNELTEST_H
