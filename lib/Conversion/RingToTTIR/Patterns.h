// SPDX-License-Identifier: Apache-2.0
// The patterns of convert-ring-to-ttir, by what the ops they lower are about.

#ifndef RING_LIB_CONVERSION_RINGTOTTIR_PATTERNS_H
#define RING_LIB_CONVERSION_RINGTOTTIR_PATTERNS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "ring/Conversion/DeviceOps.h"
#include "ring/Support/EmptyRows.h"

namespace mlir::tt::ttir {
class EmbeddingOp;
} // namespace mlir::tt::ttir

namespace mlir::ring {

/// ring.partial, ring.merge, ring.empty.
void populateBlockPatterns(RewritePatternSet &patterns, BlockLowering lowering);
/// ring.partial_backward.
void populateBackwardPatterns(RewritePatternSet &patterns,
                              BlockLowering lowering);
/// ring.shift, ring.all_gather, ring.all_to_all, ring.gather, ring.select.
void populateTransferPatterns(RewritePatternSet &patterns);
/// ring.route.
void populateRoutePatterns(RewritePatternSet &patterns);
/// ttir.embedding of tables that a device does not take.
void populateEmbeddingPatterns(RewritePatternSet &patterns);
/// ring.shard, ring.unshard, ring.relayout.
void populateShardPatterns(RewritePatternSet &patterns);

/// Whether the rows are taken out of a table that is no device's, but can be
/// made one.
bool hasOtherTable(tt::ttir::EmbeddingOp op);

/// Refuses a block whose positions still depend on the rank.
LogicalResult verifySplit(Operation *op);

/// Below this a log-sum-exp is that of a row without keys: the device's kernel
/// gives such rows about -1e9 times its scale.
inline constexpr float kLowestRealLse = -1.0e6f;

/// Gives log-sum-exps that leave the attention their -inf back, where rows have
/// no keys. Runs on ring ops.
void restoreInfinityOfLeavingLses(ModuleOp module);

/// Takes the results from writes that TTIR does in place.
void writeInPlace(ModuleOp module);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_RINGTOTTIR_PATTERNS_H
