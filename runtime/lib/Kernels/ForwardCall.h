// SPDX-License-Identifier: Apache-2.0
//
// One call of forward attention, whatever its entry point: where K and V come
// from, what the rows start with and where they end.

#ifndef RING_RUNTIME_KERNELS_FORWARDCALL_H
#define RING_RUNTIME_KERNELS_FORWARDCALL_H

#include "Kernels/BaseTwo.h"
#include "Kernels/ItemRows.h"

namespace ring::rt::kernels {

/// One forward call. Either `state` is read and written, or the rows start with
/// nothing but a sink and go to `result` and `lse`.
struct ForwardCall {
  const AttentionProblem &problem;
  const TensorView &query;
  const KeyValueBlock &keyValue; ///< not `packed`: by every item in scratch
  char *scratch;
  const AttentionState *state = nullptr;
  const float *sinks = nullptr; ///< by query head; may be nullptr
  const MutableTensorView *result = nullptr;
  float *lse = nullptr;               ///< may be nullptr
  const float *packedQuery = nullptr; ///< of all items; may be nullptr
};

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_FORWARDCALL_H
