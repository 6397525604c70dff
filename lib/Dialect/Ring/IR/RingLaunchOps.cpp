// SPDX-License-Identifier: Apache-2.0
// Launches: their form and constraints.

#include "AssemblyForms.h"
#include "mlir/IR/OpImplementation.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {

OperandRange LaunchOp::getYielded() {
  return cast<YieldOp>(getBody().front().getTerminator()).getValues();
}

ParseResult LaunchOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc loc = parser.getCurrentLocation();
  ComputeAttr compute;
  if (parser.parseAssignmentList(arguments, operands) ||
      parser.parseKeyword("compute") || parser.parseLParen() ||
      parser.parseCustomAttributeWithFallback(compute) || parser.parseRParen())
    return failure();
  state.addAttribute(getComputeAttrName(state.name), compute);
  if (succeeded(parser.parseOptionalKeyword("chained")))
    state.addAttribute(getChainedAttrName(state.name),
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
  printer << ") compute(";
  printer.printStrippedAttrOrType(getCompute());
  printer << ')';
  if (getChained())
    printer << " chained";
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getComputeAttrName(), getChainedAttrName()});
  printer << " : ";
  printer.printFunctionalType(*this);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult LaunchOp::verifyRegions() {
  if (!getCompute().getQChunk() || !getCompute().getKChunk() ||
      getCompute().getGrid().empty())
    return emitOpError(
               "expects chunks of queries and keys and a grid of cores, "
               "but got ")
           << getCompute();
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
