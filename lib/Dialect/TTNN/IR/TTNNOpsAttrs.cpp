// SPDX-License-Identifier: Apache-2.0
// Attributes of ttnn: cores and memory configurations, parsing and printing.

#include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.h"

#include "LayoutRules.h"
#include "ttmlir/Dialect/TTCore/IR/DimensionListFormat.h"
#include "ttmlir/Dialect/TTCore/IR/OpenDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttnn;

#include "ttmlir/Dialect/TTNN/IR/TTNNOpsEnums.cpp.inc"

namespace mlir::tt::ttnn {

/// Prints a core as `(column,row)`.
static void printCoordBracketStyle(AsmPrinter &printer, CoreCoordAttr coord) {
  printer << "(" << coord.getX() << "," << coord.getY() << ")";
}

static ParseResult parseCoordBracketStyle(AsmParser &parser,
                                          CoreCoordAttr &coord) {
  uint64_t x, y;
  if (parser.parseLParen() || parser.parseInteger(x) || parser.parseComma() ||
      parser.parseInteger(y) || parser.parseRParen())
    return failure();
  coord = CoreCoordAttr::get(parser.getContext(), x, y);
  return success();
}

/// Prints what may follow the memref of a layout, each after a comma:
/// `<interleaved>`, `core_ranges = <...>` and `ignorePhysicalLayout = true`.
static void printLayoutOptions(AsmPrinter &printer,
                               TensorMemoryLayoutAttr memLayout,
                               CoreRangeSetAttr cores, bool ignorePhysical) {
  if (memLayout) {
    printer << ", ";
    printer.printStrippedAttrOrType(memLayout);
  }
  if (cores) {
    printer << ", core_ranges = ";
    printer.printStrippedAttrOrType(cores);
  }
  if (ignorePhysical)
    printer << ", ignorePhysicalLayout = true";
}

static ParseResult parseLayoutOptions(AsmParser &parser,
                                      TensorMemoryLayoutAttr &memLayout,
                                      CoreRangeSetAttr &cores,
                                      bool &ignorePhysical) {
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("core_ranges"))) {
      if (parser.parseEqual() || parser.parseCustomAttributeWithFallback(cores))
        return failure();
    } else if (succeeded(parser.parseOptionalKeyword("ignorePhysicalLayout"))) {
      if (parser.parseEqual())
        return failure();
      FailureOr<bool> flag = FieldParser<bool>::parse(parser);
      if (failed(flag))
        return failure();
      ignorePhysical = *flag;
    } else if (parser.parseCustomAttributeWithFallback(memLayout)) {
      return failure();
    }
  }
  return success();
}

} // namespace mlir::tt::ttnn

#define GET_ATTRDEF_CLASSES
#include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrDefs.cpp.inc"

//===----------------------------------------------------------------------===//
// Cores
//===----------------------------------------------------------------------===//

LogicalResult
CoreRangeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      CoreCoordAttr start, CoreCoordAttr end) {
  if (start.getX() > end.getX() || start.getY() > end.getY()) // C1
    return emitError() << "expects the range to end at or after ("
                       << start.getX() << "," << start.getY() << "), but got ("
                       << end.getX() << "," << end.getY() << ")";
  return success();
}

bool CoreRangeAttr::intersects(CoreRangeAttr other) const {
  auto overlap = [](uint64_t start, uint64_t end, uint64_t otherStart,
                    uint64_t otherEnd) {
    return start <= otherEnd && otherStart <= end;
  };
  return overlap(getStartCoord().getX(), getEndCoord().getX(),
                 other.getStartCoord().getX(), other.getEndCoord().getX()) &&
         overlap(getStartCoord().getY(), getEndCoord().getY(),
                 other.getStartCoord().getY(), other.getEndCoord().getY());
}

LogicalResult
CoreRangeSetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<CoreRangeAttr> ranges) {
  for (size_t i = 0; i < ranges.size(); ++i)
    for (size_t j = i + 1; j < ranges.size(); ++j)
      if (ranges[i].intersects(ranges[j])) // C1
        return emitError() << "expects core ranges that share no core, but got "
                           << ranges[i] << " and " << ranges[j];
  return success();
}

//===----------------------------------------------------------------------===//
// MemoryConfigAttr
//===----------------------------------------------------------------------===//

MemoryConfigAttr MemoryConfigAttr::get(MLIRContext *context,
                                       TensorMemoryLayoutAttr layout,
                                       BufferTypeAttr bufferType,
                                       std::optional<ShardSpecAttr> shardSpec) {
  return get(context, layout, bufferType, shardSpec,
             /*ndShardSpec=*/std::nullopt);
}

MemoryConfigAttr MemoryConfigAttr::get(TTNNLayoutAttr layout) {
  MLIRContext *context = layout.getContext();
  std::optional<ShardSpecAttr> shardSpec;
  if (layout.hasShardedTensorMemoryLayout() &&
      !layout.getIgnorePhysicalLayout())
    shardSpec = ShardSpecAttr::get(
        context, layout.getCoreRangeSet(),
        ShapeAttr::get(context, layout.getScalarShardShape()),
        ShardOrientationAttr::get(context, ShardOrientation::RowMajor));
  return get(context, layout.getMemLayout(),
             BufferTypeAttr::get(context, layout.getBufferType()), shardSpec);
}

LogicalResult MemoryConfigAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, TensorMemoryLayoutAttr layout,
    BufferTypeAttr bufferType, std::optional<ShardSpecAttr> shardSpec,
    std::optional<NDShardSpecAttr> ndShardSpec) {
  if (failed(verifyBufferHasLayout(emitError, bufferType.getValue(),
                                   layout))) // C1, C2
    return failure();
  if (shardSpec && ndShardSpec) // C4
    return emitError() << "expects at most one shard spec, but got two";
  if (!shardSpec)
    return success();
  if (bufferType.getValue() != BufferType::L1 &&
      bufferType.getValue() != BufferType::DRAM) // C3
    return emitError() << "expects l1 or dram for a shard spec, but got "
                       << stringifyEnum(bufferType.getValue());
  if (!isShardedMemoryLayout(layout.getValue())) // C3
    return emitError() << "expects a sharded layout for a shard spec, but got "
                       << stringifyEnum(layout.getValue());
  return success();
}

/// Reads `<buffer, <layout>, #ttnn.shard_spec<...>>`, of which all but the
/// buffer may be left out. The layout has its brackets alone, so it is told
/// from a shard spec by not starting as an attribute does.
Attribute MemoryConfigAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  BufferTypeAttr bufferType;
  TensorMemoryLayoutAttr layout;
  std::optional<ShardSpecAttr> shardSpec;
  std::optional<NDShardSpecAttr> ndShardSpec;
  if (parser.parseLess() || parser.parseCustomAttributeWithFallback(bufferType))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("ndShardSpec"))) {
      NDShardSpecAttr spec;
      if (parser.parseEqual() || parser.parseCustomAttributeWithFallback(spec))
        return {};
      ndShardSpec = spec;
      continue;
    }
    Attribute attr;
    OptionalParseResult parsed = parser.parseOptionalAttribute(attr);
    if (!parsed.has_value()) {
      if (parser.parseCustomAttributeWithFallback(layout))
        return {};
      continue;
    }
    if (failed(*parsed))
      return {};
    if (auto spec = dyn_cast<ShardSpecAttr>(attr)) {
      shardSpec = spec;
    } else if (auto named = dyn_cast<TensorMemoryLayoutAttr>(attr)) {
      layout = named;
    } else {
      parser.emitError(loc)
          << "expects a memory layout or a shard spec, but got " << attr;
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    layout, bufferType, shardSpec, ndShardSpec);
}

void MemoryConfigAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printStrippedAttrOrType(getBufferType());
  if (getTensorMemoryLayout()) {
    printer << ", ";
    printer.printStrippedAttrOrType(getTensorMemoryLayout());
  }
  if (getShardSpec())
    printer << ", " << *getShardSpec();
  else if (getNdShardSpec())
    printer << ", ndShardSpec = " << *getNdShardSpec();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Registration, parsing and printing
//===----------------------------------------------------------------------===//

void TTNNDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrDefs.cpp.inc"
      >();
}

Attribute TTNNDialect::parseAttribute(DialectAsmParser &parser,
                                      Type type) const {
  return ttcore::parseOpenAttribute(
      parser, type, *this, [&](StringRef *mnemonic, Attribute &result) {
        return generatedAttributeParser(parser, mnemonic, type, result);
      });
}

void TTNNDialect::printAttribute(Attribute attr,
                                 DialectAsmPrinter &printer) const {
  if (failed(generatedAttributePrinter(attr, printer)))
    llvm_unreachable("every ttnn attribute has a generated printer");
}
