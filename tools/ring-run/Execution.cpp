// SPDX-License-Identifier: Apache-2.0
// Running a module on the runtime.

#include "Execution.h"
#include "ring/Target/Program.h"

namespace mlir::ring {

namespace rt = ::ring::rt;

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

} // namespace mlir::ring
