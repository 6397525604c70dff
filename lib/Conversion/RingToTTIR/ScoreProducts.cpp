// SPDX-License-Identifier: Apache-2.0
// Scores as a matrix product in memory.

#include "ScoreProducts.h"
#include "KeepMask.h"

#include <limits>

namespace mlir::ring {

Value groupHeads(Value tensor, int64_t keyHeads, TTIRBuilder &tensors) {
  ArrayRef<int64_t> shape = TTIRBuilder::typeOf(tensor).getShape();
  int64_t rows = shape[1] / keyHeads * shape[2];
  return tensors.reshape(tensor, {shape[0], keyHeads, rows, shape[3]});
}

Value maskedScores(const ConvertedBlock &block, TTIRBuilder &tensors) {
  Type f32 = tensors.f32();
  SmallVector<int64_t> shape(TTIRBuilder::typeOf(block.query).getShape());
  shape[3] = block.keys();
  Value query =
      groupHeads(tensors.typecast(block.query, f32), block.keyHeads(), tensors);
  Value key = tensors.typecast(block.key, f32);
  Value scores = tensors.matmul(query, key, Transposed::Second);
  scores = tensors.reshape(scores, shape);
  scores = tensors.multiply(scores, tensors.full(shape, f32, block.scale()));
  if (Value band =
          keptPairsOf(block.band, block.queries(), block.keys(), tensors)) {
    Value isKept = tensors.broadcast(band, shape);
    Value hidden =
        tensors.full(shape, f32, -std::numeric_limits<float>::infinity());
    scores = tensors.where(isKept, scores, hidden);
  }
  if (block.mask)
    scores = tensors.add(
        scores, tensors.broadcast(tensors.typecast(block.mask, f32), shape));
  return scores;
}

} // namespace mlir::ring
