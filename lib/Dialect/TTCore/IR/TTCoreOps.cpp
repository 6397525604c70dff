// SPDX-License-Identifier: Apache-2.0
// Ops of ttcore: builders, verifiers and the tuple's assembly format.

#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tt::ttcore;

//===----------------------------------------------------------------------===//
// Assembly of ttcore.tuple: one tuple type stands for all operand types
//===----------------------------------------------------------------------===//

static void printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange,
                             Type result) {
  printer.printType(result);
}

static ParseResult parseTupleOpType(OpAsmParser &parser,
                                    SmallVectorImpl<Type> &operands,
                                    Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(loc) << "expects a tuple type, but got " << result;
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

#define GET_OP_CLASSES
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Module wrappers
//===----------------------------------------------------------------------===//

template <typename WrapperOp>
static LogicalResult verifyHoldsOneModule(WrapperOp op) {
  Block &body = op.getBodyRegion().front();
  if (!llvm::hasSingleElement(body))
    return op.emitOpError() << "expects exactly one op in its body, but got "
                            << body.getOperations().size();
  if (!isa<ModuleOp>(body.front()))
    return op.emitOpError() << "expects its body to be a builtin.module, but "
                               "got '"
                            << body.front().getName() << "'";
  return success();
}

void DeviceModuleOp::build(OpBuilder &, OperationState &state) {
  state.addRegion()->emplaceBlock();
}

LogicalResult DeviceModuleOp::verify() { return verifyHoldsOneModule(*this); }

void CPUModuleOp::build(OpBuilder &, OperationState &state) {
  state.addRegion()->emplaceBlock();
}

LogicalResult CPUModuleOp::verify() { return verifyHoldsOneModule(*this); }

//===----------------------------------------------------------------------===//
// Ops that stand for a function
//===----------------------------------------------------------------------===//

/// Finds the function that `op` refers to by its attribute `role`.
static FailureOr<func::FuncOp> findFunction(Operation *op,
                                            FlatSymbolRefAttr symbol,
                                            SymbolTableCollection &tables,
                                            StringRef role) {
  Operation *found = tables.lookupNearestSymbolFrom(op, symbol);
  if (!found)
    return op->emitOpError()
           << "expects its " << role
           << " to name a function, but there is no symbol " << symbol;
  auto function = dyn_cast<func::FuncOp>(found);
  if (!function)
    return op->emitOpError()
           << "expects its " << role << " to name a func.func, but " << symbol
           << " is '" << found->getName() << "'";
  return function;
}

/// Compares the types of an op's inputs or results (`what`) with a function's.
static LogicalResult compareTypes(Operation *op, func::FuncOp function,
                                  StringRef what, TypeRange found,
                                  TypeRange expected) {
  if (found.size() != expected.size()) {
    InFlightDiagnostic diag = op->emitOpError()
                              << "expects " << expected.size() << " " << what
                              << "s, but got " << found.size();
    diag.attachNote(function.getLoc()) << "for this function";
    return diag;
  }
  for (auto [index, pair] : llvm::enumerate(llvm::zip(found, expected))) {
    auto [foundType, expectedType] = pair;
    if (foundType == expectedType)
      continue;
    InFlightDiagnostic diag =
        op->emitOpError() << "expects " << what << " " << index << " of type "
                          << expectedType << ", but got " << foundType;
    diag.attachNote(function.getLoc()) << "for this function";
    return diag;
  }
  return success();
}

/// A function that takes or returns one tuple is called with its members.
static SmallVector<Type> unpackTuple(ArrayRef<Type> types) {
  if (types.size() == 1)
    if (auto tuple = dyn_cast<TupleType>(types.front()))
      return llvm::to_vector(tuple.getTypes());
  return llvm::to_vector(types);
}

LogicalResult LoadCachedOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<func::FuncOp> callee =
      findFunction(*this, getCalleeAttr(), tables, "callee"); // C1
  if (failed(callee))
    return failure();
  FunctionType type = callee->getFunctionType();
  if (failed(compareTypes(*this, *callee, "input", getInputs().getTypes(),
                          unpackTuple(type.getInputs())))) // C2
    return failure();
  return compareTypes(*this, *callee, "result", getResults().getTypes(),
                      unpackTuple(type.getResults())); // C3
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<func::FuncOp> function = findFunction(
      *this, getDecompositionAttr(), tables, "decomposition"); // C1
  if (failed(function))
    return failure();
  FunctionType type = function->getFunctionType();
  if (failed(compareTypes(*this, *function, "input", getInputs().getTypes(),
                          type.getInputs()))) // C2
    return failure();
  return compareTypes(*this, *function, "result", getResults().getTypes(),
                      type.getResults()); // C3
}

//===----------------------------------------------------------------------===//
// Dictionaries and tuples
//===----------------------------------------------------------------------===//

LogicalResult SetKeyValueOp::verify() {
  if (getValues().empty())
    return emitOpError() << "expects at least one value, but got none";
  return success();
}

LogicalResult GetKeyValueOp::verify() {
  if (getResults().empty())
    return emitOpError() << "expects at least one result, but got none";
  return success();
}

LogicalResult TupleOp::verify() {
  auto expected = TupleType::get(getContext(), getOperands().getTypes());
  if (getType() != expected)
    return emitOpError() << "expects a result of type " << expected
                         << ", but got " << getType();
  return success();
}

LogicalResult GetTupleElementOp::verify() {
  auto tuple = cast<TupleType>(getOperand().getType());
  size_t index = getIndex();
  if (index >= tuple.size()) // C1
    return emitOpError() << "expects an index less than " << tuple.size()
                         << ", but got " << index;
  if (tuple.getType(index) != getType()) // C2
    return emitOpError() << "expects a result of type " << tuple.getType(index)
                         << ", but got " << getType();
  return success();
}
