// SPDX-License-Identifier: Apache-2.0
// TTIR ops that TTNN writes in another way.

#include "LoweringTable.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;
namespace ttnn = mlir::tt::ttnn;

static RankedTensorType resultType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

static ttnn::ShapeAttr shapeAttr(RankedTensorType type) {
  return ttnn::ShapeAttr::get(type.getContext(), type.getShape());
}

/// TTNN's arange has one dimension; the others come by reshaping, and by
/// repeating where they are more than 1.
LogicalResult lowerArange(Operation *op, FunctionLowering &function) {
  auto arange = cast<ttir::ArangeOp>(op);
  RankedTensorType type = resultType(op);
  Type element = type.getElementType();
  int64_t dim = arange.getArangeDimensionAttr().getInt();
  Builder &builder = function.builder();
  Value line = function.create(
      op->getLoc(), "ttnn.arange",
      RankedTensorType::get({type.getDimSize(dim)}, element), function.device(),
      {builder.getNamedAttr("start", arange.getStartAttr()),
       builder.getNamedAttr("end", arange.getEndAttr()),
       builder.getNamedAttr("step", arange.getStepAttr())});
  SmallVector<int64_t> shape(type.getRank(), 1), times(type.getShape());
  shape[dim] = type.getDimSize(dim);
  times[dim] = 1;
  Value placed = function.reshape(op->getLoc(), line,
                                  RankedTensorType::get(shape, element));
  if (llvm::any_of(times, [](int64_t count) { return count != 1; }))
    placed = function.create(
        op->getLoc(), "ttnn.repeat", type, placed,
        builder.getNamedAttr("repeat_dims",
                             ttnn::ShapeAttr::get(op->getContext(), times)));
  function.replace(op->getResult(0), placed);
  return success();
}

LogicalResult lowerBroadcast(Operation *op, FunctionLowering &function) {
  auto broadcast = cast<ttir::BroadcastOp>(op);
  auto times = ttnn::ShapeAttr::get(op->getContext(),
                                    broadcast.getBroadcastDimensions());
  function.replace(
      op->getResult(0),
      function.create(op->getLoc(), "ttnn.repeat", resultType(op),
                      function.onDevice(broadcast.getInput()),
                      function.builder().getNamedAttr("repeat_dims", times)));
  return success();
}

LogicalResult lowerConstant(Operation *op, FunctionLowering &function) {
  auto constant = cast<ttir::ConstantOp>(op);
  function.replace(
      op->getResult(0),
      function.create(
          op->getLoc(), "ttnn.constant", resultType(op), function.device(),
          function.builder().getNamedAttr("value", constant.getValueAttr())));
  return success();
}

/// full, zeros, ones and empty: the shape is an attribute of TTNN's own.
LogicalResult lowerFilled(Operation *op, FunctionLowering &function) {
  Builder &builder = function.builder();
  RankedTensorType type = resultType(op);
  SmallVector<NamedAttribute> attributes{
      builder.getNamedAttr("shape", shapeAttr(type))};
  if (auto full = dyn_cast<ttir::FullOp>(op))
    attributes.push_back(
        builder.getNamedAttr("fill_value", full.getFillValueAttr()));
  StringRef name = op->getName().stripDialect();
  function.replace(op->getResult(0),
                   function.create(op->getLoc(), ("ttnn." + name).str(), type,
                                   function.device(), attributes));
  return success();
}

/// pad: before the first row only where rows are no tiles.
LogicalResult lowerPad(Operation *op, FunctionLowering &function) {
  auto pad = cast<ttir::PadOp>(op);
  Builder &builder = function.builder();
  SmallVector<NamedAttribute> attributes{
      builder.getNamedAttr("padding", pad.getPaddingAttr()),
      builder.getNamedAttr("value", pad.getValueAttr()),
      builder.getNamedAttr("use_multicore", builder.getBoolAttr(true))};
  Value input = function.onDevice(pad.getInput());
  bool before = false;
  for (auto [index, size] : llvm::enumerate(pad.getPadding()))
    before |= index % 2 == 0 && size != 0;
  if (!before) {
    function.replace(op->getResult(0),
                     function.create(op->getLoc(), "ttnn.pad", resultType(op),
                                     input, attributes));
    return success();
  }
  Operation *padded =
      function.create(op->getLoc(), "ttnn.pad",
                      TypeRange(FunctionLowering::rowType(resultType(op))),
                      function.inRows(op->getLoc(), input), attributes);
  function.replace(op->getResult(0),
                   function.inTiles(op->getLoc(), padded->getResult(0)));
  return success();
}

LogicalResult lowerToReshape(Operation *op, FunctionLowering &function) {
  function.replace(op->getResult(0),
                   function.reshape(op->getLoc(),
                                    function.onDevice(op->getOperand(0)),
                                    resultType(op)));
  return success();
}

LogicalResult lowerTypesOnly(Operation *op, FunctionLowering &function) {
  OperationState state(op->getLoc(), op->getName());
  auto load = dyn_cast<tt::ttcore::LoadCachedOp>(op);
  auto callee = load ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                           load, load.getCalleeAttr())
                     : func::FuncOp();
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    bool forHost =
        callee && !callee.isDeclaration() && isHosts(callee.getArgument(index));
    state.operands.push_back(forHost ? function.onHost(operand)
                                     : function.onDevice(operand));
    if (!state.operands.back())
      return op->emitOpError("expects a tensor of the host as operand ")
             << index << ", which its function splits over the mesh, but got "
             << "one of the devices'";
  }
  for (Type type : op->getResultTypes())
    state.addTypes(FunctionLowering::deviceType(type));
  state.addAttributes(op->getAttrDictionary().getValue());
  Operation *lowered = function.builder().create(state);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), lowered->getResults()))
    function.replace(result, value);
  return success();
}

} // namespace mlir::ring
