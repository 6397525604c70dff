// SPDX-License-Identifier: Apache-2.0
// Writes one function as a program: which value of the IR is which value of the
// program, and where each of them lives.

#ifndef RING_LIB_TARGET_PROGRAM_PROGRAMWRITER_H
#define RING_LIB_TARGET_PROGRAM_PROGRAMWRITER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"
#include "ring-runtime/ProgramBuilder.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ring {

namespace rt = ::ring::rt;

class ProgramWriter {
public:
  /// With `fusedOps` a composite that is a device op stays one instruction.
  ProgramWriter(StringRef name, ArrayRef<int64_t> mesh, bool fusedOps = false);

  /// Writes the function and all that it calls.
  LogicalResult writeFunction(func::FuncOp function,
                              ArrayRef<std::string> inputNames = {});
  /// Verifies the program and gives its bytes.
  FailureOr<std::vector<uint8_t>> finish(Operation *op);

  //===--------------------------------------------------------------------===//
  // For the translation of one op
  //===--------------------------------------------------------------------===//

  /// Where the instruction of the op at hand runs.
  rt::Placement placement() const { return current; }
  /// The program's value for an operand, in the placement asked for; nothing,
  /// with an error, where it lives elsewhere.
  FailureOr<int32_t> operand(Operation *op, Value value,
                             rt::Placement placement);
  /// All tensor operands of `op` in order; absent optional ones as kAbsent.
  FailureOr<std::vector<int32_t>> operands(Operation *op);
  FailureOr<rt::ValueType> typeOf(Operation *op, Type type,
                                  rt::Placement placement);
  /// Writes an instruction whose results are all results of `op`.
  LogicalResult write(Operation *op, StringRef name,
                      std::vector<int32_t> inputs, rt::Attributes attributes);
  /// The same with one result of another placement than the operands'.
  LogicalResult writeAcross(Operation *op, StringRef name, int32_t input,
                            rt::Attributes attributes, rt::Placement result);
  /// Writes one step in between, with a result of its own.
  FailureOr<int32_t> step(Operation *op, StringRef name,
                          std::vector<int32_t> inputs, RankedTensorType type,
                          rt::Attributes attributes);
  /// Lets a result of the op at hand stand for a value written before.
  void bind(Value result, int32_t value) { bindAt(result, value, current); }
  /// Runs a body in place of `call`, whose operands are its arguments and whose
  /// results are what it ends with.
  LogicalResult inlineBody(Operation *call, Region &region);

  rt::ProgramBuilder &program() { return builder; }
  bool keepsFusedOps() const { return fusedOps; }

private:
  LogicalResult writeBody(Block &body);
  LogicalResult writeOp(Operation *op);
  LogicalResult translate(Operation *op, rt::Placement placement);
  void bindAt(Value value, int32_t index, rt::Placement placement);
  /// Whether nothing fixes where an op runs: it makes its value from nothing.
  bool isFloating(Operation *op);
  bool isFloating(Value value);
  /// Where a value lives; nothing for one that floats.
  std::optional<rt::Placement> placementOf(Value value);

  rt::ProgramBuilder builder;
  llvm::DenseMap<Value, int32_t> whole, local;
  llvm::DenseMap<Operation *, bool> floating;
  rt::Placement current = rt::Placement::Whole;
  bool fusedOps;
};

/// Text of a location, for messages of the runtime.
std::string describeLocation(Location loc);

} // namespace mlir::ring

#endif // RING_LIB_TARGET_PROGRAM_PROGRAMWRITER_H
