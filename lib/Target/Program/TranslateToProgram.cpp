// SPDX-License-Identifier: Apache-2.0
// From a module to a program: which function, on which mesh.

#include "ProgramWriter.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Dialect/Ring/IR/RingAttrs.h"
#include "ring/InitDialects.h"
#include "ring/Target/Program.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {

FailureOr<func::FuncOp> findFunctionToRun(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> found;
  SmallVector<StringRef> known;
  module.walk([&](func::FuncOp function) {
    if (function.isExternal())
      return;
    if (function.isPublic())
      known.push_back(function.getSymName());
    if (name.empty() ? function.isPublic() : function.getSymName() == name)
      found.push_back(function);
  });
  if (found.size() == 1)
    return found.front();
  // At the module's location, without the module behind it.
  if (name.empty() && known.empty())
    return emitError(module.getLoc(),
                     "expects a public function with a body, but found none");
  std::string wanted =
      name.empty() ? "public function" : "function '" + name.str() + "'";
  return emitError(module.getLoc(), "expects one ")
         << wanted << " to run, but found "
         << (known.empty() ? "none" : llvm::join(known, ", "));
}

FailureOr<std::vector<uint8_t>>
translateToProgram(ModuleOp module, StringRef name, bool fusedOps,
                   ArrayRef<std::string> inputNames) {
  FailureOr<func::FuncOp> function = findFunctionToRun(module, name);
  if (failed(function))
    return failure();
  ProgramWriter writer(function->getSymName(), findProgramMesh(*function),
                       fusedOps);
  if (failed(writer.writeFunction(*function, inputNames)))
    return failure();
  return writer.finish(*function);
}

FailureOr<rt::LaunchDescription> describeLaunch(LaunchOp launch) {
  // The launch by itself, as the function of a device.
  OpBuilder builder(launch.getContext());
  OwningOpRef<func::FuncOp> function =
      func::FuncOp::create(builder, launch.getLoc(), "launch",
                           builder.getFunctionType(launch->getOperandTypes(),
                                                   launch->getResultTypes()));
  Block *body = function->addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  mapping.map(launch.getInputs(), body->getArguments());
  Operation *alone = builder.clone(*launch, mapping);
  func::ReturnOp::create(builder, launch.getLoc(), alone->getResults());

  ProgramWriter writer("launch", findProgramMesh(*function));
  if (failed(writer.writeFunction(*function)))
    return failure();
  FailureOr<std::vector<uint8_t>> file = writer.finish(launch);
  if (failed(file))
    return failure();
  rt::Result<rt::Program> program =
      rt::Program::load(file->data(), file->size());
  rt::Result<rt::LaunchDescription> description =
      rt::describeLaunch(*program, program->composites().front());
  if (!description) {
    // The launch is where the step is that the runtime says the place of.
    StringRef message = description.message();
    if (message.consume_front("loc("))
      message = message.split("): ").second;
    return launch.emitOpError(message);
  }
  return std::move(*description);
}

void registerToProgramTranslation() {
  static llvm::cl::opt<std::string> function(
      "function", llvm::cl::desc("the function to translate; by default the "
                                 "only public one"));
  static llvm::cl::opt<bool> fusedOps(
      "fused-ops",
      llvm::cl::desc("keep the device ops that know a ring as one instruction, "
                     "for the ttnn backend"));
  TranslateFromMLIRRegistration registration(
      "mlir-to-program", "translate TTIR, ring or TTNN to a program file",
      [](ModuleOp module, raw_ostream &output) -> LogicalResult {
        FailureOr<std::vector<uint8_t>> program =
            translateToProgram(module, function, fusedOps);
        if (failed(program))
          return failure();
        output.write(reinterpret_cast<const char *>(program->data()),
                     program->size());
        return success();
      },
      [](DialectRegistry &registry) {
        registerRingDialects(registry);
        registerModelDialects(registry);
      });
}

} // namespace mlir::ring
