// SPDX-License-Identifier: Apache-2.0

#include "MetaliumFunction.h"
#include "LaunchTables.h"
#include "ring/Analysis/MeshShape.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::ring {

namespace {

namespace ttir = mlir::tt::ttir;

class FunctionWriter {
public:
  explicit FunctionWriter(func::FuncOp function)
      : function(function), mesh(findProgramMesh(function)), body(bodyText) {}

  FailureOr<TextFiles> write();

private:
  LogicalResult write(Operation *op);
  LogicalResult writeShard(ShardOp shard);
  LogicalResult writeUnshard(UnshardOp unshard);
  LogicalResult writeLaunch(LaunchOp launch);
  LogicalResult writeConcat(ttir::ConcatOp concat);
  LogicalResult writeSlice(ttir::SliceStaticOp slice);
  LogicalResult writePad(ttir::PadOp pad);
  /// What of a tensor lies from `begins` on.
  void writePart(Value input, Value result, ArrayRef<int64_t> begins);
  LogicalResult writeTypecast(ttir::TypecastOp cast);
  LogicalResult writeReturn(func::ReturnOp op);
  LogicalResult nameArguments();
  void writePorts(raw_ostream &output, StringRef member, TypeRange types,
                  ArrayRef<bool> byDevice);
  void writeShardings(raw_ostream &output);

  /// The C++ variable that holds a value's shards; an error at `user` if the
  /// host has it whole.
  FailureOr<std::string> shardsOf(Operation *user, Value value);
  /// Declares the variable of a value that differs by device, or is whole.
  raw_ostream &declare(Value value, bool byDevice) {
    std::string name = "v" + std::to_string(names.size());
    names[value] = {name, byDevice};
    return body << "  const " << (byDevice ? "Shards " : "Array ") << name
                << " = ";
  }
  std::string shardingOf(ShardingAttr sharding, RankedTensorType whole);
  int64_t deviceCount() const { return mesh[0] * mesh[1]; }

  struct Variable {
    std::string name;
    bool byDevice;
  };

  func::FuncOp function;
  SmallVector<int64_t> mesh;
  std::string bodyText;
  llvm::raw_string_ostream body;
  llvm::MapVector<Value, Variable> names;
  llvm::MapVector<std::pair<ShardingAttr, Type>, std::string> shardings;
  SmallVector<bool> argumentsByDevice, resultsByDevice;
  KernelFiles kernels;
  TextFiles headers;
  bool closes = false;
};

FailureOr<std::string> FunctionWriter::shardsOf(Operation *user, Value value) {
  auto *known = names.find(value);
  if (known != names.end() && known->second.byDevice)
    return known->second.name;
  return user->emitOpError("expects shards in a TT-Metalium program, but got a "
                           "whole tensor");
}

/// Arguments are whole on the host in a function that deals tensors to devices;
/// else they differ by device.
LogicalResult FunctionWriter::nameArguments() {
  bool dealt = false;
  function.walk([&](ShardOp) { dealt = true; });
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type ||
        !(type.getElementType().isF32() || type.getElementType().isBF16()))
      return function.emitOpError("expects tensors of bf16 or f32 in a "
                                  "TT-Metalium program, but got ")
             << argument.getType();
    std::string given = "in[" + std::to_string(argument.getArgNumber()) + "]";
    argumentsByDevice.push_back(!dealt);
    if (dealt)
      names[argument] = {given, false};
    else
      declare(argument, true) << "apart(" << given << ");\n";
  }
  return success();
}

std::string FunctionWriter::shardingOf(ShardingAttr sharding,
                                       RankedTensorType whole) {
  auto [known, isNew] =
      shardings.try_emplace(std::make_pair(sharding, Type(whole)),
                            "kSharding" + std::to_string(shardings.size()));
  return known->second;
}

LogicalResult FunctionWriter::writeShard(ShardOp shard) {
  auto *known = names.find(shard.getInput());
  if (known == names.end() || known->second.byDevice)
    return shard.emitOpError("expects a whole tensor of the host in a "
                             "TT-Metalium program, but got shards");
  const std::string whole = known->second.name;
  declare(shard, true) << "shard(" << whole << ", "
                       << shardingOf(shard.getSharding(),
                                     shard.getInput().getType())
                       << ");\n";
  return success();
}

/// The sizes of a shape in braces.
std::string sizesOf(ArrayRef<int64_t> shape) {
  std::string text = "{";
  llvm::raw_string_ostream output(text);
  llvm::interleaveComma(shape, output);
  return text + "}";
}

LogicalResult FunctionWriter::writeUnshard(UnshardOp unshard) {
  FailureOr<std::string> shards = shardsOf(unshard, unshard.getInput());
  if (failed(shards))
    return failure();
  declare(unshard, false) << "unshard(" << *shards << ", "
                          << shardingOf(unshard.getSharding(),
                                        unshard.getType())
                          << ", " << sizesOf(unshard.getType().getShape())
                          << ");\n";
  return success();
}

LogicalResult FunctionWriter::writeLaunch(LaunchOp launch) {
  SmallVector<std::string> inputs;
  for (Value input : launch.getInputs()) {
    FailureOr<std::string> shards = shardsOf(launch, input);
    if (failed(shards))
      return failure();
    inputs.push_back(*shards);
  }
  const auto number = static_cast<unsigned>(headers.size());
  FailureOr<LaunchHeader> header =
      writeLaunchHeader(launch, number, mesh, kernels);
  if (failed(header))
    return failure();
  headers.push_back(header->file);
  closes |= header->closes;
  const std::string results = "launched" + std::to_string(number);
  body << "  const std::vector<Shards> " << results << " =\n"
       << "      runner.launch(kLaunch" << number << ", {";
  llvm::interleaveComma(inputs, body);
  body << "});\n";
  for (auto [result, yielded] :
       llvm::zip_equal(launch.getResults(), launch.getYielded())) {
    auto finished = dyn_cast<OpResult>(yielded);
    if (!finished || !isa<FinishOp>(finished.getOwner()))
      return launch.emitOpError("expects a launch to give what its attention "
                                "gives in a TT-Metalium program");
    names[result] = {
        results + "[" + std::to_string(finished.getResultNumber()) + "]", true};
  }
  return success();
}

LogicalResult FunctionWriter::writeConcat(ttir::ConcatOp concat) {
  SmallVector<std::string> parts;
  bool byDevice = false;
  for (auto [i, input] : llvm::enumerate(concat.getInputs())) {
    const Variable &variable = names[input];
    if (i > 0 && variable.byDevice != byDevice)
      return concat.emitOpError("expects shards or whole tensors to be joined "
                                "in a TT-Metalium program, but got both");
    byDevice = variable.byDevice;
    parts.push_back(variable.name);
  }
  int64_t dim = concat.getDim();
  if (dim < 0)
    dim += cast<RankedTensorType>(concat.getResult().getType()).getRank();
  raw_ostream &output =
      declare(concat.getResult(), byDevice)
      << "join(" << (byDevice ? "std::vector<Shards>{" : "std::vector<Array>{");
  llvm::interleaveComma(parts, output);
  output << "}, " << dim << ");\n";
  return success();
}

LogicalResult FunctionWriter::writeSlice(ttir::SliceStaticOp slice) {
  SmallVector<int64_t> begins;
  for (auto [begin, step] :
       llvm::zip_equal(slice.getBegins().getAsRange<IntegerAttr>(),
                       slice.getStep().getAsRange<IntegerAttr>())) {
    if (step.getInt() != 1)
      return slice.emitOpError("expects numbers side by side to be taken in a "
                               "TT-Metalium program, but got every ")
             << step.getInt() << "th";
    begins.push_back(begin.getInt());
  }
  writePart(slice.getInput(), slice.getResult(), begins);
  return success();
}

LogicalResult FunctionWriter::writePad(ttir::PadOp pad) {
  ArrayRef<int32_t> padding = pad.getPadding();
  for (size_t i = 0; i < padding.size(); i += 2)
    if (padding[i] != 0)
      return pad.emitOpError("expects padding at the end in a TT-Metalium "
                             "program, but got some in front");
  if (!pad.getValue().isZero())
    return pad.emitOpError("expects padding with 0 in a TT-Metalium program");
  writePart(pad.getInput(), pad.getResult(),
            SmallVector<int64_t>(padding.size() / 2));
  return success();
}

void FunctionWriter::writePart(Value input, Value result,
                               ArrayRef<int64_t> begins) {
  const Variable from = names[input];
  declare(result, from.byDevice)
      << "slice(" << from.name << ", " << sizesOf(begins) << ", "
      << sizesOf(cast<RankedTensorType>(result.getType()).getShape()) << ");\n";
}

LogicalResult FunctionWriter::writeTypecast(ttir::TypecastOp cast) {
  Type type = getElementTypeOrSelf(cast.getResult().getType());
  if (!type.isBF16() && !type.isF32())
    return cast.emitOpError("expects bf16 or f32 in a TT-Metalium program, "
                            "but got ")
           << type;
  const Variable from = names[cast.getInput()];
  declare(cast.getResult(), from.byDevice)
      << (type.isBF16() ? "rounded(" + from.name + ")" : from.name) << ";\n";
  return success();
}

LogicalResult FunctionWriter::writeReturn(func::ReturnOp op) {
  body << "  return {";
  llvm::interleaveComma(op.getOperands(), body, [&](Value value) {
    const Variable &variable = names[value];
    resultsByDevice.push_back(variable.byDevice);
    body << (variable.byDevice ? "stacked(" + variable.name + ")"
                               : variable.name);
  });
  body << "};\n";
  return success();
}

LogicalResult FunctionWriter::write(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ShardOp op) { return writeShard(op); })
      .Case([&](UnshardOp op) { return writeUnshard(op); })
      .Case([&](LaunchOp op) { return writeLaunch(op); })
      .Case([&](ttir::ConcatOp op) { return writeConcat(op); })
      .Case([&](ttir::SliceStaticOp op) { return writeSlice(op); })
      .Case([&](ttir::PadOp op) { return writePad(op); })
      .Case([&](ttir::TypecastOp op) { return writeTypecast(op); })
      .Case([&](func::ReturnOp op) { return writeReturn(op); })
      .Default([](Operation *op) {
        return op->emitOpError(
            "expects launches, and between them copies alone (shards and whole "
            "tensors, slices, joins, padding, bf16 and f32), in a TT-Metalium "
            "program");
      });
}

void FunctionWriter::writePorts(raw_ostream &output, StringRef member,
                                TypeRange types, ArrayRef<bool> byDevice) {
  output << "    ." << member << " = {\n";
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    if (byDevice[i])
      shape.insert(shape.begin(), deviceCount());
    output << "        {" << sizesOf(shape) << ", "
           << (tensor.getElementType().isF32() ? "true" : "false") << "},\n";
  }
  output << "    },\n";
}

void FunctionWriter::writeShardings(raw_ostream &output) {
  for (const auto &[key, name] : shardings) {
    auto [sharding, type] = key;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    output << "/// " << sharding << " of " << type << "\n"
           << "const Sharding " << name << " = {{\n";
    for (int64_t device = 0; device < deviceCount(); ++device) {
      const int64_t place[2] = {device / mesh[1], device % mesh[1]};
      output << "    {";
      for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim) {
        int64_t rank = 0, ranks = 1;
        for (int64_t axis : sharding.axesOf(dim)) {
          rank = rank * mesh[axis] + place[axis];
          ranks *= mesh[axis];
        }
        output << (dim ? ", {" : "{");
        if (sharding.getSequence() == dim)
          llvm::interleaveComma(sharding.getLayout().positionsOf(rank), output,
                                [&](const auto &range) {
                                  output << "{" << range.begin << ", "
                                         << range.size << ", " << range.stride
                                         << "}";
                                });
        else
          output << "{" << rank * (shape[dim] / ranks) << ", "
                 << shape[dim] / ranks << ", 1}";
        output << "}";
      }
      output << "},\n";
    }
    output << "}};\n\n";
  }
}

FailureOr<TextFiles> FunctionWriter::write() {
  if (mesh.size() != 2)
    return function.emitOpError("expects a mesh of two axes, but got ")
           << mesh.size();
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expects one block in a TT-Metalium program");
  if (failed(nameArguments()))
    return failure();
  for (Operation &op : function.getBody().front())
    if (failed(write(&op)))
      return failure();

  std::string text;
  llvm::raw_string_ostream output(text);
  output << "// Written by ring-translate --mlir-to-metalium.\n// Runs "
         << function.getName() << " on a mesh of " << mesh[0] << " x "
         << mesh[1]
         << " devices, and holds every launch to a\n"
            "// reference in double precision.\n\n";
  for (const TextFile &header : headers)
    output << "#include \"" << header.path << "\"\n";
  output << "#include \"Program.h\"\n\nnamespace ring {\nnamespace {\n\n";
  writeShardings(output);
  output << "std::vector<Array> run(Runner &runner, const std::vector<Array> "
            "&in) {\n"
         << bodyText << "}\n\nconst Function kFunction = {\n    .name = \""
         << function.getName() << "\",\n    .rows = " << mesh[0]
         << ",\n    .columns = " << mesh[1]
         << ",\n    .closes = " << (closes ? "true" : "false") << ",\n";
  writePorts(output, "inputs", function.getArgumentTypes(), argumentsByDevice);
  writePorts(output, "outputs", function.getResultTypes(), resultsByDevice);
  output << "    .run = run,\n};\n\n} // namespace\n} // namespace ring\n\n"
            "int main(int argc, char **argv) {\n"
            "  try {\n"
            "    return ring::runFunction(ring::kFunction, argc, argv);\n"
            "  } catch (const std::exception &problem) {\n"
            "    std::fprintf(stderr, \"%s\\n\", problem.what());\n"
            "    return 2;\n"
            "  }\n"
            "}\n";
  TextFiles files = {{"main.cpp", text}};
  llvm::append_range(files, headers);
  for (const auto &[key, file] : kernels)
    files.push_back({"kernels/" + file.path, file.text});
  return files;
}

} // namespace

FailureOr<TextFiles> writeMetaliumFunction(func::FuncOp function) {
  return FunctionWriter(function).write();
}

} // namespace mlir::ring
