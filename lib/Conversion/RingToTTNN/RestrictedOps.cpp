// SPDX-License-Identifier: Apache-2.0
// Ops that a device takes in fewer forms than TTIR has: of other types, of
// another rank, row by row.

#include "LoweringTable.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;
namespace ttnn = mlir::tt::ttnn;

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// The op of the same name on operands of `type`, whose results become again
/// what they were.
static void computeAs(Operation &op, Type type, FunctionLowering &function) {
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(
        function.typecast(op.getLoc(), function.onDevice(operand), type));
  SmallVector<Type> results;
  for (Type result : op.getResultTypes())
    results.push_back(FunctionLowering::deviceType(RankedTensorType::get(
        cast<RankedTensorType>(result).getShape(), type)));
  NamedAttrList attributes = FunctionLowering::attributesOf(op);
  Operation *computed = function.create(
      op.getLoc(), ("ttnn." + op.getName().stripDialect()).str(), results,
      operands, attributes.getAttrs());
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), computed->getResults()))
    function.replace(result,
                     function.typecast(op.getLoc(), value, elementOf(result)));
}

static void keep(Operation &op, FunctionLowering &function) {
  function.replaceBySame(op, op.getName().stripDialect(),
                         FunctionLowering::attributesOf(op).getAttrs());
}

/// permute and reductions: integers are moved and added as f32, which holds
/// them up to 2^24.
LogicalResult lowerAsFloat(Operation *op, FunctionLowering &function) {
  if (isa<IntegerType>(elementOf(op->getOperand(0))))
    computeAs(*op, function.builder().getF32Type(), function);
  else
    keep(*op, function);
  return success();
}

/// where: the condition is a number of the type that is chosen from, and no
/// integer.
LogicalResult lowerWhere(Operation *op, FunctionLowering &function) {
  Type chosen = elementOf(op->getResult(0));
  if (isa<IntegerType>(chosen))
    chosen = function.builder().getF32Type();
  if (elementOf(op->getOperand(0)) == chosen &&
      elementOf(op->getResult(0)) == chosen)
    keep(*op, function);
  else
    computeAs(*op, chosen, function);
  return success();
}

/// embedding: numbers without a sign, row by row, out of a table of bf16, row
/// by row; numbers of more than two dimensions behind each other.
LogicalResult lowerEmbedding(Operation *op, FunctionLowering &function) {
  auto embedding = cast<ttir::EmbeddingOp>(op);
  Location loc = op->getLoc();
  Builder &builder = function.builder();
  if (!elementOf(embedding.getWeight()).isBF16())
    return op->emitOpError("expects a table of bf16, which is what a device "
                           "takes and convert-ring-to-ttir makes of f32, but "
                           "got ")
           << elementOf(embedding.getWeight());
  auto unsignedType = builder.getIntegerType(32, /*isSigned=*/false);
  Value numbers = function.onDevice(embedding.getInput());
  auto type = cast<RankedTensorType>(embedding.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (shape.size() > 3) {
    int64_t count = cast<RankedTensorType>(numbers.getType()).getNumElements();
    shape = {1, count, shape.back()};
    numbers = function.reshape(
        loc, numbers, RankedTensorType::get({1, count}, elementOf(numbers)));
  }
  numbers = function.inRows(loc, function.typecast(loc, numbers, unsignedType));
  Value table = function.inRows(loc, function.onDevice(embedding.getWeight()));
  Value rows = function.create(
      loc, "ttnn.embedding",
      RankedTensorType::get(shape, type.getElementType()), {numbers, table});
  function.replace(op->getResult(0), function.reshape(loc, rows, type));
  return success();
}

/// linear: a device adds one row to all rows of one product. Any other bias is
/// added behind.
LogicalResult lowerLinear(Operation *op, FunctionLowering &function) {
  auto linear = cast<ttir::LinearOp>(op);
  auto result = cast<RankedTensorType>(linear.getType());
  auto unit = [](ArrayRef<int64_t> dims) {
    return llvm::all_of(dims, [](int64_t size) { return size == 1; });
  };
  auto b = cast<RankedTensorType>(linear.getB().getType());
  auto bias = linear.getBias()
                  ? cast<RankedTensorType>(linear.getBias().getType())
                  : RankedTensorType();
  bool isRow = !bias || (bias.getRank() > 0 && b.getRank() > 1 &&
                         unit(bias.getShape().drop_back()) &&
                         unit(b.getShape().drop_back(2)) &&
                         bias.getShape().back() == result.getShape().back());
  if (isRow) {
    keep(*op, function);
    return success();
  }
  Value product = function.create(
      op->getLoc(), "ttnn.matmul", result,
      {function.onDevice(linear.getA()), function.onDevice(linear.getB())},
      FunctionLowering::attributesOf(*op).getAttrs());
  function.replace(
      op->getResult(0),
      function.create(op->getLoc(), "ttnn.add", result,
                      {product, function.onDevice(linear.getBias())}));
  return success();
}

/// Collectives of a tensor with fewer dimensions than a device's take: with
/// dimensions of 1 before its own.
static void raiseRank(Operation &op, int64_t rank, StringRef dimName,
                      FunctionLowering &function) {
  auto widened = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(rank - tensor.getRank(), 1);
    llvm::append_range(shape, tensor.getShape());
    return RankedTensorType::get(shape, tensor.getElementType());
  };
  auto type = cast<RankedTensorType>(op.getOperand(0).getType());
  NamedAttrList attributes = FunctionLowering::attributesOf(op);
  if (auto dim = dyn_cast_or_null<IntegerAttr>(attributes.get(dimName)))
    if (int64_t own = dim.getValue().getSExtValue(); own >= 0)
      attributes.set(dimName, IntegerAttr::get(dim.getType(),
                                               own + rank - type.getRank()));
  Value input = function.reshape(
      op.getLoc(), function.onDevice(op.getOperand(0)), widened(type));
  Value result = function.create(
      op.getLoc(), ("ttnn." + op.getName().stripDialect()).str(),
      widened(op.getResult(0).getType()), input, attributes.getAttrs());
  function.replace(
      op.getResult(0),
      function.reshape(op.getLoc(), result,
                       cast<RankedTensorType>(op.getResult(0).getType())));
}

static LogicalResult lowerCollective(Operation &op, int64_t rank,
                                     StringRef dimName,
                                     FunctionLowering &function) {
  if (cast<RankedTensorType>(op.getOperand(0).getType()).getRank() < rank)
    raiseRank(op, rank, dimName, function);
  else
    keep(op, function);
  return success();
}

LogicalResult lowerAllGather(Operation *op, FunctionLowering &function) {
  return lowerCollective(*op, 2, "all_gather_dim", function);
}

/// all_reduce, reduce_scatter: wrong sums below four dimensions.
LogicalResult lowerReduction(Operation *op, FunctionLowering &function) {
  return lowerCollective(*op, 4, "scatter_dim", function);
}

/// What a device's attentions take: no f32, and dims of whole tiles.
static LogicalResult verifyAttention(Operation *op) {
  constexpr int64_t kTile = 32;
  auto query = cast<RankedTensorType>(op->getOperand(0).getType());
  if (query.getElementType().isF32())
    return op->emitOpError("expects bf16 or block floats, which is what a "
                           "device's attention takes, but got f32");
  if (query.getShape().back() % kTile != 0)
    return op->emitOpError("expects heads of whole tiles, which is what a "
                           "device's attention takes, but got a dim of ")
           << query.getShape().back();
  return success();
}

/// The attention of a model that was not distributed. A device's mask has all
/// rows of the queries, and there is no window beside it.
LogicalResult lowerAttention(Operation *op, FunctionLowering &function) {
  auto attention = cast<ttir::ScaledDotProductAttentionOp>(op);
  if (failed(verifyAttention(op)))
    return failure();
  if (attention.getAttentionMask() && attention.getSlidingWindowSizeAttr())
    return op->emitOpError("expects a mask or a window, which is what a "
                           "device's attention takes, but got both");
  constexpr int64_t kRows = 2;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value lowered = function.onDevice(operand);
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t rows = attention.getQuery().getType().getDimSize(kRows);
    if (operand == attention.getAttentionMask() &&
        type.getDimSize(kRows) != rows) {
      SmallVector<int64_t> shape(type.getShape()), times(type.getRank(), 1);
      shape[kRows] = times[kRows] = rows;
      lowered = function.create(
          op->getLoc(), "ttnn.repeat",
          RankedTensorType::get(shape, type.getElementType()), lowered,
          function.builder().getNamedAttr(
              "repeat_dims", ttnn::ShapeAttr::get(op->getContext(), times)));
    }
    operands.push_back(lowered);
  }
  function.replace(
      op->getResult(0),
      function.create(op->getLoc(), "ttnn.scaled_dot_product_attention",
                      cast<RankedTensorType>(attention.getType()), operands,
                      FunctionLowering::attributesOf(*op).getAttrs()));
  return success();
}

LogicalResult lowerDecodeAttention(Operation *op, FunctionLowering &function) {
  if (failed(verifyAttention(op)))
    return failure();
  keep(*op, function);
  return success();
}

} // namespace mlir::ring
