// SPDX-License-Identifier: Apache-2.0
// From a module in TTNN to a host program.

#include "FunctionDescriber.h"
#include "ring/Analysis/MeshShape.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring::host {

namespace ttcore = mlir::tt::ttcore;
namespace ttnn = mlir::tt::ttnn;

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

std::string ProgramDescriber::unusedName(StringRef wanted) const {
  std::string name;
  for (char letter : wanted)
    name += llvm::isAlnum(letter) ? letter : '_';
  if (name.empty() || llvm::isDigit(name[0]))
    name = "function_" + name;
  auto isTaken = [&](StringRef candidate) {
    // What programs of either language call their own.
    return candidate == "main" || candidate == "device" ||
           candidate == "rings" ||
           llvm::any_of(program.functions, [&](const Function &function) {
             return function.name == candidate;
           });
  };
  if (isTaken(name)) {
    int64_t number = 2;
    while (isTaken(name + "_" + std::to_string(number)))
      ++number;
    name += "_" + std::to_string(number);
  }
  return name;
}

std::string
ProgramDescriber::helper(StringRef key, StringRef name,
                         llvm::function_ref<Function(StringRef name)> make) {
  auto [found, isNew] = helpers.try_emplace(key.str());
  if (isNew) {
    found->second = unusedName(name);
    program.functions.push_back(make(found->second));
  }
  return found->second;
}

void ProgramDescriber::needFabric(Fabric fabric) {
  program.fabric = std::max(program.fabric, fabric);
}

FailureOr<const Function *> ProgramDescriber::describe(func::FuncOp function) {
  auto *known = names.find(function);
  if (known == names.end()) {
    FailureOr<Function> made = FunctionDescriber(function, *this).run();
    if (failed(made))
      return failure();
    made->name = unusedName(function.getSymName());
    known = names.insert({function, made->name}).first;
    program.functions.push_back(std::move(*made));
  }
  const Function &described =
      *llvm::find_if(program.functions, [&](const Function &candidate) {
        return candidate.name == known->second;
      });
  return &described;
}

/// Functions that only make constants are called by others or not at all.
static bool isEntry(func::FuncOp function) {
  auto kind = function->getAttrOfType<StringAttr>("tt.function_type");
  return function.isPublic() && !function.isExternal() &&
         !(kind && kind.getValue().starts_with("const")) &&
         !function->getParentOfType<ttcore::CPUModuleOp>();
}

FailureOr<HostProgram> describeHostProgram(ModuleOp module,
                                           const HostOptions &options) {
  if (options.scoreMebibytes < 1)
    return emitError(module.getLoc(), "expects at least 1 MiB for scores, but "
                                      "got ")
           << options.scoreMebibytes;
  HostProgram program;
  ProgramDescriber describer(program, options);
  WalkResult result = module.walk([&](func::FuncOp function) {
    if (!isEntry(function))
      return WalkResult::advance();
    SmallVector<int64_t> mesh = findMeshShape(function);
    if (mesh.empty())
      mesh = {1, 1};
    if (!program.mesh.empty() && ArrayRef(program.mesh) != ArrayRef(mesh)) {
      function.emitOpError("expects one mesh for all functions of a program");
      return WalkResult::interrupt();
    }
    if (mesh.size() != 2) {
      function.emitOpError("expects a mesh of 2 axes, but got ") << mesh.size();
      return WalkResult::interrupt();
    }
    program.mesh.assign(mesh.begin(), mesh.end());
    return failed(describer.describe(function)) ? WalkResult::interrupt()
                                                : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (program.functions.empty())
    return emitError(module.getLoc(),
                     "expects a public function with a body, but found none");
  return program;
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

bool isOnHost(Type tensor) {
  auto layout = dyn_cast_or_null<ttnn::TTNNLayoutAttr>(
      cast<RankedTensorType>(tensor).getEncoding());
  return layout && layout.isSystemBufferType();
}

FunctionDescriber::FunctionDescriber(func::FuncOp function,
                                     ProgramDescriber &program)
    : function(function), parent(program) {}

InFlightDiagnostic FunctionDescriber::refuse(Operation *op) {
  return op->emitOpError("has no form in a host program: ");
}

std::vector<Expression> FunctionDescriber::operandsOf(Operation *op) {
  std::vector<Expression> operands;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      operands.push_back(nameOf(operand));
  return operands;
}

LogicalResult FunctionDescriber::assign(Operation *op, Expression value,
                                        int64_t more) {
  ++count;
  Statement statement;
  bool anyUsed = false;
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    std::string name;
    if (!result.use_empty()) {
      anyUsed = true;
      name = (op->getName().stripDialect() + "_" + Twine(count)).str();
      if (op->getNumResults() > 1)
        name += static_cast<char>('a' + index % 26);
      names[result] = name;
    }
    statement.results.push_back(name);
  }
  statement.results.resize(statement.results.size() + more);
  if (!anyUsed)
    statement.results.clear();
  statement.value = std::move(value);
  description.body.push_back(std::move(statement));
  return success();
}

Expression FunctionDescriber::step(StringRef prefix, Expression value) {
  std::string name = (prefix + "_" + Twine(++count)).str();
  description.body.push_back(
      {Statement::Kind::Assign, {name}, std::move(value)});
  return Expression::name(name);
}

void FunctionDescriber::evaluate(Expression value) {
  description.body.push_back({Statement::Kind::Assign, {}, std::move(value)});
}

std::string FunctionDescriber::takeRing() {
  description.takesRings = true;
  std::string name = "ring_" + std::to_string(++count);
  description.body.push_back({Statement::Kind::TakeRing, {name}, {}});
  return name;
}

FailureOr<Expression> FunctionDescriber::typeOf(Operation *op, Type tensor) {
  Type element = cast<RankedTensorType>(tensor).getElementType();
  StringRef name = typeConstant(element);
  if (name.empty()) {
    refuse(op) << "ttnn has no tensors of " << element;
    return failure();
  }
  return Expression::enumerator(name);
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

static bool exchanges(Operation *op) {
  return isa<ttnn::AllGatherOp, ttnn::AllReduceOp, ttnn::ReduceScatterOp,
             ttnn::PointToPointOp, ttnn::MeshPartitionOp>(op);
}

/// Whether the function's arguments are one device's: it exchanges data
/// between devices but nowhere splits a whole tensor. The same rule decides
/// what ring-run asks for.
static bool isDeviceFunction(func::FuncOp function) {
  bool onDevices = false, crosses = false;
  function.walk([&](Operation *op) {
    onDevices |= exchanges(op) || isa<ttcore::CompositeOp>(op);
    crosses |= isa<ttnn::DistributeTensorOp, ttnn::AggregateTensorOp>(op);
  });
  return onDevices && !crosses;
}

static bool isPresharded(func::FuncOp function, unsigned index) {
  auto status = function.getArgAttrOfType<ttcore::ShardStatusAttr>(
      index, "ttcore.shard_status");
  return status && status.getValue() == ttcore::ShardStatus::Presharded;
}

FailureOr<Port> FunctionDescriber::portOf(Value value, StringRef name) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    function.emitOpError("has no form in a host program: expects tensors, but "
                         "got ")
        << value.getType();
    return failure();
  }
  FailureOr<Expression> element = typeOf(function, type);
  if (failed(element))
    return failure();
  Port port;
  port.name = name.str();
  port.shape.assign(type.getShape().begin(), type.getShape().end());
  port.type = element->text;
  port.place = local.contains(value) ? Place::Devices
               : isOnHost(type)      ? Place::Host
                                     : Place::EveryDevice;
  return port;
}

LogicalResult FunctionDescriber::describePorts() {
  bool device = isDeviceFunction(function);
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    names[argument] = "arg" + std::to_string(index);
    if (device || isPresharded(function, index))
      local.insert(argument);
    FailureOr<Port> port = portOf(argument, names[argument]);
    if (failed(port))
      return failure();
    description.parameters.push_back(std::move(*port));
  }
  // What is distributed, cut or received differs by device, and so does all
  // that is made of it, until it is put together.
  for (Operation &op : function.getBody().front()) {
    bool isLocal = exchanges(&op) || isa<ttnn::DistributeTensorOp>(op) ||
                   (!isa<ttnn::AggregateTensorOp>(op) &&
                    llvm::any_of(op.getOperands(), [&](Value value) {
                      return local.contains(value);
                    }));
    if (isLocal)
      local.insert(op.result_begin(), op.result_end());
  }
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    FailureOr<Port> port = portOf(value, "out" + std::to_string(index));
    if (failed(port))
      return failure();
    description.results.push_back(std::move(*port));
  }
  return success();
}

LogicalResult FunctionDescriber::describeOp(Operation *op) {
  if (OpDescription describe = findOpDescription(op->getName().getStringRef()))
    return describe(op, *this);
  return refuse(op) << (op->getName().getDialectNamespace() == "ttnn"
                            ? "no function of ttnn is known for it"
                            : "expects TTNN");
}

FailureOr<Function> FunctionDescriber::run() {
  if (!function.getBody().hasOneBlock()) {
    function.emitOpError("has no form in a host program: expects one block, "
                         "but got ")
        << function.getBody().getBlocks().size();
    return failure();
  }
  description.isPublic = function.isPublic();
  if (failed(describePorts()))
    return failure();
  for (Operation &op : function.getBody().front().without_terminator())
    if (failed(describeOp(&op)))
      return failure();
  Statement end{Statement::Kind::Return, {}, {}};
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    end.results.push_back(names[value]);
  description.body.push_back(std::move(end));
  return std::move(description);
}

} // namespace mlir::ring::host
