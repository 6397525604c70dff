// SPDX-License-Identifier: Apache-2.0
// Packed documents on devices: whose queries a device computes, and which keys
// those see.

#ifndef RING_ANALYSIS_DOCUMENTROUTES_H
#define RING_ANALYSIS_DOCUMENTROUTES_H

#include "ring/Analysis/RowRoutes.h"

namespace mlir::ring {

/// The window that tells documents apart by their places.
WindowAttr windowOf(DocumentsAttr documents);

/// The rows of each rank, in ascending order: those of its shard, or, if
/// balanced, as many that make work even.
std::vector<Positions> rowsByRank(DocumentsAttr documents, const HeldRows &held,
                                  bool balanced);

/// The routes of the queries of each rank, which has `rows`, and of exactly the
/// keys that they see: those of a document up to the last of its rows that the
/// rank has, or all. Keys from `keyLimit` on are padding. Every device has as
/// many packed queries as a shard has rows, and those of its own shard stay in
/// their order.
RowRoutes documentRoutes(DocumentsAttr documents, const HeldRows &held,
                         ArrayRef<Positions> rows,
                         std::optional<int64_t> keyLimit);

} // namespace mlir::ring

#endif // RING_ANALYSIS_DOCUMENTROUTES_H
