// SPDX-License-Identifier: Apache-2.0
// Ops that models have around their attention and that TTNN spells in another
// way: another type of an attribute, several ops, or in place.

#include "LoweringTable.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;
namespace ttnn = mlir::tt::ttnn;

//===----------------------------------------------------------------------===//
// Attributes of another type
//===----------------------------------------------------------------------===//

/// The op by its own name, with attribute `from` as `to`, a signed integer of
/// `width` bits. A list is accepted if it has one entry.
static LogicalResult lowerWithSignedDim(Operation *op,
                                        FunctionLowering &function,
                                        StringRef from, StringRef to,
                                        unsigned width) {
  Builder &builder = function.builder();
  NamedAttrList attributes = FunctionLowering::attributesOf(*op);
  Attribute had = attributes.erase(from);
  if (auto list = dyn_cast_or_null<ArrayAttr>(had)) {
    if (list.size() != 1)
      return op->emitOpError("expects one dimension, which is what TTNN takes, "
                             "but got ")
             << list.size();
    had = list[0];
  }
  if (auto dim = dyn_cast_or_null<IntegerAttr>(had))
    attributes.set(to, builder.getIntegerAttr(
                           builder.getIntegerType(width, /*isSigned=*/true),
                           dim.getValue().getSExtValue()));
  else if (had)
    return op->emitOpError("expects a dimension as ")
           << from << ", but got " << had;
  function.replaceBySame(*op, op->getName().stripDialect(),
                         attributes.getAttrs());
  return success();
}

/// cumsum, topk, gather and scatter along one dimension.
LogicalResult lowerAlongDim(Operation *op, FunctionLowering &function) {
  if (!op->hasAttr("dim"))
    return op->emitOpError("expects a dimension, which is all that TTNN takes, "
                           "but got dimension numbers");
  return lowerWithSignedDim(op, function, "dim", "dim", 32);
}

LogicalResult lowerSort(Operation *op, FunctionLowering &function) {
  return lowerWithSignedDim(op, function, "dim", "dim", 8);
}

LogicalResult lowerArgMax(Operation *op, FunctionLowering &function) {
  return lowerWithSignedDim(op, function, "dim_arg", "dim", 32);
}

LogicalResult lowerProd(Operation *op, FunctionLowering &function) {
  return lowerWithSignedDim(op, function, "dim_arg", "dim_arg", 64);
}

/// rms_norm, layer_norm: TTNN normalises the last dimension.
LogicalResult lowerNorm(Operation *op, FunctionLowering &function) {
  NamedAttrList attributes = FunctionLowering::attributesOf(*op);
  auto shape =
      dyn_cast_or_null<DenseI64ArrayAttr>(attributes.erase("normalized_shape"));
  if (shape && shape.size() != 1)
    return op->emitOpError("expects one normalised dimension, which is what "
                           "TTNN has, but got ")
           << shape.size();
  function.replaceBySame(*op, op->getName().stripDialect(),
                         attributes.getAttrs());
  return success();
}

LogicalResult lowerRepeat(Operation *op, FunctionLowering &function) {
  auto repeat = cast<ttir::RepeatOp>(op);
  auto times =
      ttnn::ShapeAttr::get(op->getContext(), repeat.getRepeatDimensions());
  function.replaceBySame(*op, "repeat",
                         function.builder().getNamedAttr("repeat_dims", times));
  return success();
}

//===----------------------------------------------------------------------===//
// Products over any dimensions
//===----------------------------------------------------------------------===//

namespace {

/// One side of a dot_general: its dimensions by what becomes of them.
struct ProductSide {
  Value value;
  RankedTensorType type;
  SmallVector<int64_t> batch, contracted, free;

  ProductSide(Value value, ArrayRef<int64_t> batch,
              ArrayRef<int64_t> contracted, FunctionLowering &function)
      : value(function.onDevice(value)),
        type(cast<RankedTensorType>(value.getType())), batch(batch),
        contracted(contracted) {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(batch, dim) &&
          !llvm::is_contained(contracted, dim))
        free.push_back(dim);
  }

  int64_t sizeOf(ArrayRef<int64_t> dims) const {
    int64_t size = 1;
    for (int64_t dim : dims)
      size *= type.getDimSize(dim);
    return size;
  }

  /// Batches, then `rows` and `columns`, as three dimensions.
  Value asMatrices(ArrayRef<int64_t> rows, ArrayRef<int64_t> columns,
                   Location loc, FunctionLowering &function) const {
    Builder &builder = function.builder();
    SmallVector<int64_t> order(batch);
    order.append(rows.begin(), rows.end());
    order.append(columns.begin(), columns.end());
    Value ordered = value;
    if (!llvm::is_sorted(order)) {
      SmallVector<int64_t> shape;
      for (int64_t dim : order)
        shape.push_back(type.getDimSize(dim));
      ordered = function.create(
          loc, "ttnn.permute",
          RankedTensorType::get(shape, type.getElementType()), ordered,
          builder.getNamedAttr("permutation",
                               builder.getDenseI64ArrayAttr(order)));
    }
    return function.reshape(
        loc, ordered,
        RankedTensorType::get({sizeOf(batch), sizeOf(rows), sizeOf(columns)},
                              type.getElementType()));
  }
};

} // namespace

/// dot_general -> matmul of both sides as batches of matrices. The second one
/// is transposed by the product if that saves its permutation: weights are
/// mostly `[out, in]`, contracted over `in`.
LogicalResult lowerDotGeneral(Operation *op, FunctionLowering &function) {
  auto dot = cast<ttir::DotGeneralOp>(op);
  ProductSide lhs(dot.getLhs(), dot.getBatchDimsLhs(), dot.getContractDimsLhs(),
                  function);
  ProductSide rhs(dot.getRhs(), dot.getBatchDimsRhs(), dot.getContractDimsRhs(),
                  function);
  SmallVector<int64_t> transposedOrder(rhs.batch);
  transposedOrder.append(rhs.free);
  transposedOrder.append(rhs.contracted);
  bool transposed = llvm::is_sorted(transposedOrder);
  Value a = lhs.asMatrices(lhs.free, lhs.contracted, op->getLoc(), function);
  Value b =
      transposed
          ? rhs.asMatrices(rhs.free, rhs.contracted, op->getLoc(), function)
          : rhs.asMatrices(rhs.contracted, rhs.free, op->getLoc(), function);
  auto result = cast<RankedTensorType>(dot.getType());
  Builder &builder = function.builder();
  Value product = function.create(
      op->getLoc(), "ttnn.matmul",
      RankedTensorType::get(
          {lhs.sizeOf(lhs.batch), lhs.sizeOf(lhs.free), rhs.sizeOf(rhs.free)},
          result.getElementType()),
      {a, b},
      {builder.getNamedAttr("transpose_a", builder.getBoolAttr(false)),
       builder.getNamedAttr("transpose_b", builder.getBoolAttr(transposed))});
  function.replace(op->getResult(0),
                   function.reshape(op->getLoc(), product, result));
  return success();
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

/// What a device asks of a paged_update_cache, which has no verifier here: rows
/// `[1, users, heads, dim]`, a number for each user, whole tiles in a page.
static LogicalResult verifyUpdate(Operation *op) {
  // As the user wrote it, without the layout that it got by now.
  auto typeOf = [&](unsigned operand) {
    auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
    return RankedTensorType::get(type.getShape(), type.getElementType());
  };
  unsigned count = op->getNumOperands();
  if (count != 3 && count != 4)
    return op->emitOpError("expects a cache, rows, row numbers and maybe a "
                           "page table, but got ")
           << count << " operands";
  RankedTensorType cache = typeOf(0), rows = typeOf(1), numbers = typeOf(2);
  if (cache.getRank() != 4 || rows.getRank() != 4 || rows.getDimSize(0) != 1 ||
      rows.getDimSize(2) != cache.getDimSize(1) ||
      rows.getDimSize(3) != cache.getDimSize(3))
    return op->emitOpError("expects rows [1, users, heads, dim] for a cache "
                           "[blocks, heads, rows, dim], but got ")
           << rows << " for " << cache;
  int64_t users = rows.getDimSize(1);
  if (!isa<IntegerType>(numbers.getElementType()) || numbers.getRank() != 1 ||
      numbers.getDimSize(0) != users)
    return op->emitOpError("expects an integer for each of ")
           << users << " users, but got " << numbers;
  auto shared = dyn_cast_or_null<BoolAttr>(
      FunctionLowering::attributesOf(*op).get("share_cache"));
  bool isShared = shared && shared.getValue();
  if (count == 3) {
    int64_t wanted = isShared ? 1 : users;
    if (cache.getDimSize(0) != wanted)
      return op->emitOpError("expects a cache of ")
             << wanted << " users without a page table, but got " << cache;
    return success();
  }
  constexpr int64_t kTile = 32;
  RankedTensorType table = typeOf(3);
  if (isShared)
    return op->emitOpError("expects no page table beside share_cache");
  if (!isa<IntegerType>(table.getElementType()) || table.getRank() != 2 ||
      table.getDimSize(0) != users)
    return op->emitOpError("expects a page table of integers with a row for "
                           "each of ")
           << users << " users, but got " << table;
  if (cache.getDimSize(2) % kTile != 0)
    return op->emitOpError("expects pages of whole tiles of ")
           << kTile << " rows, but got " << cache.getDimSize(2);
  return success();
}

/// The operands of a cache op as a device takes them: the row number of an
/// update_cache without a sign; row numbers of users and tables of pages with
/// one, since -1 skips, row by row.
static SmallVector<Value> cacheOperands(Operation *op,
                                        FunctionLowering &function) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(function.onDevice(operand));
  Builder &builder = function.builder();
  StringRef name = op->getName().stripDialect();
  for (Value &numbers : MutableArrayRef(operands).drop_front(2))
    if (name == "update_cache")
      numbers = function.typecast(op->getLoc(), numbers,
                                  builder.getIntegerType(32, false));
    else
      numbers = function.inRows(
          op->getLoc(),
          function.typecast(op->getLoc(), numbers, builder.getIntegerType(32)));
  return operands;
}

/// fill_cache, update_cache, ...: in place in TTNN. Where the TTIR op has a
/// result, that is the cache itself from then on, so nobody else may look at
/// the cache as it was.
LogicalResult lowerCache(Operation *op, FunctionLowering &function) {
  Value cache = op->getOperand(0);
  if (op->getName().stripDialect() == "paged_update_cache" &&
      failed(verifyUpdate(op)))
    return failure();
  SmallVector<Value> operands = cacheOperands(op, function);
  if (op->getNumResults() == 1) {
    for (Operation *user : cache.getUsers())
      if (user != op && op->isBeforeInBlock(user)) {
        InFlightDiagnostic error =
            op->emitOpError("expects no use of the cache behind it, since TTNN "
                            "writes in place, but got one");
        error.attachNote(user->getLoc()) << "the cache is used here";
        return error;
      }
    function.replace(op->getResult(0), operands.front());
  }
  function.create(op->getLoc(), ("ttnn." + op->getName().stripDialect()).str(),
                  TypeRange(), operands,
                  FunctionLowering::attributesOf(*op).getAttrs());
  return success();
}

} // namespace mlir::ring
