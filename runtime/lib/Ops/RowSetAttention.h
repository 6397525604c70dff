// SPDX-License-Identifier: Apache-2.0
//
// Attention within sets of rows, dilated or packed, through the kernels:
// strided rows need no copy.

#ifndef RING_RUNTIME_OPS_ROWSETATTENTION_H
#define RING_RUNTIME_OPS_ROWSETATTENTION_H

#include "Ops/AttentionBlock.h"

namespace ring::rt {

/// Checks such a ring.attention of operands 0 to 2.
Status verifyRowSets(const OpTypes &types);

/// Scratch of `runRowSets`.
int64_t rowSetScratch(const OpTypes &types, int threads);

/// Operands 0 to 2 into result 0 and, where it is there, lse into result 2.
Status runRowSets(OpRun &run);

/// Useful operations.
double rowSetFlops(const OpTypes &types);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_ROWSETATTENTION_H
