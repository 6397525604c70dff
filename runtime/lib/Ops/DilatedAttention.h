// SPDX-License-Identifier: Apache-2.0
//
// Dilated attention through the kernels: strided rows need no copy.

#ifndef RING_RUNTIME_OPS_DILATEDATTENTION_H
#define RING_RUNTIME_OPS_DILATEDATTENTION_H

#include "Ops/AttentionBlock.h"

namespace ring::rt {

/// Checks a dilated ring.attention of operands 0 to 2.
Status verifyDilated(const OpTypes &types);

/// Scratch of `runDilated`.
int64_t dilatedScratch(const OpTypes &types, int threads);

/// Operands 0 to 2 into result 0 and, where it is there, lse into result 2.
Status runDilated(OpRun &run);

/// Useful operations.
double dilatedFlops(const OpTypes &types);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_DILATEDATTENTION_H
