// SPDX-License-Identifier: Apache-2.0
// ring.attention: its numbered constraints, and the work it stands for.

#include "AttentionShapes.h"
#include "mlir/IR/Diagnostics.h"
#include "ring/Dialect/Ring/IR/Dilation.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace mlir::ring {
namespace {

/// C4, C5 and C13.
LogicalResult verifyJoint(AttentionOp op) {
  auto query = op.getJointQuery(), key = op.getJointKey(),
       value = op.getJointValue();
  bool any = query || key || value || op.getJointOutput();
  if (!any && op.getJointLengthAttr())
    return op.emitOpError("expects a joint length only beside joint tokens");
  if (!any)
    return success();
  if (!query || !key || !value || !op.getJointOutput())
    return op.emitOpError(
        "expects joint query, key, value and output together");
  StringRef other = op.getPatternAttr() ? "a pattern"
                    : op.getMask()      ? "a mask"
                    : op.getSink()      ? "a sink"
                    : op.getPageTable() ? "pages"
                    : op.getStart()     ? "a start"
                    : op.getDocuments() ? "documents"
                                        : "";
  if (!other.empty())
    return op.emitOpError("expects joint tokens without a pattern, a mask, a "
                          "sink, pages, a start or documents, but got ")
           << other;

  auto withRows = [](RankedTensorType type, int64_t rows) {
    SmallVector<int64_t> shape(type.getShape());
    shape[2] = rows;
    return shape;
  };
  int64_t rows = query.getType().getDimSize(2);
  if (IntegerAttr real = op.getJointLengthAttr())
    if (real.getInt() <= 0 || real.getInt() > rows)
      return op.emitOpError("expects a joint length of 1 to ")
             << rows << ", but got " << real.getInt();
  RankedTensorType outputLike = op.getOutput().getType();
  return failure(
      failed(verifyShape(op, "joint query", query.getType().getShape(),
                         withRows(op.getQuery().getType(), rows))) ||
      failed(verifyShape(op, "joint key", key.getType().getShape(),
                         withRows(op.getKey().getType(), rows))) ||
      failed(verifyShape(op, "joint value", value.getType().getShape(),
                         withRows(op.getValue().getType(), rows))) ||
      failed(verifyShape(op, "joint output",
                         op.getJointOutput().getType().getShape(),
                         withRows(outputLike, rows))));
}

/// C8.
LogicalResult verifyPages(AttentionOp op) {
  auto table = op.getPageTable();
  if (!table)
    return success();
  if (!op.getStart())
    return op.emitOpError("expects a start beside pages");
  int64_t batch = op.getQuery().getType().getDimSize(0);
  RankedTensorType type = table.getType();
  if (type.getRank() != 2 || type.getDimSize(0) != batch ||
      !type.getElementType().isIntOrIndex())
    return op.emitOpError("expects a page table of integers [")
           << batch << ", pages], but got " << type;
  return success();
}

/// C8 and C15.
LogicalResult verifyStart(AttentionOp op) {
  auto start = op.getStart();
  std::optional<int64_t> block;
  if (op.getParallelAttr())
    block = op.getParallelAttr().getCacheBlock();
  if (block && !start)
    return op.emitOpError("expects a cache block only beside a start");
  if (!start)
    return success();
  int64_t batch = op.getQuery().getType().getDimSize(0);
  RankedTensorType type = start.getType();
  if ((type.getNumElements() != 1 &&
       (type.getRank() != 1 || type.getDimSize(0) != batch)) ||
      !type.getElementType().isIntOrIndex())
    return op.emitOpError("expects the start to be one integer, or one for "
                          "each of ")
           << batch << " batch entries, but got " << type;
  if (!op.getPatternAttr() || !op.getPatternAttr().isCausal())
    return op.emitOpError("expects a causal pattern with a start");
  int64_t rows = op.getKey().getType().getDimSize(2);
  if (block && op.getPageTable() && *block % rows != 0)
    return op.emitOpError("expects a cache block of whole pages of ")
           << rows << " rows, but got " << *block;
  return success();
}

/// C12.
LogicalResult verifyDilated(AttentionOp op, DilatedAttr dilated) {
  if (op.getMask() || op.getSink() || op.getStart())
    return op.emitOpError(
        "expects a dilated pattern without a mask, a sink, a start or pages");
  int64_t length = op.getKey().getType().getDimSize(2);
  if (std::optional<std::string> misfit = misfitOf(dilated, length))
    return op.emitOpError() << *misfit;
  return success();
}

/// C16.
LogicalResult verifyDocuments(AttentionOp op, DocumentsAttr documents) {
  if (op.getMask() || op.getSink() || op.getStart())
    return op.emitOpError(
        "expects packed documents without a mask, a sink, a start or pages");
  int64_t rows = op.getKey().getType().getDimSize(2);
  if (std::optional<std::string> misfit = documents.getValue().misfitOf(rows))
    return op.emitOpError() << *misfit;
  return success();
}

} // namespace

LogicalResult AttentionOp::verify() {
  RankedTensorType query = getQuery().getType(), key = getKey().getType(),
                   value = getValue().getType(), output = getOutput().getType();
  bool paged = static_cast<bool>(getPageTable());
  if (failed(verifyQueryKeyValue(*this, query, key, value, paged)))
    return failure();

  SmallVector<int64_t> outputShape(query.getShape());
  outputShape[3] = value.getDimSize(3);
  if (failed(verifyShape(*this, "output", output.getShape(), outputShape)))
    return failure();
  if (output.getElementType() != query.getElementType())
    return emitOpError("expects the output to have the query's element type ")
           << query.getElementType() << ", but got " << output.getElementType();

  if (failed(verifyJoint(*this)) || failed(verifyPages(*this)) ||
      failed(verifyStart(*this)))
    return failure();
  if (getDocuments() &&
      failed(verifyDocuments(*this, getDocuments().getType(), getPatternAttr(),
                             getMask()         ? "a mask"
                             : getStart()      ? "a start"
                             : getLengthAttr() ? "a length"
                                               : "")))
    return failure();
  if (getMask() && failed(verifyMask(*this, getMask().getType(), query, key)))
    return failure();
  if (getSink() &&
      failed(verifySink(*this, getSink().getType(), query.getDimSize(1))))
    return failure();

  int64_t keys = key.getDimSize(2);
  if (auto length = getLengthAttr()) {
    int64_t blocks = paged ? getPageTable().getType().getDimSize(1) : 1;
    int64_t most;
    if (llvm::MulOverflow(keys, blocks, most))
      most = std::numeric_limits<int64_t>::max();
    if (length.getInt() <= 0 || length.getInt() > most)
      return emitOpError("expects a length of 1 to ")
             << most << ", but got " << length.getInt();
  }
  if ((getPatternAttr() || getDocuments()) && !getStart() &&
      query.getDimSize(2) != keys)
    return emitOpError("expects as many queries as keys with a pattern and no "
                       "start, but got ")
           << query.getDimSize(2) << " and " << keys;
  if (auto dilated = dyn_cast_if_present<DilatedAttr>(getPatternAttr()))
    if (failed(verifyDilated(*this, dilated)))
      return failure();
  if (auto documents = dyn_cast_if_present<DocumentsAttr>(getPatternAttr()))
    if (failed(verifyDocuments(*this, documents)))
      return failure();

  if (!getLse())
    return success();
  int64_t rows = query.getDimSize(2);
  if (getJointQuery() &&
      llvm::AddOverflow(rows, getJointQuery().getType().getDimSize(2), rows))
    rows = std::numeric_limits<int64_t>::max();
  return verifyShape(*this, "lse", getLse().getType().getShape(),
                     {query.getDimSize(0), query.getDimSize(1), rows, 1});
}

int64_t AttentionOp::countPairs(int64_t) {
  RankedTensorType query = getQuery().getType();
  int64_t heads = query.getDimSize(1), queries = query.getDimSize(2);
  int64_t keys = getKey().getType().getDimSize(2);
  std::optional<int64_t> limit;
  if (getLengthAttr())
    limit = getLengthAttr().getInt();
  if (auto dilated = dyn_cast_if_present<DilatedAttr>(getPatternAttr()))
    return ring::countPairs(dilated, heads, keys, limit);
  if (auto documents = dyn_cast_if_present<DocumentsAttr>(getPatternAttr()))
    return heads * documents.getValue().countPairs(limit);
  Band band;
  if (getPatternAttr())
    band = *getPatternAttr().getBand();
  // Where a chunk starts is known when it runs; it is counted as the last one.
  int64_t first = 0;
  if (getPageTable())
    keys *= getPageTable().getType().getDimSize(1);
  if (getStart())
    first = std::max<int64_t>(keys - queries, 0);
  if (!getJointQuery())
    return heads * ring::countPairs(PositionRange{first, queries},
                                    PositionRange{0, keys}, band, limit);

  // The length of the sequence says nothing of joint tokens: they meet its real
  // keys and each other.
  int64_t joint = getJointQuery().getType().getDimSize(2);
  int64_t realJoint =
      getJointLengthAttr() ? getJointLengthAttr().getInt() : joint;
  return heads * (queries + joint) * (limit.value_or(keys) + realJoint);
}

} // namespace mlir::ring
