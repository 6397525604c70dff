// SPDX-License-Identifier: Apache-2.0
//
// Vector code of the benchmark; see PeakFlops.h.

#include "PeakFlops.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "PeakFlops.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "Kernels/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ring::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace kernels = rt::kernels::HWY_NAMESPACE;

/// Twelve independent chains: a latency of four cycles on two units needs
/// eight, and twelve fit into the sixteen registers of AVX2.
double multiplyAddLoop(int64_t rounds) {
  constexpr int kChains = 12;
  const kernels::FloatTag d;
  kernels::FloatVec sums[kChains];
  // Kept from the optimiser's eyes; the values stay near 1.
  volatile float seed = 0.999f;
  const auto factor = hn::Set(d, seed);
  const auto term = hn::Set(d, 1.0f - seed);
#pragma GCC unroll 12
  for (int chain = 0; chain < kChains; ++chain)
    sums[chain] = hn::Set(d, seed + static_cast<float>(chain));
  for (int64_t round = 0; round < rounds; ++round)
#pragma GCC unroll 12
    for (int chain = 0; chain < kChains; ++chain)
      sums[chain] = hn::MulAdd(sums[chain], factor, term);
  auto total = sums[0];
#pragma GCC unroll 12
  for (int chain = 1; chain < kChains; ++chain)
    total = hn::Add(total, sums[chain]);
  volatile float sink = hn::GetLane(total);
  (void)sink;
  return 2.0 * kernels::kLanes * kChains * static_cast<double>(rounds);
}

float softmaxRowLoop(float *scores, int64_t count, float &max, float &sum) {
  const kernels::FloatTag d;
  auto largest = hn::Set(d, max);
  for (int64_t i = 0; i < count; i += kernels::kLanes)
    largest = hn::Max(largest, hn::LoadU(d, scores + i));
  const float newMax = hn::GetLane(hn::MaxOfLanes(d, largest));
  const float factor = std::exp2(max - newMax);
  const auto reference = hn::Set(d, newMax);
  auto total = hn::Zero(d);
  for (int64_t i = 0; i < count; i += kernels::kLanes) {
    const auto weight =
        kernels::exp2(d, hn::Sub(hn::LoadU(d, scores + i), reference));
    hn::StoreU(weight, d, scores + i);
    total = hn::Add(total, weight);
  }
  sum = sum * factor + hn::GetLane(hn::SumOfLanes(d, total));
  max = newMax;
  return factor;
}

void scaleRowLoop(float *values, int64_t count, float factor) {
  const kernels::FloatTag d;
  for (int64_t i = 0; i < count; i += kernels::kLanes)
    hn::StoreU(hn::Mul(hn::LoadU(d, values + i), hn::Set(d, factor)), d,
               values + i);
}

const char *nameOfTarget() { return hwy::TargetName(HWY_TARGET); }

} // namespace HWY_NAMESPACE
} // namespace ring::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ring::bench {
HWY_EXPORT(multiplyAddLoop);
HWY_EXPORT(softmaxRowLoop);
HWY_EXPORT(scaleRowLoop);
HWY_EXPORT(nameOfTarget);

double runFusedMultiplyAdds(int64_t rounds) {
  return HWY_DYNAMIC_DISPATCH(multiplyAddLoop)(rounds);
}

float softmaxRow(float *scores, int64_t count, float &max, float &sum) {
  return HWY_DYNAMIC_DISPATCH(softmaxRowLoop)(scores, count, max, sum);
}

void scaleRow(float *values, int64_t count, float factor) {
  HWY_DYNAMIC_DISPATCH(scaleRowLoop)(values, count, factor);
}

const char *targetName() { return HWY_DYNAMIC_DISPATCH(nameOfTarget)(); }

void restrictToAvx2(bool restrict) {
#if HWY_ARCH_X86
  hwy::SetSupportedTargetsForTest(0);
  if (restrict)
    hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() &
                                    ~(HWY_AVX3 | HWY_AVX3_DL));
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
#else
  (void)restrict;
#endif
}

} // namespace ring::bench
#endif // HWY_ONCE
