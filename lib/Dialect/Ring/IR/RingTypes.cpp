// SPDX-License-Identifier: Apache-2.0
// Types of the ring dialect: printed forms and verifiers.

#include "ring/Dialect/Ring/IR/RingTypes.h"
#include "AssemblyForms.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::ring {

/// Parses what stands between the brackets of `tensor<1x8x64xbf16>`.
static ParseResult parseShapeAndElement(AsmParser &parser,
                                        SmallVector<int64_t> &shape,
                                        Type &elementType) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
                 parser.parseType(elementType));
}

static void printShapeAndElement(AsmPrinter &printer, ArrayRef<int64_t> shape,
                                 Type elementType) {
  for (int64_t size : shape)
    printer << size << 'x';
  printer << elementType;
}

} // namespace mlir::ring

using namespace mlir;
using namespace mlir::ring;

#define GET_TYPEDEF_CLASSES
#include "ring/Dialect/Ring/IR/RingTypes.cpp.inc"

namespace mlir::ring {

void RingDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ring/Dialect/Ring/IR/RingTypes.cpp.inc"
      >();
}

static bool allPositive(ArrayRef<int64_t> shape) {
  return llvm::all_of(shape, [](int64_t size) { return size > 0; });
}

LogicalResult StateType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> shape) {
  if (shape.size() != 4 || !allPositive(shape))
    return emitError() << "expects a state to have 4 positive dimensions, but "
                          "got ["
                       << shape << "]";
  return success();
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType) {
  if (shape.empty() || !allPositive(shape))
    return emitError() << "expects a buffer to have positive dimensions, but "
                          "got ["
                       << shape << "]";
  if (!TensorType::isValidElementType(elementType))
    return emitError() << "expects a buffer of tensor elements, but got "
                       << elementType;
  return success();
}

RankedTensorType BufferType::getTensorType() const {
  return RankedTensorType::get(getShape(), getElementType());
}

} // namespace mlir::ring
