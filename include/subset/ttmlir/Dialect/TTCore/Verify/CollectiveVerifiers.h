// SPDX-License-Identifier: Apache-2.0
// Rules about communication that ops of ttir and ttnn share. The size of the
// mesh is not known to an op, so shapes are checked up to that factor.
#ifndef TTMLIR_DIALECT_TTCORE_VERIFY_COLLECTIVEVERIFIERS_H
#define TTMLIR_DIALECT_TTCORE_VERIFY_COLLECTIVEVERIFIERS_H

#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

#include "mlir/IR/Operation.h"

namespace mlir::tt::verify {

LogicalResult allGather(Operation *op, RankedTensorType input, int64_t dim,
                        RankedTensorType result);

/// `allowed` are the reductions the op's dialect has.
LogicalResult reduceType(Operation *op, ttcore::ReduceType type,
                         ArrayRef<ttcore::ReduceType> allowed);

LogicalResult meshPartition(Operation *op, RankedTensorType input, int64_t dim,
                            std::optional<uint32_t> clusterAxis,
                            RankedTensorType result);

} // namespace mlir::tt::verify

#endif // TTMLIR_DIALECT_TTCORE_VERIFY_COLLECTIVEVERIFIERS_H
