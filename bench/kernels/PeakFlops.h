// SPDX-License-Identifier: Apache-2.0
//
// The two measures that attention is held against: the machine's own limit, and
// attention put together from a library's matrix product.

#ifndef RING_BENCH_KERNELS_PEAKFLOPS_H
#define RING_BENCH_KERNELS_PEAKFLOPS_H

#include <cstdint>

namespace ring::bench {

/// Runs fused multiply-adds on registers alone, `rounds` times, and returns
/// the floating point operations done.
double runFusedMultiplyAdds(int64_t rounds);

/// A row of the library baseline's softmax: turns `count` scores (log2 domain)
/// into weights relative to the running maximum, and returns the factor that
/// earlier sums take. Uses the kernels' own exp2, so that the comparison is one
/// of matrix products and of fusion.
float softmaxRow(float *scores, int64_t count, float &max, float &sum);

/// values[i] *= factor.
void scaleRow(float *values, int64_t count, float factor);

/// Makes highway choose AVX2 from here on, or the best target again.
void restrictToAvx2(bool restrict);

/// The name of the instruction set in use.
const char *targetName();

} // namespace ring::bench

#endif // RING_BENCH_KERNELS_PEAKFLOPS_H
