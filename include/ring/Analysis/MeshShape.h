// SPDX-License-Identifier: Apache-2.0
// The mesh that a piece of IR is compiled for.

#ifndef RING_ANALYSIS_MESHSHAPE_H
#define RING_ANALYSIS_MESHSHAPE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::ring {

/// The shape of the mesh that `op` runs on: the first of the `ttcore.meshes` of
/// the innermost module that has some, else that of its `ttcore.device`. Empty
/// where the IR names none.
SmallVector<int64_t> findMeshShape(Operation *op);

/// The mesh that the IR names, or that the ring attributes within `op` were
/// made for; one device without either.
SmallVector<int64_t> findProgramMesh(Operation *op);

} // namespace mlir::ring

#endif // RING_ANALYSIS_MESHSHAPE_H
