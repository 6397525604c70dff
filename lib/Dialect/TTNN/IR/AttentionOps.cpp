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

LogicalResult ScaledDotProductAttentionOp::verify() {
  return verify::attention(*this,
                           {getQuery().getType(), getKey().getType(),
                            getValue().getType(),
                            verify::typeIfPresent(getAttentionMask()),
                            getResult().getType(), getIsCausal()},
                           rules);
}

LogicalResult ScaledDotProductAttentionDecodeOp::verify() {
  return verify::attentionDecode(
      *this,
      {getQuery().getType(), getKey().getType(), /*value=*/{},
       verify::typeIfPresent(getAttentionMask()), getResult().getType(),
       getIsCausal()},
      verify::typeIfPresent(getCurPosTensor()), rules);
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

LogicalResult SDPAForwardOp::verify() {
  return verify::trainingForwardOp(*this, /*exactRank=*/true);
}
LogicalResult SDPABackwardOp::verify() {
  return verify::trainingBackwardOp(*this, /*exactRank=*/true);
}
