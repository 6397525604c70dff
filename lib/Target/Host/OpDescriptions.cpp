// SPDX-License-Identifier: Apache-2.0
// Which calls each op of TTNN becomes. Where a device op wants its operands in
// another form than TTNN gives them, the calls that bring them there are
// described too.

#include "FunctionDescriber.h"
#include "mlir/IR/SymbolTable.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ring::host {

namespace ttnn = mlir::tt::ttnn;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Ops whose operands and attributes are the arguments of one call
//===----------------------------------------------------------------------===//

namespace {

/// The function of an op, and which parameters its attributes go to. Operands
/// take the first parameters.
struct Listed {
  StringRef op, function;
  std::vector<std::pair<StringRef, StringRef>> attributes;
};

} // namespace

static const std::vector<Listed> &listedOps() {
  static const std::vector<Listed> table = {
      {"clamp_scalar", "clamp", {{"min", "min"}, {"max", "max"}}},
      {"max", "max", {{"dim_arg", "dim"}, {"keep_dim", "keepdim"}}},
      {"mean", "mean", {{"dim_arg", "dim"}, {"keep_dim", "keepdim"}}},
      {"min", "min", {{"dim_arg", "dim"}, {"keep_dim", "keepdim"}}},
      {"permute", "permute", {{"permutation", "dims"}}},
      {"pow_tensor", "pow", {}},
      {"repeat", "repeat", {{"repeat_dims", "repeat_dims"}}},
      {"repeat_interleave",
       "repeat_interleave",
       {{"repeats", "repeats"}, {"dim", "dim"}}},
      {"reshape", "reshape", {{"shape", "shape"}}},
      {"slice_static",
       "slice",
       {{"begins", "starts"}, {"ends", "ends"}, {"step", "steps"}}},
      {"softmax",
       "softmax",
       {{"dimension", "dim"}, {"numericStable", "numeric_stable"}}},
      {"sum", "sum", {{"dim_arg", "dim"}, {"keep_dim", "keepdim"}}},
      {"transpose", "transpose", {{"dim0", "dim1"}, {"dim1", "dim2"}}},
  };
  return table;
}

/// Elementwise functions that have the op's name and no attributes.
static constexpr StringRef kElementwise[] = {
    "abs",        "add",   "cbrt",       "ceil",        "cos",
    "divide",     "eq",    "erf",        "exp",         "expm1",
    "floor",      "ge",    "gelu",       "gt",          "isfinite",
    "le",         "log",   "log1p",      "logical_and", "logical_not",
    "logical_or", "lt",    "maximum",    "minimum",     "multiply",
    "ne",         "neg",   "reciprocal", "relu",        "relu6",
    "remainder",  "rsqrt", "sigmoid",    "sign",        "silu",
    "sin",        "sqrt",  "subtract",   "tan",         "tanh",
    "where"};

LogicalResult addAttribute(Operation *op, StringRef attribute,
                           StringRef parameter,
                           std::vector<Argument> &arguments,
                           FunctionDescriber &function) {
  Attribute value = op->getAttr(attribute);
  if (!value)
    return success();
  std::optional<Expression> expression = Expression::of(value);
  if (!expression)
    return function.refuse(op) << "nothing is known to write for " << attribute;
  arguments.push_back({parameter.str(), std::move(*expression)});
  return success();
}

static LogicalResult describeListed(Operation *op,
                                    FunctionDescriber &function) {
  StringRef name = op->getName().stripDialect();
  const Listed &entry = *llvm::find_if(
      listedOps(), [&](const Listed &listed) { return listed.op == name; });
  std::vector<Argument> arguments;
  for (auto [attribute, parameter] : entry.attributes)
    if (failed(addAttribute(op, attribute, parameter, arguments, function)))
      return failure();
  return function.assign(
      op, call(entry.function, function.operandsOf(op), std::move(arguments)));
}

static LogicalResult describeElementwise(Operation *op,
                                         FunctionDescriber &function) {
  return function.assign(
      op, call(op->getName().stripDialect(), function.operandsOf(op)));
}

//===----------------------------------------------------------------------===//
// Products and norms
//===----------------------------------------------------------------------===//

/// matmul, linear. The result has the type of the first operand unless another
/// one is asked for.
static LogicalResult describeProduct(Operation *op,
                                     FunctionDescriber &function) {
  std::vector<Argument> arguments;
  for (StringRef name : {"transpose_a", "transpose_b"})
    if (failed(addAttribute(op, name, name, arguments, function)))
      return failure();
  if (op->hasAttr("activation"))
    return function.refuse(op) << "nothing is known to write for activation";
  if (op->getNumOperands() == 3)
    arguments.push_back({"bias", function.nameOf(op->getOperand(2))});
  RankedTensorType result = typeOf(op->getResult(0));
  if (result.getElementType() != typeOf(op->getOperand(0)).getElementType()) {
    FailureOr<Expression> type = function.typeOf(op, result);
    if (failed(type))
      return failure();
    arguments.push_back({"dtype", *type});
  }
  return function.assign(op, call(op->getName().stripDialect(),
                                  {function.nameOf(op->getOperand(0)),
                                   function.nameOf(op->getOperand(1))},
                                  std::move(arguments)));
}

/// The norms: weight and bias as far as they are there.
static LogicalResult describeNorm(Operation *op, FunctionDescriber &function) {
  std::vector<Argument> arguments;
  auto sizes = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  int64_t next = 1;
  if (sizes[1])
    arguments.push_back({"weight", function.nameOf(op->getOperand(next++))});
  if (sizes[2])
    arguments.push_back({"bias", function.nameOf(op->getOperand(next))});
  if (failed(addAttribute(op, "epsilon", "epsilon", arguments, function)))
    return failure();
  return function.assign(op, call(op->getName().stripDialect(),
                                  {function.nameOf(op->getOperand(0))},
                                  std::move(arguments)));
}

//===----------------------------------------------------------------------===//
// Tensors from nothing
//===----------------------------------------------------------------------===//

/// full, zeros, ones, empty: shape, type and place.
static LogicalResult describeFilled(Operation *op,
                                    FunctionDescriber &function) {
  RankedTensorType type = typeOf(op->getResult(0));
  FailureOr<Expression> element = function.typeOf(op, type);
  if (failed(element))
    return failure();
  std::vector<Argument> arguments{{"shape", Expression::list(type.getShape())}};
  if (Attribute value = op->getAttr("fill_value")) {
    // C++ tells the two kinds of numbers apart.
    double number = isa<FloatAttr>(value)
                        ? cast<FloatAttr>(value).getValueAsDouble()
                        : cast<IntegerAttr>(value).getInt();
    arguments.push_back({"fill_value", isa<FloatType>(type.getElementType())
                                           ? Expression::realNumber(number)
                                           : Expression::integer(number)});
  }
  arguments.push_back({"dtype", *element});
  arguments.push_back({"layout", Expression::enumerator("tile")});
  arguments.push_back({"device", Expression::device()});
  StringRef name = op->getName().stripDialect();
  if (name == "empty")
    arguments.push_back({"memory_config", Expression::enumerator("dram")});
  return function.assign(op, call(name, std::move(arguments)));
}

static LogicalResult describeArange(Operation *op,
                                    FunctionDescriber &function) {
  FailureOr<Expression> element =
      function.typeOf(op, op->getResult(0).getType());
  if (failed(element))
    return failure();
  std::vector<Argument> arguments;
  for (StringRef name : {"start", "end", "step"})
    if (failed(addAttribute(op, name, name, arguments, function)))
      return failure();
  arguments.push_back({"dtype", *element});
  arguments.push_back({"device", Expression::device()});
  arguments.push_back({"memory_config", Expression::enumerator("dram")});
  arguments.push_back({"layout", Expression::enumerator("tile")});
  return function.assign(op, call("arange", std::move(arguments)));
}

static LogicalResult describeConstant(Operation *any,
                                      FunctionDescriber &function) {
  auto op = cast<ttnn::ConstantOp>(any);
  RankedTensorType type = typeOf(op.getResult());
  FailureOr<Expression> element = function.typeOf(any, type);
  if (failed(element))
    return failure();
  auto values = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!values || !values.getElementType().isIntOrFloat())
    return function.refuse(any) << "expects numbers that the file has";
  bool isIntegral = values.getElementType().isIntOrIndex();
  auto numberOf = [&](const auto &value) -> double {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, APInt>)
      return values.getElementType().isUnsignedInteger()
                 ? static_cast<double>(value.getZExtValue())
                 : static_cast<double>(value.getSExtValue());
    else
      return FloatAttr::get(values.getElementType(), value).getValueAsDouble();
  };
  Expression::ConstantData data;
  data.isIntegral = isIntegral;
  if (isIntegral)
    for (const APInt &value : values.getValues<APInt>())
      data.values.push_back(numberOf(value));
  else
    for (const APFloat &value : values.getValues<APFloat>())
      data.values.push_back(numberOf(value));
  if (llvm::all_equal(data.values)) {
    double value = data.values.front();
    return function.assign(
        any, call("full",
                  {{"shape", Expression::list(type.getShape())},
                   {"fill_value", isIntegral ? Expression::integer(value)
                                             : Expression::realNumber(value)},
                   {"dtype", *element},
                   {"layout", Expression::enumerator("tile")},
                   {"device", Expression::device()}}));
  }
  data.shape.assign(type.getShape().begin(), type.getShape().end());
  data.type = element->text;
  Expression constant;
  constant.kind = Expression::Kind::Constant;
  constant.constant = std::move(data);
  return function.assign(any, std::move(constant));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Tiles are padded behind their numbers only. Padding in front becomes a
/// concat with what is put there.
static Expression padInFront(ttnn::PadOp op, FunctionDescriber &function,
                             const Expression &type) {
  ArrayRef<int32_t> padding = op.getPadding();
  SmallVector<int64_t> shape(typeOf(op.getInput()).getShape());
  Expression padded = function.nameOf(op.getInput());
  auto filler = [&](int64_t dim, int64_t size) {
    SmallVector<int64_t> part(shape);
    part[dim] = size;
    return function.step(
        "filler",
        call("full",
             {{"shape", Expression::list(part)},
              {"fill_value",
               Expression::realNumber(op.getValue().convertToFloat())},
              {"dtype", type},
              {"layout", Expression::enumerator(layoutOf(op.getInput()))},
              {"device", Expression::device()}}));
  };
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t before = padding[2 * dim], after = padding[2 * dim + 1];
    if (!before && !after)
      continue;
    std::vector<Expression> parts;
    if (before)
      parts.push_back(filler(dim, before));
    parts.push_back(padded);
    if (after)
      parts.push_back(filler(dim, after));
    shape[dim] += before + after;
    padded = function.step("padded",
                           call("concat", {{"tensors", Expression::list(parts)},
                                           {"dim", Expression::integer(dim)}}));
  }
  return padded;
}

static LogicalResult describePad(Operation *any, FunctionDescriber &function) {
  auto op = cast<ttnn::PadOp>(any);
  SmallVector<int64_t> padding(op.getPadding());
  bool inFront = false;
  for (size_t i = 0; i < padding.size(); i += 2)
    inFront |= padding[i] != 0;
  if (inFront) {
    FailureOr<Expression> type = function.typeOf(any, op.getType());
    if (failed(type))
      return failure();
    return function.assign(any, padInFront(op, function, *type));
  }
  return function.assign(
      any,
      call("pad", {function.nameOf(op.getInput()), Expression::pairs(padding),
                   Expression::realNumber(op.getValue().convertToFloat())}));
}

static LogicalResult describeConcat(Operation *op,
                                    FunctionDescriber &function) {
  return function.assign(
      op,
      call("concat",
           {{"tensors", Expression::list(function.operandsOf(op))},
            {"dim", Expression::integer(cast<ttnn::ConcatOp>(op).getDim())}}));
}

static LogicalResult describeTypecast(Operation *op,
                                      FunctionDescriber &function) {
  FailureOr<Expression> type = function.typeOf(op, op->getResult(0).getType());
  if (failed(type))
    return failure();
  return function.assign(
      op, call("typecast", {function.nameOf(op->getOperand(0)), *type}));
}

//===----------------------------------------------------------------------===//
// Memory and calls
//===----------------------------------------------------------------------===//

static LogicalResult describeNothing(Operation *, FunctionDescriber &) {
  return success();
}

static LogicalResult describeDeallocate(Operation *op,
                                        FunctionDescriber &function) {
  function.evaluate(call("deallocate", {function.nameOf(op->getOperand(0))},
                         {{"force", Expression::flag(false)}}));
  return success();
}

static LogicalResult describeAssign(Operation *op,
                                    FunctionDescriber &function) {
  return function.assign(op,
                         call("clone", {function.nameOf(op->getOperand(0))}));
}

/// func.call, load_cached: a function of the program.
static LogicalResult describeCall(Operation *op, FunctionDescriber &function) {
  auto name = op->getAttrOfType<FlatSymbolRefAttr>("callee");
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name);
  if (!callee || callee.isExternal())
    return function.refuse(op)
           << "expects a function with a body, but got " << name;
  FailureOr<const Function *> described = function.program().describe(callee);
  if (failed(described))
    return failure();
  Expression value;
  value.kind = Expression::Kind::Own;
  value.text = (*described)->name;
  value.parts = function.operandsOf(op);
  value.numbers = {(*described)->takesRings};
  function.made().takesRings |= (*described)->takesRings;
  return function.assign(op, std::move(value));
}

OpDescription findOpDescription(StringRef opName) {
  static const llvm::StringMap<OpDescription> table = [] {
    llvm::StringMap<OpDescription> made;
    for (const Listed &listed : listedOps())
      made[("ttnn." + listed.op).str()] = describeListed;
    for (StringRef name : kElementwise)
      made[("ttnn." + name).str()] = describeElementwise;
    made["func.call"] = describeCall;
    made["ttcore.composite"] = describeComposite;
    made["ttcore.load_cached"] = describeCall;
    made["ttnn.aggregate_tensor"] = describeAggregate;
    made["ttnn.all_gather"] = describeCollective;
    made["ttnn.all_reduce"] = describeCollective;
    made["ttnn.arange"] = describeArange;
    made["ttnn.assign"] = describeAssign;
    made["ttnn.concat"] = describeConcat;
    made["ttnn.constant"] = describeConstant;
    made["ttnn.deallocate"] = describeDeallocate;
    made["ttnn.distribute_tensor"] = describeDistribute;
    made["ttnn.embedding"] = describeEmbedding;
    made["ttnn.empty"] = describeFilled;
    made["ttnn.from_device"] = describeFromDevice;
    made["ttnn.full"] = describeFilled;
    made["ttnn.get_device"] = describeNothing;
    made["ttnn.layer_norm"] = describeNorm;
    made["ttnn.linear"] = describeProduct;
    made["ttnn.matmul"] = describeProduct;
    made["ttnn.mesh_partition"] = describeMeshPartition;
    made["ttnn.ones"] = describeFilled;
    made["ttnn.pad"] = describePad;
    made["ttnn.point_to_point"] = describePointToPoint;
    made["ttnn.reduce_scatter"] = describeCollective;
    made["ttnn.rms_norm"] = describeNorm;
    made["ttnn.scaled_dot_product_attention"] = describeAttention;
    made["ttnn.sdpa_bw"] = describeBackward;
    made["ttnn.sdpa_fw"] = describeForward;
    made["ttnn.to_device"] = describeToDevice;
    made["ttnn.to_layout"] = describeToLayout;
    made["ttnn.typecast"] = describeTypecast;
    made["ttnn.zeros"] = describeFilled;
    return made;
  }();
  return table.lookup(opName);
}

} // namespace mlir::ring::host
