// SPDX-License-Identifier: Apache-2.0
// Verifiers of attention. Numbers are those of TTIRAttentionOps.td.

#include "ttmlir/Dialect/TTCore/Verify/AttentionVerifiers.h"
#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttnn;

static constexpr verify::AttentionRules rules = {/*compareEncodings=*/false,
                                                 /*maskRowsBroadcast=*/false};

/// The type of an operand or result that may be absent.
static RankedTensorType typeIfPresent(Value value) {
  return value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
}

LogicalResult ScaledDotProductAttentionOp::verify() {
  return verify::attention(
      *this,
      {getQuery().getType(), getKey().getType(), getValue().getType(),
       typeIfPresent(getAttentionMask()), getResult().getType(), getIsCausal()},
      rules);
}

LogicalResult ScaledDotProductAttentionDecodeOp::verify() {
  return verify::attentionDecode(
      *this,
      {getQuery().getType(), getKey().getType(), /*value=*/{},
       typeIfPresent(getAttentionMask()), getResult().getType(), getIsCausal()},
      typeIfPresent(getCurPosTensor()), rules);
}

LogicalResult ChunkedScaledDotProductAttentionOp::verify() {
  RankedTensorType query = getQuery().getType();
  RankedTensorType result = getResult().getType();
  if (query.getRank() != 4) // C1
    return emitOpError() << "expects query's rank to be exactly 4, but got "
                         << query.getRank();
  verify::Attention types = {
      query,  getKey().getType(), getValue().getType(), {},
      result, /*isCausal=*/true};
  if (failed(verify::pagedCache(*this, types, getPageTable().getType(),
                                query.getDimSize(0),
                                query.getDimSize(1)))) // C1, C4 to C7
    return failure();
  if (failed(verify::integerVector(*this, "chunk_start_idx", 1,
                                   getChunkStartIdx().getType()))) // C8
    return failure();
  return verify::resultShape(*this, query.getShape(), result); // C9
}

template <typename OpT>
static verify::TrainingAttention trainingOf(OpT op) {
  return {op.getQuery().getType(), op.getKey().getType(),
          op.getValue().getType(), typeIfPresent(op.getAttentionMask()),
          op.getMaskType()};
}

LogicalResult SDPAForwardOp::verify() {
  return verify::trainingForward(
      *this, trainingOf(*this), getOutput().getType(),
      typeIfPresent(getIntermediates()), getReturnIntermediates(),
      /*exactRank=*/true);
}

LogicalResult SDPABackwardOp::verify() {
  verify::TrainingGradients gradients = {
      getGradOutput().getType(), getAttnOutput().getType(),
      getGradQuery().getType(), getGradKey().getType(),
      getGradValue().getType()};
  return verify::trainingBackward(*this, trainingOf(*this), gradients,
                                  /*exactRank=*/true);
}
