// SPDX-License-Identifier: Apache-2.0
// The formats a device stores numbers in: their MLIR types and their sizes.

#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace mlir::tt::ttcore;

namespace {

/// What there is to know about one format.
struct Format {
  /// Bits of one number, without its share of an exponent.
  unsigned bits;
  /// Whether 16 numbers share one exponent byte.
  bool sharesExponent;
};

Format formatOf(DataType type) {
  switch (type) {
  case DataType::Float32:
  case DataType::UInt32:
  case DataType::Int32:
    return {32, false};
  case DataType::Float16:
  case DataType::BFloat16:
  case DataType::UInt16:
    return {16, false};
  case DataType::UInt8:
  case DataType::Bool: // a byte each in memory
    return {8, false};
  case DataType::BFP_Float8:
  case DataType::BFP_BFloat8:
    return {8, true};
  case DataType::BFP_Float4:
  case DataType::BFP_BFloat4:
    return {4, true};
  case DataType::BFP_Float2:
  case DataType::BFP_BFloat2:
    return {2, true};
  }
  llvm_unreachable("unknown data type");
}

std::optional<DataType> integerFormat(IntegerType type) {
  switch (type.getWidth()) {
  case 1:
    return DataType::Bool;
  case 8:
    return DataType::UInt8;
  case 16:
    return DataType::UInt16;
  case 32:
  case 64:
    return type.isUnsigned() ? DataType::UInt32 : DataType::Int32;
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<DataType>
mlir::tt::ttcore::elementTypeToDataTypeImpl(Type elementType) {
  if (auto tile = dyn_cast<TileType>(elementType))
    return tile.getDataType();
  if (isa<BFloat16Type>(elementType))
    return DataType::BFloat16;
  if (isa<Float16Type>(elementType))
    return DataType::Float16;
  if (isa<Float32Type, Float64Type>(elementType))
    return DataType::Float32;
  if (isa<IndexType>(elementType))
    return DataType::UInt32;
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return integerFormat(integer);
  return std::nullopt;
}

DataType mlir::tt::ttcore::elementTypeToDataType(Type elementType) {
  std::optional<DataType> type = elementTypeToDataTypeImpl(elementType);
  if (!type)
    llvm_unreachable("no device format stores this element type");
  return *type;
}

Type mlir::tt::ttcore::dataTypeToElementType(MLIRContext *context,
                                             DataType dataType) {
  switch (dataType) {
  case DataType::Float32:
    return Float32Type::get(context);
  case DataType::Float16: // computed with as bf16
  case DataType::BFloat16:
    return BFloat16Type::get(context);
  case DataType::UInt32:
    return IntegerType::get(context, 32, IntegerType::Unsigned);
  case DataType::UInt16:
    return IntegerType::get(context, 16, IntegerType::Unsigned);
  case DataType::UInt8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case DataType::Int32:
    return IntegerType::get(context, 32, IntegerType::Signed);
  case DataType::Bool:
    return IntegerType::get(context, 1);
  default:
    return TileType::get(context, TileType::getDefaultShape(), dataType);
  }
}

DataType mlir::tt::ttcore::getDataType(Type elementType) {
  return elementTypeToDataType(elementType);
}

uint64_t mlir::tt::ttcore::getElementSizeBytes(Type elementType) {
  if (auto tile = dyn_cast<TileType>(elementType))
    return tile.getSizeBytes();
  return elementType.getIntOrFloatBitWidth() / 8;
}

/// A 32x32 tile of bfp_bf8 takes 1024 bytes of mantissas and 1024 / 16 = 64 of
/// exponents, 1088 in all; of bfp_bf4 512 + 64 = 576.
uint64_t TileType::getSizeBytes() const {
  Format format = formatOf(getDataType());
  uint64_t numbers = getHeight() * getWidth();
  return numbers * format.bits / 8 + (format.sharesExponent ? numbers / 16 : 0);
}

const llvm::fltSemantics &TileType::getFloatSemantics() {
  switch (getDataType()) {
  case DataType::Float32:
    return llvm::APFloat::IEEEsingle();
  case DataType::Float16:
  case DataType::BFP_Float8:
  case DataType::BFP_Float4:
  case DataType::BFP_Float2:
    return llvm::APFloat::IEEEhalf();
  case DataType::BFloat16:
  case DataType::BFP_BFloat8:
  case DataType::BFP_BFloat4:
  case DataType::BFP_BFloat2:
    return llvm::APFloat::BFloat();
  default:
    llvm_unreachable("a tile of integers has no float semantics");
  }
}
