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

LogicalResult PagedScaledDotProductAttentionDecodeOp::verify() {
  if (failed(verifyPagedOperands(*this)))
    return failure();
  ArrayRef<int64_t> query = getQuery().getType().getShape();
  int64_t users = query[1], heads = query[2];
  if (failed(verify::pagedCache(*this, attentionOf(*this),
                                getPageTable().getType(), users,
                                heads))) // C1, C2, C4 to C7
    return failure();
  bool hasMask = static_cast<bool>(getAttentionMask());
  if (hasMask == getIsCausal()) // C8
    return emitOpError() << "expects a mask exactly if is_causal is false, but "
                            "got is_causal = "
                         << (getIsCausal() ? "true" : "false") << " and "
                         << (hasMask ? "a mask" : "no mask");
  if (RankedTensorType position = verify::typeIfPresent(getCurPosTensor()))
    return verify::integerVector(*this, "cur_pos_tensor", users,
                                 position); // C9
  return success();
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
