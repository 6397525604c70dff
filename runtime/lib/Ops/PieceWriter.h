// SPDX-License-Identifier: Apache-2.0
//
// Writing down a tensor in pieces.

#ifndef RING_RUNTIME_OPS_PIECEWRITER_H
#define RING_RUNTIME_OPS_PIECEWRITER_H

#include "Ops/OpRun.h"

namespace ring::rt {

/// Writes `count` elements of a tensor in pieces, each once, over threads.
Status writePieces(OpRun &run, const TensorPieces &tensor, ElementType element,
                   int64_t count, uint8_t *into);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_PIECEWRITER_H
