// SPDX-License-Identifier: Apache-2.0
// Calls, and composites that stand for their decomposition: both are written
// out where they stand.

#include "OpTranslations.h"
#include "mlir/IR/SymbolTable.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"

namespace mlir::ring {

static LogicalResult writeCallee(Operation *op, ProgramWriter &writer,
                                 FlatSymbolRefAttr name) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name);
  if (!callee || callee.isExternal())
    return op->emitOpError("cannot run: expects a function with a body, but "
                           "got ")
           << name;
  return writer.inlineCall(op, callee);
}

/// What a barrier lets through is what it was given.
static LogicalResult writeBarrier(Operation *op, ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  if (failed(inputs))
    return failure();
  for (auto [result, input] : llvm::zip_equal(op->getResults(), *inputs))
    writer.bind(result, input);
  return success();
}

/// A parameter of a device op as the program format has it; nothing for kinds
/// that it does not have.
static std::optional<rt::Attribute> parameterOf(Attribute attribute) {
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return int64_t(flag.getValue());
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getValue().getSExtValue();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.str();
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
    return std::vector<int64_t>(list.asArrayRef().begin(),
                                list.asArrayRef().end());
  if (auto topology = dyn_cast<tt::ttcore::TopologyAttr>(attribute))
    return std::string(tt::ttcore::stringifyTopology(topology.getValue()));
  return std::nullopt;
}

/// Writes the decomposition, and beside it which op of the device it stands
/// for, so that a simulator can time that op.
static LogicalResult writeComposite(tt::ttcore::CompositeOp op,
                                    ProgramWriter &writer) {
  size_t first = writer.program().instructionCount();
  if (failed(writeCallee(op, writer, op.getDecompositionAttr())))
    return failure();
  if (writer.program().instructionCount() == first)
    return success();
  std::vector<int32_t> lists[2];
  for (auto [list, values] :
       {std::pair(&lists[0], ValueRange(op.getInputs())),
        std::pair(&lists[1], ValueRange(op.getResults()))})
    for (Value value : values) {
      FailureOr<int32_t> index = writer.operand(op, value, writer.placement());
      if (failed(index))
        return failure();
      list->push_back(*index);
    }
  rt::Attributes attributes;
  if (DictionaryAttr parameters = op.getCompositeAttributesAttr())
    for (NamedAttribute parameter : parameters)
      if (auto value = parameterOf(parameter.getValue()))
        attributes[parameter.getName().str()] = *value;
  writer.program().addComposite(op.getCompositeName().str(), first, lists[0],
                                lists[1], std::move(attributes));
  return success();
}

void addCallTranslations(OpTranslations &translations) {
  translations.add("ttcore.optimization_barrier", writeBarrier);
  translations.add(
      "ttcore.load_cached", [](Operation *op, ProgramWriter &writer) {
        return writeCallee(op, writer,
                           cast<tt::ttcore::LoadCachedOp>(op).getCalleeAttr());
      });
  translations.add("func.call", [](Operation *op, ProgramWriter &writer) {
    return writeCallee(op, writer, cast<func::CallOp>(op).getCalleeAttr());
  });
  translations.add(
      "ttcore.composite", [](Operation *op, ProgramWriter &writer) {
        return writeComposite(cast<tt::ttcore::CompositeOp>(op), writer);
      });
}

} // namespace mlir::ring
