// SPDX-License-Identifier: Apache-2.0
// That ring-raise has seen a module: it says itself which attentions it leaves.

#ifndef RING_ANALYSIS_RAISEDMODULE_H
#define RING_ANALYSIS_RAISEDMODULE_H

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::ring {

/// ring-raise leaves one behind, and passes that keep no analyses drop it.
struct RaisedModule {
  explicit RaisedModule(Operation *) {}
};

} // namespace mlir::ring

#endif // RING_ANALYSIS_RAISEDMODULE_H
