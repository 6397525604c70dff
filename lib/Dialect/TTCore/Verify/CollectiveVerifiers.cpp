// SPDX-License-Identifier: Apache-2.0
// Rules about communication that ops of ttir and ttnn share.

#include "ttmlir/Dialect/TTCore/Verify/CollectiveVerifiers.h"

#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"

using namespace mlir;
using namespace mlir::tt;

/// Compares `result` with `input` in all dimensions but `dim`, where one has to
/// divide the other. `grows` tells which.
static LogicalResult scaledInOneDimension(Operation *op, RankedTensorType input,
                                          int64_t dim, RankedTensorType result,
                                          bool grows) {
  SmallVector<int64_t> shape(result.getShape());
  if (result.getRank() == input.getRank())
    shape[dim] = input.getDimSize(dim);
  if (ArrayRef<int64_t>(shape) != input.getShape())
    return op->emitOpError()
           << "expects a result of shape "
           << verify::shapeText(input.getShape()) << " up to dimension " << dim
           << ", but got " << verify::shapeText(result.getShape());
  int64_t before = input.getDimSize(dim), after = result.getDimSize(dim);
  int64_t part = grows ? before : after, whole = grows ? after : before;
  if (part == 0 ? whole != 0 : whole % part != 0)
    return op->emitOpError()
           << "expects dimension " << dim << " of the result to be a "
           << (grows ? "multiple" : "divisor") << " of " << before
           << ", but got " << after;
  return success();
}

LogicalResult mlir::tt::verify::allGather(Operation *op, RankedTensorType input,
                                          int64_t dim,
                                          RankedTensorType result) {
  FailureOr<int64_t> at =
      dimension(op, "all_gather_dim", dim, input.getRank()); // C1
  if (failed(at))
    return failure();
  return scaledInOneDimension(op, input, *at, result, /*grows=*/true); // C2
}

LogicalResult
mlir::tt::verify::reduceType(Operation *op, ttcore::ReduceType type,
                             ArrayRef<ttcore::ReduceType> allowed) {
  if (llvm::is_contained(allowed, type)) // C1
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "expects a reduce_type among (";
  llvm::interleaveComma(allowed, diag, [&](ttcore::ReduceType allowedType) {
    diag << stringifyEnum(allowedType);
  });
  return diag << "), but got " << stringifyEnum(type);
}

LogicalResult mlir::tt::verify::meshPartition(
    Operation *op, RankedTensorType input, int64_t dim,
    std::optional<uint32_t> clusterAxis, RankedTensorType result) {
  if (clusterAxis && *clusterAxis > 1) // C2
    return op->emitOpError()
           << "expects cluster_axis to be 0 or 1, but got " << *clusterAxis;
  FailureOr<int64_t> at = dimension(op, "dim", dim, input.getRank()); // C1
  if (failed(at))
    return failure();
  return scaledInOneDimension(op, input, *at, result, /*grows=*/false); // C3
}
