// SPDX-License-Identifier: Apache-2.0
//
// The definition of attention in plain loops: what the vector kernels must
// compute, readable in one sitting. Slow; for tests and for a doubt.

#ifndef RING_RUNTIME_KERNELS_ATTENTIONREFERENCE_H
#define RING_RUNTIME_KERNELS_ATTENTIONREFERENCE_H

#include "Kernels/Attention.h"
#include "Kernels/AttentionBackward.h"

namespace ring::rt::kernels {

/// Whether a query at position `query` sees a key at position `key`, the
/// additive mask aside.
bool seesKey(const AttentionMasking &masking, int64_t query, int64_t key);

/// `accumulateUnpacked` over all rows, one key at a time.
void accumulateReference(const AttentionProblem &problem,
                         const TensorView &query, const TensorView &key,
                         const TensorView &value, const AttentionState &state);

/// `accumulateBackward` over all items, one score at a time.
void accumulateBackwardReference(const AttentionProblem &problem,
                                 const AttentionGradients &operands);

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_ATTENTIONREFERENCE_H
