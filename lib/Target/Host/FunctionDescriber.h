// SPDX-License-Identifier: Apache-2.0
// One function in TTNN on its way to calls of ttnn: what its values are called
// and where they are.

#ifndef RING_LIB_TARGET_HOST_FUNCTIONDESCRIBER_H
#define RING_LIB_TARGET_HOST_FUNCTIONDESCRIBER_H

#include "HostProgram.h"
#include "Signatures.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ring::host {

/// What the functions of a program have in common while they are described.
class ProgramDescriber {
public:
  ProgramDescriber(HostProgram &program, const HostOptions &options)
      : program(program), options(options) {}

  /// Describes a function that the program's main runs, or that one of these
  /// calls; once, however often it is asked for.
  FailureOr<const Function *> describe(func::FuncOp function);
  /// The function of the program called `name`, made by `make` where it is not
  /// there yet: what ttnn has no function for.
  std::string helper(StringRef key, StringRef name,
                     llvm::function_ref<Function(StringRef name)> make);
  /// A name that no function of the program has.
  std::string unusedName(StringRef wanted) const;
  /// The fabric that a transfer needs.
  void needFabric(Fabric fabric);

  HostProgram &program;
  const HostOptions options;

private:
  llvm::MapVector<Operation *, std::string> names;
  std::map<std::string, std::string> helpers;
};

class FunctionDescriber {
public:
  FunctionDescriber(func::FuncOp function, ProgramDescriber &program);

  FailureOr<Function> run();

  //===--------------------------------------------------------------------===//
  // For the description of one op
  //===--------------------------------------------------------------------===//

  ProgramDescriber &program() { return parent; }
  Function &made() { return description; }
  Expression nameOf(Value value) { return Expression::name(names[value]); }
  /// All tensors among the operands.
  std::vector<Expression> operandsOf(Operation *op);
  /// Gives the results of `op` to what `value` computes. `more` results of the
  /// call are dropped.
  LogicalResult assign(Operation *op, Expression value, int64_t more = 0);
  /// Whether a value may differ from device to device.
  bool isLocal(Value value) const { return local.contains(value); }
  /// A step in between, whose name begins with `prefix`.
  Expression step(StringRef prefix, Expression value);
  void evaluate(Expression value);
  /// The variable that has the ring resources of the call to come.
  std::string takeRing();
  /// The constant of a tensor's element type; an error where ttnn has none.
  FailureOr<Expression> typeOf(Operation *op, Type tensor);
  InFlightDiagnostic refuse(Operation *op);

private:
  LogicalResult describePorts();
  LogicalResult describeOp(Operation *op);
  FailureOr<Port> portOf(Value value, StringRef name);

  func::FuncOp function;
  ProgramDescriber &parent;
  Function description;
  llvm::DenseMap<Value, std::string> names;
  /// Values that may differ from device to device.
  llvm::DenseSet<Value> local;
  int64_t count = 0;
};

/// Whether a tensor is in the host's memory.
bool isOnHost(Type tensor);

/// How an op becomes calls; nothing for an op that is not known.
using OpDescription = LogicalResult (*)(Operation *op, FunctionDescriber &);
OpDescription findOpDescription(StringRef opName);

/// Adds `parameter`, if the op has the attribute.
LogicalResult addAttribute(Operation *op, StringRef attribute,
                           StringRef parameter,
                           std::vector<Argument> &arguments,
                           FunctionDescriber &function);

/// Descriptions in files of their own.
LogicalResult describeAggregate(Operation *op, FunctionDescriber &function);
LogicalResult describeAttention(Operation *op, FunctionDescriber &function);
LogicalResult describeBackward(Operation *op, FunctionDescriber &function);
LogicalResult describeCollective(Operation *op, FunctionDescriber &function);
LogicalResult describeComposite(Operation *op, FunctionDescriber &function);
LogicalResult describeDistribute(Operation *op, FunctionDescriber &function);
LogicalResult describeEmbedding(Operation *op, FunctionDescriber &function);
LogicalResult describeForward(Operation *op, FunctionDescriber &function);
LogicalResult describeFromDevice(Operation *op, FunctionDescriber &function);
LogicalResult describeMeshPartition(Operation *op, FunctionDescriber &function);
/// How a tensor is stored: "tile" or "row_major".
StringRef layoutOf(Value value);
LogicalResult describeToLayout(Operation *op, FunctionDescriber &function);
LogicalResult describePointToPoint(Operation *op, FunctionDescriber &function);
LogicalResult describeToDevice(Operation *op, FunctionDescriber &function);

} // namespace mlir::ring::host

#endif // RING_LIB_TARGET_HOST_FUNCTIONDESCRIBER_H
