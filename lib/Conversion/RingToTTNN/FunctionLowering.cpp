// SPDX-License-Identifier: Apache-2.0
// One function on its way from TTIR to TTNN.

#include "FunctionLowering.h"
#include "LoweringTable.h"
#include "ring/Support/DramTiledLayout.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;
namespace ttnn = mlir::tt::ttnn;

FunctionLowering::FunctionLowering(func::FuncOp func, ArrayRef<int64_t> mesh)
    : func(func), meshShape(mesh), opBuilder(func.getContext()),
      landings(func) {}

RankedTensorType FunctionLowering::deviceType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return withDramTiledLayout(
      RankedTensorType::get(tensor.getShape(), tensor.getElementType()));
}

RankedTensorType FunctionLowering::hostType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  ttnn::TTNNLayoutAttr layout =
      ttnn::TTNNLayoutAttr::Builder(
          type.getContext(), tensor.getShape(),
          ttcore::TileType::get(tensor.getElementType()))
          .setBufferType(ttnn::BufferType::SystemMemory)
          .build();
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(),
                               layout);
}

RankedTensorType FunctionLowering::rowType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  ttnn::TTNNLayoutAttr layout =
      ttnn::TTNNLayoutAttr::Builder(type.getContext(), tensor.getShape(),
                                    tensor.getElementType())
          .setBufferType(ttnn::BufferType::DRAM)
          .setMemoryLayout(ttnn::TensorMemoryLayout::Interleaved)
          .build();
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(),
                               layout);
}

Value FunctionLowering::device() {
  if (openedDevice)
    return openedDevice;
  OpBuilder::InsertionGuard guard(opBuilder);
  opBuilder.setInsertionPointToStart(&func.getBody().front());
  MLIRContext *context = func.getContext();
  openedDevice = ttnn::GetDeviceOp::create(
      opBuilder, func.getLoc(), ttnn::DeviceType::get(context),
      ttnn::MeshShapeAttr::get(context, meshShape[0], meshShape[1]),
      ttnn::MeshOffsetAttr::get(context, 0, 0));
  return openedDevice;
}

SmallVector<int64_t> FunctionLowering::coordinatesOf(int64_t device) const {
  return {device / meshShape[1], device % meshShape[1]};
}

static bool isOnHost(Value value) {
  auto layout = dyn_cast_or_null<ttnn::TTNNLayoutAttr>(
      cast<RankedTensorType>(value.getType()).getEncoding());
  return layout && layout.isSystemBufferType();
}

Value FunctionLowering::onDevice(Value value) {
  Value lowered = lowerings.lookup(value);
  if (!isOnHost(lowered))
    return lowered;
  lowered =
      ttnn::ToDeviceOp::create(opBuilder, value.getLoc(),
                               deviceType(value.getType()), lowered, device());
  replace(value, lowered);
  return lowered;
}

Value FunctionLowering::onHost(Value value) {
  Value lowered = lowerings.lookup(value);
  return isOnHost(lowered) ? lowered : Value();
}

Value FunctionLowering::landing(Location loc, RankedTensorType type) {
  auto shape = ttnn::ShapeAttr::get(func.getContext(), type.getShape());
  Value memory = create(loc, "ttnn.empty", type, device(),
                        opBuilder.getNamedAttr("shape", shape));
  landings.add(memory.getDefiningOp());
  return memory;
}

NamedAttrList FunctionLowering::attributesOf(Operation &op) {
  NamedAttrList attributes(op.getAttrDictionary());
  if (!op.isRegistered())
    if (auto more =
            dyn_cast_or_null<DictionaryAttr>(op.getPropertiesAsAttribute()))
      attributes.append(more.getValue());
  return attributes;
}

Operation *FunctionLowering::create(Location loc, StringRef name,
                                    TypeRange results, ValueRange operands,
                                    ArrayRef<NamedAttribute> attributes) {
  OperationState state(loc, name, operands, results);
  if (state.name.isRegistered())
    state.addAttributes(attributes);
  else if (!attributes.empty())
    state.propertiesAttr = opBuilder.getDictionaryAttr(attributes);
  return opBuilder.create(state);
}

Value FunctionLowering::create(Location loc, StringRef name,
                               RankedTensorType type, ValueRange operands,
                               ArrayRef<NamedAttribute> attributes) {
  return create(loc, name, TypeRange(deviceType(type)), operands, attributes)
      ->getResult(0);
}

/// Who calls a private function has its tensors on the device. A function that
/// is lowered already says it by its types.
bool isHosts(BlockArgument argument) {
  if (cast<RankedTensorType>(argument.getType()).getEncoding())
    return isOnHost(argument);
  auto func = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto type = func->getAttrOfType<StringAttr>(kFunctionType);
  if (func.isPrivate() && !(type && type.getValue() == kConstEval))
    return false;
  return llvm::any_of(argument.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto shard = dyn_cast<ttir::MeshShardOp>(user))
      return shard.getShardDirection() ==
             ttcore::MeshShardDirection::FullToShard;
    auto load = dyn_cast<ttcore::LoadCachedOp>(user);
    auto callee = load ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                             load, load.getCalleeAttr())
                       : func::FuncOp();
    return callee && !callee.isDeclaration() &&
           isHosts(callee.getArgument(use.getOperandNumber()));
  });
}

void FunctionLowering::convertArguments() {
  for (BlockArgument argument : func.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    argument.setType(isHosts(argument) ? hostType(argument.getType())
                                       : deviceType(argument.getType()));
    lowerings.map(argument, argument);
  }
}

void FunctionLowering::convertReturn(func::ReturnOp op) {
  for (OpOperand &operand : op->getOpOperands())
    operand.set(func.isPrivate() &&
                        isa<RankedTensorType>(operand.get().getType())
                    ? onDevice(operand.get())
                    : lowerings.lookupOrDefault(operand.get()));
  func.setFunctionType(FunctionType::get(
      func.getContext(), func.getBody().front().getArgumentTypes(),
      op.getOperandTypes()));
}

void FunctionLowering::replaceBySame(Operation &op, StringRef name,
                                     ArrayRef<NamedAttribute> attributes) {
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(onDevice(operand));
  SmallVector<Type> results;
  for (Type type : op.getResultTypes())
    results.push_back(deviceType(type));
  Operation *lowered = create(op.getLoc(), ("ttnn." + name).str(), results,
                              operands, attributes);
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), lowered->getResults()))
    replace(result, value);
}

Value FunctionLowering::reshape(Location loc, Value input,
                                RankedTensorType type) {
  if (cast<RankedTensorType>(input.getType()).getShape() == type.getShape())
    return input;
  SmallVector<int32_t> shape(type.getShape());
  return create(
      loc, "ttnn.reshape", type, input,
      opBuilder.getNamedAttr("shape", opBuilder.getI32ArrayAttr(shape)));
}

Value FunctionLowering::typecast(Location loc, Value input, Type elementType) {
  auto type = cast<RankedTensorType>(input.getType());
  if (type.getElementType() == elementType)
    return input;
  return create(loc, "ttnn.typecast",
                RankedTensorType::get(type.getShape(), elementType), input);
}

Value FunctionLowering::inRows(Location loc, Value input) {
  return create(loc, "ttnn.to_layout", TypeRange(rowType(input.getType())),
                input, {})
      ->getResult(0);
}

Value FunctionLowering::inTiles(Location loc, Value input) {
  return create(loc, "ttnn.to_layout", cast<RankedTensorType>(input.getType()),
                input);
}

/// Whether tensors of these types have a form in a device's memory.
static LogicalResult verifyTensors(Location loc, TypeRange types) {
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && (!tensor.hasStaticShape() ||
                   !ttcore::elementTypeToDataTypeImpl(tensor.getElementType())))
      return emitError(loc, "expects tensors of known sizes and of an element "
                            "type that TTNN stores, but got ")
             << type;
  return success();
}

LogicalResult FunctionLowering::lower(Operation &op) {
  if (failed(verifyTensors(op.getLoc(), op.getResultTypes())))
    return failure();
  opBuilder.setInsertionPoint(&op);
  if (OpLowering lowering = findLowering(op.getName().getStringRef()))
    return lowering(&op, *this);
  if (std::optional<StringRef> name = findSameOp(op.getName().getStringRef())) {
    NamedAttrList attributes = attributesOf(op);
    // What only TTIR's own passes look at.
    attributes.erase("conservative_folding");
    replaceBySame(op, *name, attributes.getAttrs());
    return success();
  }
  return op.emitOpError("has no form in TTNN that this pass knows");
}

LogicalResult FunctionLowering::run() {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expects one block in a function, but got ")
           << func.getBody().getBlocks().size();
  Block &body = func.getBody().front();
  if (failed(verifyTensors(func.getLoc(), body.getArgumentTypes())))
    return failure();
  SmallVector<Operation *> ops =
      llvm::map_to_vector(body, [](Operation &op) { return &op; });
  convertArguments();
  for (Operation *op : ArrayRef(ops).drop_back())
    if (failed(lower(*op)))
      return failure();
  opBuilder.setInsertionPoint(ops.back());
  convertReturn(cast<func::ReturnOp>(ops.back()));
  for (Operation *op : llvm::reverse(ArrayRef(ops).drop_back()))
    op->erase();
  landings.share();
  insertDeallocations(func);
  return success();
}

void insertDeallocations(func::FuncOp func) {
  Block &body = func.getBody().front();
  SmallVector<Value> tensors;
  for (Operation &op : body)
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType()) && !result.use_empty())
        tensors.push_back(result);
  for (Value tensor : tensors) {
    Operation *last = nullptr;
    bool isReturned = false;
    for (Operation *user : tensor.getUsers()) {
      isReturned |= isa<func::ReturnOp>(user);
      if (!last || last->isBeforeInBlock(user))
        last = user;
    }
    if (isReturned)
      continue;
    OpBuilder builder(func.getContext());
    builder.setInsertionPointAfter(last);
    ttnn::DeallocateOp::create(builder, last->getLoc(), tensor,
                               /*force=*/false);
  }
}

} // namespace mlir::ring
