// SPDX-License-Identifier: Apache-2.0
// What lies between a file of IR and a run of it.

#include "ring/Tooling/Execution.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Target/Program.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {

namespace rt = ::ring::rt;

LogicalResult setMesh(ModuleOp module, StringRef text) {
  SmallVector<int64_t> shape;
  for (StringRef piece : llvm::split(text, 'x'))
    if (piece.getAsInteger(10, shape.emplace_back()) || shape.back() <= 0)
      return failure();
  MLIRContext *context = module.getContext();
  auto mesh = tt::ttcore::MeshAttr::get(
      context, StringAttr::get(context, "mesh"), shape);
  module->setAttr("ttcore.meshes",
                  tt::ttcore::MeshesAttr::get(context, {mesh}));
  return success();
}

FailureOr<rt::Program> loadProgram(ModuleOp module, StringRef function) {
  FailureOr<std::vector<uint8_t>> file = translateToProgram(module, function);
  if (failed(file))
    return failure();
  rt::Result<rt::Program> program =
      rt::Program::load(file->data(), file->size());
  if (!program)
    return emitError(module.getLoc(), "cannot run: ") << program.message();
  return *program;
}

void markShards(ModuleOp module, const rt::Program &program) {
  auto presharded = tt::ttcore::ShardStatusAttr::get(
      module.getContext(), tt::ttcore::ShardStatus::Presharded);
  module.walk([&](func::FuncOp function) {
    if (function.getName() != program.name() ||
        function.getNumArguments() != program.inputs().size())
      return;
    for (auto [index, input] : llvm::enumerate(program.inputs()))
      if (program.values()[input.value].placement == rt::Placement::Local)
        function.setArgAttr(index, "ttcore.shard_status", presharded);
  });
}

} // namespace mlir::ring
