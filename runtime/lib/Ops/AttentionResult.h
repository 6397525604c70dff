// SPDX-License-Identifier: Apache-2.0
//
// An attention that begins and ends within one instruction: the state it
// carries meanwhile, and its way into the result.

#ifndef RING_RUNTIME_OPS_ATTENTIONRESULT_H
#define RING_RUNTIME_OPS_ATTENTIONRESULT_H

#include "Ops/AttentionBlock.h"

namespace ring::rt {

/// A state whose output is the result itself where that is f32, so that only
/// maxima and sums, and the output otherwise, take memory of their own.
struct AttentionResult {
  kernels::AttentionShape shape;
  kernels::AttentionState state;

  /// A state before any key, to be finished into `result` (dense). With sinks,
  /// one logit per head.
  static Result<AttentionResult> make(const kernels::AttentionShape &shape,
                                      uint8_t *result, ElementType element,
                                      const std::vector<float> &sinks);

  /// The same for a result that is not dense.
  static Result<AttentionResult> make(const kernels::AttentionShape &shape,
                                      const kernels::MutableTensorView &result,
                                      const std::vector<float> &sinks);

  /// Normalises into the result. `lse` is dense, or nullptr.
  void finish(float *lse);

  /// Memory of the carried state.
  static int64_t scratchBytes(const kernels::AttentionShape &shape,
                              ElementType element);

private:
  kernels::MutableTensorView into;
  Bytes memory;
};

/// Attention over one block of keys, from nothing to the normalised result
/// (dense) and its lse (dense, or nullptr). With sinks, one logit per head.
Status attendBlock(OpRun &run, const AttentionBlock &block,
                   const kernels::TensorView &query, const HeadRows &key,
                   const HeadRows &value, const std::vector<float> &sinks,
                   uint8_t *result, ElementType element, float *lse);

/// Scratch that `attendBlock` takes.
int64_t attendScratch(const kernels::AttentionShape &shape, ElementType element,
                      int threads);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_ATTENTIONRESULT_H
