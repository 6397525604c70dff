// SPDX-License-Identifier: Apache-2.0
//
// What an op costs, before there is any data: bytes that come from others, and
// the shape of its work. The executor counts with it, and the simulator times
// with it.

#ifndef RING_RUNTIME_OPS_OPWORK_H
#define RING_RUNTIME_OPS_OPWORK_H

#include "Kernels/Attention.h"
#include "ring/Machine/MeshLinks.h"

namespace ring::rt {

/// Bytes that come from a stream, which may be the receiver itself.
struct Arrival {
  int64_t source = 0;
  int64_t bytes = 0;
};

using machine::Carriage;

/// The work of an attention op; useful pairs follow from its operations.
struct AttentionWork {
  kernels::AttentionShape shape;
  /// Queries that meet a few keys more or fewer than the one before: none
  /// without a pattern, all on a causal diagonal. A window slides.
  double sloping = 0;
  bool slides = false;
  int64_t longestRow = 0; ///< keys that the row with the most of them meets
  /// Operations over those of a forward pass: 2.5 backward with equal dims.
  double passes = 1;
  bool carriesState = false; ///< folds into a state in memory
  /// Whether these keys are met for the first time; the shards of a ring are
  /// packed once, by their owner.
  bool packsKeys = true;
  bool mask = false;
};

/// A product of matrices [batch, rows, inner] x [batch, inner, columns].
struct ProductWork {
  int64_t batch = 1;
  int64_t rows = 1;
  int64_t inner = 1;
  int64_t columns = 1;
};

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_OPWORK_H
