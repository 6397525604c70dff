// SPDX-License-Identifier: Apache-2.0
//
// The gradients of a whole attention within sets of rows.

#ifndef RING_RUNTIME_OPS_ROWSETBACKWARD_H
#define RING_RUNTIME_OPS_ROWSETBACKWARD_H

#include "Ops/OpRun.h"

namespace ring::rt {

/// Checks the pattern; operands and results have been.
Status verifyRowSetBackward(const OpTypes &types);

/// Scratch of `runRowSetBackward`.
int64_t rowSetBackwardScratch(const OpTypes &types, int threads);

/// Useful operations: five products for each pair.
double rowSetBackwardFlops(const OpTypes &types);

/// Gradient of the output, output, lse, q, k and v into the gradients of the
/// last three.
Status runRowSetBackward(OpRun &run);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_ROWSETBACKWARD_H
