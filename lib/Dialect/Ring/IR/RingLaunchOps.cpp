// SPDX-License-Identifier: Apache-2.0
// Launches: their form and constraints.

#include "AssemblyForms.h"
#include "mlir/IR/OpImplementation.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {

OperandRange LaunchOp::getYielded() {
  return cast<YieldOp>(getBody().front().getTerminator()).getValues();
}

/// `name(8x4)`.
static ParseResult parsePair(OpAsmParser &parser, StringRef name,
                             StringAttr attribute, OperationState &state) {
  SmallVector<int64_t> numbers;
  if (parser.parseKeyword(name) || parser.parseLParen() ||
      parseDimensions(parser, numbers) || parser.parseRParen())
    return failure();
  state.addAttribute(attribute,
                     parser.getBuilder().getDenseI64ArrayAttr(numbers));
  return success();
}

ParseResult LaunchOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, operands) ||
      parsePair(parser, "chunks", getChunksAttrName(state.name), state) ||
      parsePair(parser, "grid", getGridAttrName(state.name), state))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("approximate_exp")))
    state.addAttribute(getApproximateExpAttrName(state.name),
                       parser.getBuilder().getUnitAttr());
  FunctionType type;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != arguments.size())
    return parser.emitError(loc, "expects ")
           << arguments.size() << " types of inputs, but got "
           << type.getNumInputs();
  for (auto [argument, input] : llvm::zip_equal(arguments, type.getInputs()))
    argument.type = input;
  state.addTypes(type.getResults());
  return failure(
      parser.resolveOperands(operands, type.getInputs(), loc, state.operands) ||
      parser.parseRegion(*state.addRegion(), arguments));
}

void LaunchOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()),
                        printer, [&](auto pair) {
                          printer << std::get<0>(pair) << " = "
                                  << std::get<1>(pair);
                        });
  printer << ") chunks(";
  printDimensions(printer, getChunks());
  printer << ") grid(";
  printDimensions(printer, getGrid());
  printer << ')';
  if (getApproximateExp())
    printer << " approximate_exp";
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getChunksAttrName(), getGridAttrName(), getApproximateExpAttrName()});
  printer << " : ";
  printer.printFunctionalType(*this);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult LaunchOp::verifyRegions() {
  for (auto [name, numbers] :
       {std::pair("chunks", getChunks()), std::pair("grid", getGrid())})
    if (numbers.size() != 2 || numbers[0] < 1 || numbers[1] < 1)
      return emitOpError("expects two positive numbers as ")
             << name << ", but got [" << numbers << "]";
  if (getBody().getArgumentTypes() != getInputs().getTypes())
    return emitOpError("expects arguments of the inputs' types, ")
           << getInputs().getTypes() << ", but got "
           << getBody().getArgumentTypes();
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("expects a body that ends with ring.yield");
  if (yield.getValues().getTypes() == getResultTypes())
    return success();
  auto diagnostic = emitOpError("expects to give what its body yields, ")
                    << yield.getValues().getTypes() << ", but got "
                    << getResultTypes();
  diagnostic.attachNote(yield.getLoc()) << "yielded here";
  return diagnostic;
}

} // namespace mlir::ring
