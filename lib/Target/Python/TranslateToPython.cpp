// SPDX-License-Identifier: Apache-2.0
// From TTNN to a Python script: one line for each op, in order.

#include "FusedCall.h"
#include "PythonText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "ring/InitDialects.h"
#include "ring/Target/Python.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;
namespace ttnn = mlir::tt::ttnn;

namespace {

/// How an op is called: the name of the function, and which attributes go with
/// it under which keyword. An empty keyword is a positional argument.
struct Call {
  StringRef op, function;
  std::vector<std::pair<StringRef, StringRef>> attributes;
};

const std::vector<Call> &calls() {
  static const std::vector<Call> table = {
      {"all_gather",
       "all_gather",
       {{"all_gather_dim", "dim"},
        {"cluster_axis", "cluster_axis"},
        {"num_links", "num_links"},
        {"topology", "topology"}}},
      {"clamp_scalar", "clamp", {{"min", "min"}, {"max", "max"}}},
      {"embedding", "embedding", {}},
      {"matmul",
       "matmul",
       {{"transpose_a", "transpose_a"}, {"transpose_b", "transpose_b"}}},
      {"max", "max", {{"dim_arg", "dim"}, {"keep_dim", "keepdim"}}},
      {"mean", "mean", {{"dim_arg", "dim"}, {"keep_dim", "keepdim"}}},
      {"mesh_partition",
       "mesh_partition",
       {{"dim", "dim"}, {"cluster_axis", "cluster_axis"}}},
      {"min", "min", {{"dim_arg", "dim"}, {"keep_dim", "keepdim"}}},
      {"permute", "permute", {{"permutation", ""}}},
      {"pow_tensor", "pow", {}},
      {"repeat", "repeat", {{"repeat_dims", ""}}},
      {"repeat_interleave",
       "repeat_interleave",
       {{"repeats", "repeats"}, {"dim", "dim"}}},
      {"reshape", "reshape", {{"shape", ""}}},
      {"slice_static", "slice", {{"begins", ""}, {"ends", ""}, {"step", ""}}},
      {"softmax",
       "softmax",
       {{"dimension", "dim"}, {"numericStable", "numeric_stable"}}},
      {"sum", "sum", {{"dim_arg", "dim"}, {"keep_dim", "keepdim"}}},
      {"transpose", "transpose", {{"dim0", ""}, {"dim1", ""}}},
  };
  return table;
}

/// Elementwise functions that have the op's name and no attributes.
bool isElementwise(StringRef name) {
  static const llvm::StringSet<> names = {
      "abs",        "add",   "cbrt",       "ceil",        "cos",
      "divide",     "eq",    "erf",        "exp",         "expm1",
      "floor",      "ge",    "gelu",       "gt",          "isfinite",
      "le",         "log",   "log1p",      "logical_and", "logical_not",
      "logical_or", "lt",    "maximum",    "minimum",     "multiply",
      "ne",         "neg",   "reciprocal", "relu",        "relu6",
      "remainder",  "rsqrt", "sigmoid",    "sign",        "silu",
      "sin",        "sqrt",  "subtract",   "tan",         "tanh",
      "where"};
  return names.contains(name);
}

/// Writes one function.
class FunctionWriter {
public:
  FunctionWriter(func::FuncOp function, SharedResources &resources)
      : function(function), resources(resources) {}

  /// The lines of the body, each with its indentation.
  FailureOr<std::string> body() {
    for (auto [index, argument] : llvm::enumerate(function.getArguments()))
      names[argument] = "arg" + std::to_string(index);
    for (Operation &op : function.getBody().front())
      if (failed(write(op)))
        return failure();
    return text;
  }

private:
  const std::string &nameOf(Value value) { return names[value]; }
  SmallVector<std::string> operandsOf(Operation &op) {
    SmallVector<std::string> operands;
    for (Value operand : op.getOperands())
      if (!isa<ttnn::DeviceType>(operand.getType()))
        operands.push_back(nameOf(operand));
    return operands;
  }

  void line(const Twine &content) { text += ("    " + content + "\n").str(); }

  /// `name_3 = expression`, where 3 counts the ops of the function.
  LogicalResult assign(Operation &op, const Twine &expression) {
    std::string name =
        (op.getName().stripDialect() + "_" + Twine(++count)).str();
    line(name + " = " + expression);
    for (auto [index, result] : llvm::enumerate(op.getResults()))
      names[result] = op.getNumResults() == 1
                          ? name
                          : name + "[" + std::to_string(index) + "]";
    return success();
  }

  LogicalResult refuse(Operation &op, const Twine &why) {
    return op.emitOpError("has no form in Python: ") << why;
  }

  LogicalResult call(Operation &op, StringRef function,
                     ArrayRef<std::string> arguments) {
    return assign(op,
                  "ttnn." + function + "(" + llvm::join(arguments, ", ") + ")");
  }

  /// An op of the table, with all attributes that it lists.
  LogicalResult writeListed(Operation &op, const Call &entry) {
    SmallVector<std::string> arguments = operandsOf(op);
    for (auto [attribute, keyword] : entry.attributes) {
      Attribute value = op.getAttr(attribute);
      if (!value)
        continue;
      std::optional<std::string> text = pythonValue(value);
      if (!text)
        return refuse(op, "nothing is known to write for " + attribute);
      arguments.push_back(keyword.empty() ? *text
                                          : keyword.str() + "=" + *text);
    }
    return call(op, entry.function, arguments);
  }

  /// full, zeros, ones, empty: shape, type and place.
  LogicalResult writeFilled(Operation &op) {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    std::optional<std::string> element = pythonType(type.getElementType());
    if (!element)
      return refuse(op, "ttnn has no such element type");
    SmallVector<std::string> arguments{pythonList(type.getShape())};
    if (Attribute value = op.getAttr("fill_value"))
      arguments.push_back(*pythonValue(value));
    llvm::append_values(arguments, "dtype=" + *element,
                        std::string("layout=ttnn.TILE_LAYOUT"),
                        std::string("device=device"));
    return call(op, op.getName().stripDialect(), arguments);
  }

  LogicalResult writeConstant(Operation &any) {
    auto op = cast<ttnn::ConstantOp>(any);
    auto values = dyn_cast<DenseElementsAttr>(op.getValue());
    std::optional<std::string> element = pythonType(
        cast<RankedTensorType>(op.getResult().getType()).getElementType());
    if (!values || !element)
      return refuse(any, "ttnn takes numbers of its own element types");
    SmallVector<std::string> numbers;
    for (Attribute value : values.getValues<Attribute>()) {
      std::optional<std::string> number = pythonValue(value);
      if (!number)
        return refuse(any, "a constant of something else than numbers");
      numbers.push_back(*number);
    }
    return call(any, "Tensor",
                {"[" + llvm::join(numbers, ", ") + "]",
                 pythonList(values.getType().getShape()), *element,
                 "ttnn.TILE_LAYOUT", "device"});
  }

  LogicalResult writePad(Operation &padOp) {
    auto op = cast<ttnn::PadOp>(padOp);
    ArrayRef<int32_t> padding = op.getPadding();
    SmallVector<std::string> pairs;
    for (size_t i = 0; i < padding.size(); i += 2)
      pairs.push_back("(" + std::to_string(padding[i]) + ", " +
                      std::to_string(padding[i + 1]) + ")");
    return call(*op, "pad",
                {nameOf(op.getInput()), "[" + llvm::join(pairs, ", ") + "]",
                 *pythonValue(op.getValueAttr())});
  }

  /// The norms: weight and bias by keyword, as far as they are there.
  LogicalResult writeNorm(Operation &op) {
    SmallVector<std::string> arguments{nameOf(op.getOperand(0))};
    auto sizes = op.getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
    int64_t next = 1;
    if (sizes[1])
      arguments.push_back("weight=" + nameOf(op.getOperand(next++)));
    if (sizes[2])
      arguments.push_back("bias=" + nameOf(op.getOperand(next)));
    if (Attribute epsilon = op.getAttr("epsilon"))
      arguments.push_back("epsilon=" + *pythonValue(epsilon));
    return call(op, op.getName().stripDialect(), arguments);
  }

  LogicalResult writeConcat(Operation &op) {
    return call(op, "concat",
                {"[" + llvm::join(operandsOf(op), ", ") + "]",
                 "dim=" + std::to_string(cast<ttnn::ConcatOp>(op).getDim())});
  }

  LogicalResult writeDistribute(Operation &any) {
    auto op = cast<ttnn::DistributeTensorOp>(any);
    SmallVector<std::string> placements;
    for (ttnn::PlacementAttr placement : op.getMapperConfig().getPlacements())
      placements.push_back(
          placement.getType() == ttnn::PlacementType::Shard
              ? "ttnn.PlacementShard(" +
                    std::to_string(placement.getDim().getInt()) + ")"
              : "ttnn.PlacementReplicate()");
    return call(
        *op, "distribute_tensor",
        {nameOf(op.getInput()), "mapper=ttnn.create_mesh_mapper(device, "
                                "ttnn.MeshMapperConfig([" +
                                    llvm::join(placements, ", ") + "]))"});
  }

  LogicalResult writeAggregate(Operation &any) {
    auto op = cast<ttnn::AggregateTensorOp>(any);
    SmallVector<int64_t> dims;
    for (IntegerAttr dim : op.getComposerConfig().getDims())
      dims.push_back(dim.getInt());
    return call(
        *op, "aggregate_tensor",
        {nameOf(op.getInput()), "composer=ttnn.create_mesh_composer(device, "
                                "ttnn.MeshComposerConfig(" +
                                    pythonList(dims) + "))"});
  }

  LogicalResult writePointToPoint(Operation &any) {
    auto op = cast<ttnn::PointToPointOp>(any);
    auto place = [](ArrayRef<int64_t> at) {
      return "ttnn.MeshCoordinate(" + std::to_string(at[0]) + ", " +
             std::to_string(at[1]) + ")";
    };
    SmallVector<std::string> arguments{
        nameOf(op.getInput()), "sender_coord=" + place(op.getSenderCoord()),
        "receiver_coord=" + place(op.getReceiverCoord()),
        "topology=ttnn.Topology.Linear"};
    if (op.getOptionalOutputTensor())
      arguments.push_back("output_tensor=" +
                          nameOf(op.getOptionalOutputTensor()));
    return call(*op, "point_to_point", arguments);
  }

  LogicalResult writeComposite(Operation &any) {
    auto op = cast<ttcore::CompositeOp>(any);
    FailureOr<std::string> expression =
        fusedCall(op, operandsOf(*op), resources);
    if (failed(expression))
      return failure();
    if (failed(assign(*op, *expression)))
      return failure();
    // The device op returns more than the composite does.
    if (op.getCompositeName() == "ring_joint_scaled_dot_product_attention" &&
        op->getNumResults() == 1)
      names[op->getResult(0)] += "[0]";
    return success();
  }

  LogicalResult writeReturn(Operation &op) {
    line("return " + llvm::join(operandsOf(op), ", "));
    return success();
  }

  LogicalResult writeTypecast(Operation &any) {
    auto op = cast<ttnn::TypecastOp>(any);
    std::optional<std::string> element =
        pythonType(cast<RankedTensorType>(op.getType()).getElementType());
    if (!element)
      return refuse(*op, "ttnn has no such element type");
    return call(*op, "typecast", {nameOf(op.getInput()), *element});
  }

  LogicalResult writeNothing(Operation &) { return success(); }

  LogicalResult writeDeallocate(Operation &op) {
    line("ttnn.deallocate(" + nameOf(op.getOperand(0)) + ", force=False)");
    return success();
  }

  LogicalResult writeMissing(Operation &op) {
    return refuse(op, "ttnn's Python has no such function; use form=fused");
  }

  LogicalResult writeToDevice(Operation &op) {
    return call(op, "to_device", {nameOf(op.getOperand(0)), "device"});
  }

  LogicalResult writeFromDevice(Operation &op) {
    return call(op, "from_device", {nameOf(op.getOperand(0))});
  }

  LogicalResult writeAssign(Operation &op) {
    return call(op, "clone", {nameOf(op.getOperand(0))});
  }

  LogicalResult write(Operation &op) {
    using Write = LogicalResult (FunctionWriter::*)(Operation &);
    static const llvm::StringMap<Write> others = {
        {"func.return", &FunctionWriter::writeReturn},
        {"ttcore.composite", &FunctionWriter::writeComposite},
        {"ttnn.aggregate_tensor", &FunctionWriter::writeAggregate},
        {"ttnn.assign", &FunctionWriter::writeAssign},
        {"ttnn.concat", &FunctionWriter::writeConcat},
        {"ttnn.constant", &FunctionWriter::writeConstant},
        {"ttnn.deallocate", &FunctionWriter::writeDeallocate},
        {"ttnn.distribute_tensor", &FunctionWriter::writeDistribute},
        {"ttnn.empty", &FunctionWriter::writeFilled},
        {"ttnn.from_device", &FunctionWriter::writeFromDevice},
        {"ttnn.full", &FunctionWriter::writeFilled},
        {"ttnn.get_device", &FunctionWriter::writeNothing},
        {"ttnn.layer_norm", &FunctionWriter::writeNorm},
        {"ttnn.ones", &FunctionWriter::writeFilled},
        {"ttnn.pad", &FunctionWriter::writePad},
        {"ttnn.point_to_point", &FunctionWriter::writePointToPoint},
        {"ttnn.rms_norm", &FunctionWriter::writeNorm},
        {"ttnn.sdpa_bw", &FunctionWriter::writeMissing},
        {"ttnn.sdpa_fw", &FunctionWriter::writeMissing},
        {"ttnn.to_device", &FunctionWriter::writeToDevice},
        {"ttnn.typecast", &FunctionWriter::writeTypecast},
        {"ttnn.zeros", &FunctionWriter::writeFilled},
    };
    if (auto other = others.find(op.getName().getStringRef());
        other != others.end())
      return (this->*other->second)(op);
    StringRef name = op.getName().stripDialect();
    if (op.getName().getDialectNamespace() != "ttnn")
      return refuse(op, "expects TTNN");
    if (isElementwise(name))
      return call(op, name, operandsOf(op));
    for (const Call &entry : calls())
      if (entry.op == name)
        return writeListed(op, entry);
    return refuse(op, "no function of ttnn is known for it");
  }

  func::FuncOp function;
  SharedResources &resources;
  llvm::DenseMap<Value, std::string> names;
  std::string text;
  int64_t count = 0;
};

} // namespace

/// What every call of a fused attention is given. The last row of cores moves
/// data, the others compute.
static void writeShared(const SharedResources &resources, raw_ostream &output) {
  output
      << "\n\ndef make_shared(device):\n"
         "    \"\"\"What all attentions share: made once, given to every "
         "call.\"\"\"\n"
         "    grid = device.compute_with_storage_grid_size()\n"
         "    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), "
         "ttnn.CoreCoord(grid.x - 1, grid.y - 1))])\n"
         "    return {\n"
         "        \"grid\": ttnn.CoreCoord(grid.x, grid.y - 1),\n"
         "        \"ccl_offset\": ttnn.CoreCoord(0, grid.y - 1),\n"
         "        \"semaphores\": [ttnn.create_global_semaphore(device, "
         "cores, 0) for _ in range("
      << resources.semaphores << ")],\n";
  for (const auto &[name, expression] : resources.buffers)
    output << "        \"" << name << "\": " << expression << ",\n";
  output << "    }\n";
}

LogicalResult translateToPython(ModuleOp module, raw_ostream &output) {
  SharedResources resources;
  std::string functions;
  WalkResult result = module.walk([&](func::FuncOp function) {
    if (function.isPrivate() || function.isExternal())
      return WalkResult::advance();
    FailureOr<std::string> body = FunctionWriter(function, resources).body();
    if (failed(body))
      return WalkResult::interrupt();
    functions += "\n\ndef " + function.getSymName().str() + "(device, shared";
    for (size_t i = 0; i < function.getNumArguments(); ++i)
      functions += ", arg" + std::to_string(i);
    functions += "):\n" + *body;
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  output << "# Written by ring-translate --mlir-to-python.\nimport ttnn\n";
  writeShared(resources, output);
  output << functions;
  return success();
}

void registerToPythonTranslation() {
  TranslateFromMLIRRegistration registration(
      "mlir-to-python", "translate TTNN to a Python script that calls ttnn",
      [](ModuleOp module, raw_ostream &output) {
        return translateToPython(module, output);
      },
      [](DialectRegistry &registry) {
        registerRingDialects(registry);
        registerModelDialects(registry);
      });
}

} // namespace mlir::ring
