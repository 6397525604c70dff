// SPDX-License-Identifier: Apache-2.0
//
// Gradients of blockwise attention. Scores are computed again from q, k and the
// final log-sum-exp, tile by tile, so memory stays linear in the sequence and
// the K/V blocks of a ring may come in any order.

#ifndef RING_RUNTIME_KERNELS_ATTENTIONBACKWARD_H
#define RING_RUNTIME_KERNELS_ATTENTIONBACKWARD_H

#include "Kernels/Attention.h"

namespace ring::rt::kernels {

/// delta[b, h, i] = sum over d of outGrad * out, dense
/// [batch, queryHeads, queries]; computed once, used by every block.
/// It stands for the term that normalisation adds to each score's gradient:
/// dS_ij = P_ij * (dP_ij - delta_i).
void backwardDelta(const AttentionShape &shape, const TensorView &out,
                   const TensorView &outGrad, float *delta);

/// The operands of one block's backward step. `lse` and `delta` are dense
/// [batch, queryHeads, queries]; the gradients are dense f32 in the shapes of
/// q, k and v, and are added to.
struct AttentionGradients {
  TensorView query;
  TensorView key;
  TensorView value;
  TensorView outGrad;
  const float *lse = nullptr;
  const float *delta = nullptr;
  float *queryGrad = nullptr;
  float *keyGrad = nullptr;
  float *valueGrad = nullptr;
};

/// Items of backward work: one per batch and K/V head, since all query heads of
/// a group add to the same key and value gradients.
int64_t backwardWorkItems(const AttentionShape &shape);

/// Scratch of one `accumulateBackward` call, any number of items.
size_t backwardScratchBytes(const AttentionShape &shape);

/// Adds what one K/V block contributes to the three gradients.
void accumulateBackward(const AttentionProblem &problem,
                        const AttentionGradients &operands, WorkRange items,
                        void *scratch);

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_ATTENTIONBACKWARD_H
