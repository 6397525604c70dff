// SPDX-License-Identifier: Apache-2.0
// Verifiers of attention. Numbers are those of TTIRAttentionOps.td.

#include "ttmlir/Dialect/TTCore/Verify/AttentionVerifiers.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttir;

static constexpr verify::AttentionRules rules = {/*compareEncodings=*/true,
                                                 /*maskRowsBroadcast=*/true};

template <typename OpT>
static verify::Attention attentionOf(OpT op) {
  return {
      op.getQuery().getType(),  op.getKey().getType(),
      op.getValue().getType(),  verify::typeIfPresent(op.getAttentionMask()),
      op.getResult().getType(), op.getIsCausal()};
}

LogicalResult ScaledDotProductAttentionOp::verify() {
  return verify::attention(*this, attentionOf(*this), rules);
}

LogicalResult ScaledDotProductAttentionDecodeOp::verify() {
  return verify::attentionDecode(*this, attentionOf(*this),
                                 getCurPosTensor().getType(), rules);
}

/// What both ops over pages ask of query, key and value: 4 dimensions and
/// floats (C1, C2), and one type for key and value (C3).
template <typename OpT>
static LogicalResult verifyPagedOperands(OpT op) {
  if (op.getQuery().getType().getRank() != 4)
    return op.emitOpError() << "expects query's rank to be exactly 4, but got "
                            << op.getQuery().getType().getRank(); // C1
  for (Value value : {op.getQuery(), op.getKey()})
    if (Type type = getElementTypeOrSelf(value); !isa<FloatType>(type)) // C2
      return op.emitOpError()
             << "expects query, key and value of floats, but got " << type;
  if (op.getValue().getType() != op.getKey().getType()) // C3
    return op.emitOpError()
           << "expects value to have the key's type " << op.getKey().getType()
           << ", but got " << op.getValue().getType();
  return success();
}

/// What steps over pages ask of mask and position (C8, C9).
template <typename OpT>
static LogicalResult verifyStep(OpT op, int64_t users) {
  bool hasMask = static_cast<bool>(op.getAttentionMask());
  if (hasMask == op.getIsCausal()) // C8
    return op.emitOpError()
           << "expects a mask exactly if is_causal is false, but got is_causal "
              "= "
           << (op.getIsCausal() ? "true" : "false") << " and "
           << (hasMask ? "a mask" : "no mask");
  if (RankedTensorType position = verify::typeIfPresent(op.getCurPosTensor()))
    return verify::integerVector(op, "cur_pos_tensor", users, position); // C9
  return success();
}

LogicalResult PagedScaledDotProductAttentionDecodeOp::verify() {
  if (failed(verifyPagedOperands(*this)))
    return failure();
  ArrayRef<int64_t> query = getQuery().getType().getShape();
  int64_t users = query[1], heads = query[2];
  if (failed(verify::pagedCache(*this, attentionOf(*this),
                                getPageTable().getType(), users,
                                heads))) // C1, C2, C4 to C7
    return failure();
  return verifyStep(*this, users); // C8, C9
}

LogicalResult PagedFlashMultiLatentAttentionDecodeOp::verify() {
  RankedTensorType query = getQuery().getType(), key = getKey().getType(),
                   value = verify::typeIfPresent(getValue());
  for (RankedTensorType type : {query, key, value ? value : key}) {
    if (type.getRank() != 4) // C1
      return emitOpError() << "expects query, key and value of 4 dimensions, "
                              "but got "
                           << type;
    if (!isa<FloatType>(type.getElementType()) ||
        type.getElementType() != query.getElementType()) // C2
      return emitOpError() << "expects query, key and value of one type of "
                              "floats, but got "
                           << query.getElementType() << " and "
                           << type.getElementType();
  }
  int64_t users = query.getDimSize(1), heads = query.getDimSize(2);
  verify::Attention types = {query,        key, key, {}, getResult().getType(),
                             getIsCausal()};
  if (failed(verify::pagedCache(*this, types, getPageTable().getType(), users,
                                heads))) // C1 to C3, C5, C6
    return failure();
  if (key.getDimSize(1) != 1) // C4
    return emitOpError() << "expects one head of keys, but got "
                         << key.getDimSize(1);
  int64_t columns = getHeadDimV();
  SmallVector<int64_t> values(key.getShape());
  values.back() = columns;
  if (value ? value.getShape() != ArrayRef<int64_t>(values)
            : columns > key.getDimSize(3)) // C7
    return emitOpError() << "expects values of " << columns
                         << " columns, but got " << (value ? value : key);
  SmallVector<int64_t> output{1, users, heads, columns};
  if (getResult().getType().getShape() != ArrayRef<int64_t>(output)) // C10
    return emitOpError() << "expects a result of [" << output << "], but got "
                         << getResult().getType();
  return verifyStep(*this, users); // C8, C9
}

LogicalResult ChunkedScaledDotProductAttentionOp::verify() {
  if (failed(verifyPagedOperands(*this)))
    return failure();
  RankedTensorType query = getQuery().getType();
  RankedTensorType result = getResult().getType();
  if (query.getElementType() != getKey().getType().getElementType()) // C2
    return emitOpError() << "expects key to have the query's element type "
                         << query.getElementType() << ", but got "
                         << getKey().getType().getElementType();
  verify::Attention types = {
      query,  getKey().getType(), getValue().getType(), {},
      result, /*isCausal=*/true};
  if (failed(verify::pagedCache(*this, types, getPageTable().getType(),
                                query.getDimSize(0),
                                query.getDimSize(1)))) // C1, C2, C4 to C7
    return failure();
  if (failed(verify::integerVector(*this, "chunk_start_idx", 1,
                                   getChunkStartIdx().getType()))) // C8
    return failure();
  if (result.getShape() != query.getShape()) // C9
    return emitOpError() << "expects a result of the query's shape, but got "
                         << result;
  return success();
}

LogicalResult SDPAForwardOp::verify() {
  return verify::trainingForwardOp(*this, /*exactRank=*/false);
}
LogicalResult SDPABackwardOp::verify() {
  return verify::trainingBackwardOp(*this, /*exactRank=*/false);
}
