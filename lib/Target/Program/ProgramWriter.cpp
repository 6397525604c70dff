// SPDX-License-Identifier: Apache-2.0
// Writes one function as a program.

#include "ProgramWriter.h"
#include "OpTranslations.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "ring/Dialect/Ring/IR/RingTypes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;

std::string describeLocation(Location loc) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  loc.print(stream);
  return text;
}

ProgramWriter::ProgramWriter(StringRef name, ArrayRef<int64_t> mesh,
                             bool fusedOps)
    : builder(name.str(), rt::Shape(mesh.begin(), mesh.end())),
      fusedOps(fusedOps) {}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static std::optional<rt::ElementType> elementOf(Type type) {
  if (auto tile = dyn_cast<ttcore::TileType>(type))
    switch (tile.getDataType()) {
    case ttcore::DataType::BFP_BFloat8:
      return rt::ElementType::BFP8B;
    case ttcore::DataType::BFP_BFloat4:
      return rt::ElementType::BFP4B;
    default:
      return elementOf(
          ttcore::dataTypeToElementType(type.getContext(), tile.getDataType()));
    }
  if (type.isF32())
    return rt::ElementType::F32;
  if (type.isBF16())
    return rt::ElementType::BF16;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  switch (integer.getWidth()) {
  case 1:
    return rt::ElementType::Bool;
  case 8:
    return rt::ElementType::U8;
  case 16:
    return rt::ElementType::U16;
  case 32:
    return integer.isUnsigned() ? rt::ElementType::U32 : rt::ElementType::I32;
  case 64:
    return rt::ElementType::I64;
  default:
    return std::nullopt;
  }
}

FailureOr<rt::ValueType> ProgramWriter::typeOf(Operation *op, Type type,
                                               rt::Placement placement) {
  rt::ValueType result;
  result.placement = placement;
  if (auto state = dyn_cast<StateType>(type)) {
    result.kind = rt::ValueKind::State;
    result.shape.assign(state.getShape().begin(), state.getShape().end());
    return result;
  }
  if (isa<TokenType>(type)) {
    result.kind = rt::ValueKind::Token;
    return result;
  }
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (auto buffer = dyn_cast<BufferType>(type)) {
    result.kind = rt::ValueKind::Buffer;
    shaped = buffer.getTensorType();
  }
  if (!shaped || !shaped.hasStaticShape())
    return op->emitOpError("cannot run: expects statically shaped tensors, but "
                           "got ")
           << type;
  std::optional<rt::ElementType> element = elementOf(shaped.getElementType());
  if (!element)
    return op->emitOpError("cannot run: the runtime stores no ")
           << shaped.getElementType();
  result.element = *element;
  result.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
  return result;
}

//===----------------------------------------------------------------------===//
// Values and where they live
//===----------------------------------------------------------------------===//

void ProgramWriter::bindAt(Value value, int32_t index,
                           rt::Placement placement) {
  (placement == rt::Placement::Whole ? whole : local)[value] = index;
}

/// Constants, and what is computed from nothing but them, run wherever they are
/// needed: on the host, on the devices, or on both. Their translation is put
/// off until then.
bool ProgramWriter::isFloating(Operation *op) {
  auto known = floating.find(op);
  if (known != floating.end())
    return known->second;
  const OpTranslation *translation = OpTranslations::get().find(op);
  bool floats =
      translation && op->getNumResults() != 0 && op->getNumRegions() == 0 &&
      translation->runs(op) == Runs::Anywhere &&
      llvm::all_of(op->getOperands(), [&](Value operand) {
        return !isa<RankedTensorType>(operand.getType()) || isFloating(operand);
      });
  return floating[op] = floats;
}

bool ProgramWriter::isFloating(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isFloating(op);
}

std::optional<rt::Placement> ProgramWriter::placementOf(Value value) {
  if (isFloating(value))
    return std::nullopt;
  if (local.contains(value))
    return rt::Placement::Local;
  if (whole.contains(value))
    return rt::Placement::Whole;
  return std::nullopt;
}

FailureOr<int32_t> ProgramWriter::operand(Operation *op, Value value,
                                          rt::Placement placement) {
  const auto &values = placement == rt::Placement::Whole ? whole : local;
  auto known = values.find(value);
  if (known != values.end())
    return known->second;
  if (isFloating(value)) {
    rt::Placement before = current;
    if (failed(translate(value.getDefiningOp(), placement)))
      return failure();
    current = before;
    return values.lookup(value);
  }
  return op->emitOpError("cannot run: expects ")
         << (placement == rt::Placement::Whole
                 ? "the host's tensors, but got one of the devices'"
                 : "the devices' tensors, but got the host's");
}

FailureOr<std::vector<int32_t>> ProgramWriter::operands(Operation *op) {
  std::vector<int32_t> inputs;
  auto append = [&](Value value) -> LogicalResult {
    FailureOr<int32_t> input = operand(op, value, current);
    if (failed(input))
      return failure();
    inputs.push_back(*input);
    return success();
  };
  // Devices and semaphores are no values of a program.
  auto isValue = [](Value value) {
    return isa<RankedTensorType, StateType, BufferType, TokenType>(
        value.getType());
  };
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  if (!segments) {
    for (Value value : op->getOperands())
      if (isValue(value) && failed(append(value)))
        return failure();
    return inputs;
  }
  unsigned next = 0;
  for (int32_t size : segments.asArrayRef()) {
    if (size == 0)
      inputs.push_back(rt::kAbsent);
    for (int32_t i = 0; i < size; ++i, ++next)
      if (isValue(op->getOperand(next)) && failed(append(op->getOperand(next))))
        return failure();
  }
  return inputs;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

LogicalResult ProgramWriter::write(Operation *op, StringRef name,
                                   std::vector<int32_t> inputs,
                                   rt::Attributes attributes) {
  // Absent results of an op with optional ones keep their place.
  SmallVector<Value> results;
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>("resultSegmentSizes");
  unsigned next = 0;
  if (segments)
    for (int32_t size : segments.asArrayRef())
      results.push_back(size ? Value(op->getResult(next++)) : Value());
  else
    llvm::append_range(results, op->getResults());

  std::vector<rt::ValueType> types;
  std::vector<bool> present;
  for (Value result : results) {
    present.push_back(static_cast<bool>(result));
    if (!result) {
      types.emplace_back();
      continue;
    }
    FailureOr<rt::ValueType> type = typeOf(op, result.getType(), current);
    if (failed(type))
      return failure();
    types.push_back(*type);
  }
  std::vector<int32_t> indices = builder.addOptional(
      name.str(), std::move(inputs), types, present, std::move(attributes),
      describeLocation(op->getLoc()));
  for (auto [result, index] : llvm::zip(results, indices))
    if (result)
      bind(result, index);
  return success();
}

LogicalResult ProgramWriter::writeAcross(Operation *op, StringRef name,
                                         int32_t input,
                                         rt::Attributes attributes,
                                         rt::Placement result) {
  FailureOr<rt::ValueType> type =
      typeOf(op, op->getResult(0).getType(), result);
  if (failed(type))
    return failure();
  bindAt(op->getResult(0),
         builder.addOne(name.str(), {input}, *type, std::move(attributes),
                        describeLocation(op->getLoc())),
         result);
  return success();
}

FailureOr<int32_t> ProgramWriter::step(Operation *op, StringRef name,
                                       std::vector<int32_t> inputs,
                                       RankedTensorType resultType,
                                       rt::Attributes attributes) {
  FailureOr<rt::ValueType> type = typeOf(op, resultType, current);
  if (failed(type))
    return failure();
  return builder.addOne(name.str(), std::move(inputs), *type,
                        std::move(attributes), describeLocation(op->getLoc()));
}

LogicalResult ProgramWriter::translate(Operation *op, rt::Placement placement) {
  const OpTranslation *translation = OpTranslations::get().find(op);
  if (!translation)
    return op->emitOpError("cannot run: it has no translation to a program");
  current = placement;
  return translation->translate(op, *this);
}

LogicalResult ProgramWriter::writeOp(Operation *op) {
  const OpTranslation *translation = OpTranslations::get().find(op);
  if (!translation)
    return op->emitOpError("cannot run: it has no translation to a program");
  switch (translation->runs(op)) {
  case Runs::OnDevices:
  case Runs::ToHost:
    return translate(op, rt::Placement::Local);
  case Runs::FromHost:
    return translate(op, rt::Placement::Whole);
  case Runs::Anywhere:
    break;
  }
  if (isFloating(op))
    return success();
  for (Value operand : op->getOperands())
    if (std::optional<rt::Placement> placement = placementOf(operand))
      return translate(op, *placement);
  return translate(op, rt::Placement::Whole);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult ProgramWriter::writeBody(Block &body) {
  for (Operation &op : body.without_terminator())
    if (failed(writeOp(&op)))
      return failure();
  return success();
}

/// The function that a call or a composite runs, or nothing.
static func::FuncOp calleeOf(Operation *op) {
  auto name = op->getAttrOfType<FlatSymbolRefAttr>("callee");
  if (!name)
    name = op->getAttrOfType<FlatSymbolRefAttr>("decomposition");
  return name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name)
              : func::FuncOp();
}

/// What the ops of a function and of all that it calls ask for.
static void collectRuns(func::FuncOp function, bool &onDevices, bool &crosses,
                        llvm::SmallPtrSetImpl<Operation *> &visited) {
  if (!function || !visited.insert(function).second)
    return;
  function.walk([&](Operation *op) {
    collectRuns(calleeOf(op), onDevices, crosses, visited);
    const OpTranslation *translation = OpTranslations::get().find(op);
    if (!translation)
      return;
    Runs runs = translation->runs(op);
    onDevices |= runs == Runs::OnDevices;
    crosses |= runs == Runs::FromHost || runs == Runs::ToHost;
  });
}

/// Whether the function's arguments are one device's: it exchanges data between
/// devices but nowhere splits a whole tensor.
static bool isDeviceFunction(func::FuncOp function) {
  bool onDevices = false, crosses = false;
  llvm::SmallPtrSet<Operation *, 4> visited;
  collectRuns(function, onDevices, crosses, visited);
  return onDevices && !crosses;
}

/// Whether an argument is annotated as a shard that is on its device already.
static bool isPresharded(func::FuncOp function, unsigned index) {
  auto status = function.getArgAttrOfType<ttcore::ShardStatusAttr>(
      index, "ttcore.shard_status");
  return status && status.getValue() == ttcore::ShardStatus::Presharded;
}

LogicalResult ProgramWriter::writeFunction(func::FuncOp function,
                                           ArrayRef<std::string> inputNames) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("cannot run: expects a body of one block");
  bool device = isDeviceFunction(function);
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    rt::Placement placement = device || isPresharded(function, index)
                                  ? rt::Placement::Local
                                  : rt::Placement::Whole;
    FailureOr<rt::ValueType> type =
        typeOf(function, argument.getType(), placement);
    if (failed(type))
      return failure();
    std::string name = inputNames.size() == function.getNumArguments()
                           ? inputNames[index]
                           : "arg" + std::to_string(index);
    bindAt(argument, builder.addInput(name, *type), placement);
  }
  Block &body = function.getBody().front();
  if (failed(writeBody(body)))
    return failure();
  Operation *terminator = body.getTerminator();
  for (auto [index, result] : llvm::enumerate(terminator->getOperands())) {
    rt::Placement placement =
        placementOf(result).value_or(rt::Placement::Whole);
    FailureOr<int32_t> value = operand(terminator, result, placement);
    if (failed(value))
      return failure();
    builder.addOutput("out" + std::to_string(index), *value);
  }
  return success();
}

LogicalResult ProgramWriter::inlineBody(Operation *call, Region &region) {
  if (!region.hasOneBlock())
    return call->emitOpError("cannot run: expects a body of one block");
  rt::Placement placement = current;
  Block &body = region.front();
  // The values of a function stand for this call only.
  for (auto [argument, value] :
       llvm::zip(body.getArguments(), call->getOperands())) {
    FailureOr<int32_t> input = operand(call, value, placement);
    if (failed(input))
      return failure();
    bindAt(argument, *input, placement);
  }
  for (Operation &op : body.without_terminator()) {
    for (Value result : op.getResults()) {
      whole.erase(result);
      local.erase(result);
    }
    if (failed(writeOp(&op)))
      return failure();
  }
  current = placement;
  for (auto [result, value] :
       llvm::zip(call->getResults(), body.getTerminator()->getOperands())) {
    FailureOr<int32_t> output = operand(call, value, placement);
    if (failed(output))
      return failure();
    bindAt(result, *output, placement);
  }
  return success();
}

FailureOr<std::vector<uint8_t>> ProgramWriter::finish(Operation *op) {
  std::vector<uint8_t> file = builder.serialize();
  rt::Result<rt::Program> program = rt::Program::load(file.data(), file.size());
  if (!program)
    return op->emitOpError("gives a program that is refused: ")
           << program.message();
  return file;
}

} // namespace mlir::ring
