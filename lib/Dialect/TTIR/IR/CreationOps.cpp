// SPDX-License-Identifier: Apache-2.0
// Builders and verifiers of ops that make tensors. Numbers are those of
// TTIRCreationOps.td.

#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttir;

void FullOp::build(OpBuilder &builder, OperationState &state, Type resultType,
                   Attribute fillValue) {
  auto shape = llvm::to_vector_of<int32_t>(
      cast<RankedTensorType>(resultType).getShape());
  build(builder, state, resultType, shape, fillValue);
}

LogicalResult FullOp::verify() {
  return verify::resultShape(*this, llvm::to_vector_of<int64_t>(getShape()),
                             getType()); // C1
}

LogicalResult ConstantOp::verify() {
  if (!isa<DenseElementsAttr, DenseResourceElementsAttr>(getValue())) // C2
    return emitOpError() << "expects a dense value, but got " << getValue();
  if (Type type = getValue().getElementType(); !type.isIntOrFloat()) // C3
    return emitOpError() << "expects a value of integers or floats, but got "
                         << type;
  return success();
}

LogicalResult ArangeOp::verify() {
  FailureOr<int64_t> length =
      verify::arangeLength(*this, getStart(), getEnd(), getStep()); // C1, C2
  if (failed(length))
    return failure();
  int64_t dim = getArangeDimensionAttr().getInt();
  if (dim < 0 || dim >= getType().getRank() ||
      getType().getDimSize(dim) != *length) // C3
    return emitOpError() << "expects dimension " << dim
                         << " of the result to have size " << *length
                         << ", but got " << getType();
  return success();
}

void EmptyOp::build(OpBuilder &builder, OperationState &state,
                    ArrayRef<int64_t> shape, Type elementType,
                    Attribute encoding) {
  build(builder, state, RankedTensorType::get(shape, elementType, encoding));
}

void EmptyOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getResult()));
}
