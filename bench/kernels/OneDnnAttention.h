// SPDX-License-Identifier: Apache-2.0
//
// The baseline that a good engineer would write in an afternoon: blockwise
// attention from a library's sgemm with a vectorised softmax in between.

#ifndef RING_BENCH_KERNELS_ONEDNNATTENTION_H
#define RING_BENCH_KERNELS_ONEDNNATTENTION_H

#include "Kernels/Attention.h"

namespace ring::bench {

/// Dense f32 operands; `queryBlock` and `keyBlock` divide nothing in
/// particular but should be multiples of 16.
void oneDnnAttention(const rt::kernels::AttentionShape &shape, float scale,
                     bool causal, const float *q, const float *k,
                     const float *v, float *out, int64_t queryBlock,
                     int64_t keyBlock);

} // namespace ring::bench

#endif // RING_BENCH_KERNELS_ONEDNNATTENTION_H
