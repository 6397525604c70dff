// SPDX-License-Identifier: Apache-2.0
// Rules about attention with intermediates and gradients.

#include "ttmlir/Dialect/TTCore/Verify/AttentionVerifiers.h"

#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"

using namespace mlir;
using namespace mlir::tt;
using verify::TrainingShapes;

/// Columns of the intermediates: one tile, of which column 0 is used.
static constexpr int64_t intermediateWidth = 32;

/// Brings a shape to [B, H, S, D] by joining what leads the last two
/// dimensions into the heads: 2x3x64x32 stays, 6x64x32 becomes 1x6x64x32.
static TrainingShapes::Shape toFourDimensions(ArrayRef<int64_t> shape) {
  if (shape.size() == 4)
    return {shape[0], shape[1], shape[2], shape[3]};
  int64_t heads = 1;
  for (int64_t size : shape.drop_back(std::min<size_t>(2, shape.size())))
    heads *= size;
  return {1, heads, shape.size() < 2 ? 1 : shape.end()[-2],
          shape.empty() ? 1 : shape.back()};
}

LogicalResult TrainingShapes::expect(Operation *op, StringRef name,
                                     RankedTensorType type,
                                     const Shape &expected) {
  if (toFourDimensions(type.getShape()) != expected)
    return op->emitOpError()
           << "expects " << name << " of shape " << shapeText(expected)
           << ", but got " << shapeText(type.getShape());
  return success();
}

TrainingShapes::Shape
TrainingShapes::outputShape(std::optional<int64_t> width) const {
  return {queryShape[0], queryShape[1], queryShape[2],
          width.value_or(valueShape[3])};
}

FailureOr<TrainingShapes> TrainingShapes::verify(Operation *op,
                                                 const TrainingAttention &types,
                                                 bool exactRank) {
  for (RankedTensorType type : {types.query, types.key, types.value})
    if (exactRank ? type.getRank() != 4 : type.getRank() < 2) // C1
      return op->emitOpError()
             << "expects query, key and value of "
             << (exactRank ? "4 dimensions" : "at least 2 dimensions")
             << ", but got " << type.getRank();

  TrainingShapes shapes;
  shapes.queryShape = toFourDimensions(types.query.getShape());
  shapes.keyShape = toFourDimensions(types.key.getShape());
  shapes.valueShape = toFourDimensions(types.value.getShape());
  const auto &[batch, heads, length, width] = shapes.queryShape;
  int64_t keyHeads = shapes.keyShape[1];
  if (failed(expect(op, "key", types.key, {batch, keyHeads, length, width})) ||
      failed(expect(op, "value", types.value,
                    {batch, keyHeads, length, shapes.valueShape[3]}))) // C2
    return failure();
  if (keyHeads == 0 || heads % keyHeads != 0) // C3
    return op->emitOpError() << "expects the number of key heads to divide "
                             << heads << ", but got " << keyHeads;

  bool arbitrary = types.maskType == ttcore::AttentionMaskType::Arbitrary;
  if (arbitrary != static_cast<bool>(types.mask)) // C4
    return op->emitOpError()
           << "expects " << (arbitrary ? "a mask" : "no mask")
           << " for mask_type " << stringifyEnum(types.maskType) << ", but got "
           << (arbitrary ? "none" : "one");
  if (types.mask &&
      failed(expect(op, "a mask", types.mask, {1, 1, length, length}))) // C5
    return failure();
  return shapes;
}

LogicalResult mlir::tt::verify::trainingForward(
    Operation *op, const TrainingAttention &types, RankedTensorType output,
    RankedTensorType intermediates, bool returnIntermediates, bool exactRank) {
  FailureOr<TrainingShapes> shapes =
      TrainingShapes::verify(op, types, exactRank);
  if (failed(shapes) ||
      failed(TrainingShapes::expect(op, "an output", output,
                                    shapes->outputShape()))) // C6
    return failure();
  if (returnIntermediates != static_cast<bool>(intermediates)) // C7
    return op->emitOpError()
           << "expects " << (returnIntermediates ? "" : "no ")
           << "intermediates for return_intermediates = "
           << (returnIntermediates ? "true" : "false") << ", but got "
           << (intermediates ? "some" : "none");
  if (!intermediates)
    return success();
  return TrainingShapes::expect(op, "intermediates", intermediates,
                                shapes->outputShape(intermediateWidth)); // C8
}

LogicalResult mlir::tt::verify::trainingBackward(
    Operation *op, const TrainingAttention &types,
    const TrainingGradients &gradients, bool exactRank) {
  FailureOr<TrainingShapes> shapes =
      TrainingShapes::verify(op, types, exactRank);
  if (failed(shapes))
    return failure();
  auto expect = [&](StringRef name, RankedTensorType type,
                    const TrainingShapes::Shape &shape) {
    return TrainingShapes::expect(op, name, type, shape);
  };
  if (failed(expect("grad_output", gradients.gradOutput,
                    shapes->outputShape())) || // C6
      failed(
          expect("attn_output", gradients.attnOutput, shapes->outputShape())) ||
      failed(
          expect("grad_query", gradients.gradQuery, shapes->query())) || // C7
      failed(expect("grad_key", gradients.gradKey, shapes->key())))
    return failure();
  return expect("grad_value", gradients.gradValue, shapes->value());
}
