// SPDX-License-Identifier: Apache-2.0
//
// The gradients of a whole dilated attention.

#ifndef RING_RUNTIME_OPS_DILATEDBACKWARD_H
#define RING_RUNTIME_OPS_DILATEDBACKWARD_H

#include "Ops/OpRun.h"

namespace ring::rt {

/// Checks the pattern; operands and results have been.
Status verifyDilatedBackward(const OpTypes &types);

/// Scratch of `runDilatedBackward`.
int64_t dilatedBackwardScratch(const OpTypes &types, int threads);

/// Useful operations: five products for each pair.
double dilatedBackwardFlops(const OpTypes &types);

/// Gradient of the output, output, lse, q, k and v into the gradients of the
/// last three.
Status runDilatedBackward(OpRun &run);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_DILATEDBACKWARD_H
