// SPDX-License-Identifier: Apache-2.0
// Puts the files of a program together, and into a folder.

#include "../Host/NumpyText.h"
#include "MetaliumFunction.h"
#include "MetaliumHostFiles.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/InitDialects.h"
#include "ring/Target/Metalium.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

namespace mlir::ring {

/// The files that all programs have, but for the kernels.
static void addHostFiles(TextFiles &files) {
  for (const auto &[name, text] : ::ring::rt::kMetaliumHostFiles)
    files.push_back({name, text});
  files.push_back(
      {"Numpy.h",
       std::string("// SPDX-License-Identifier: Apache-2.0\n"
                   "// Tensors in NumPy files.\n\n"
                   "#ifndef RING_METALIUM_NUMPY_H\n"
                   "#define RING_METALIUM_NUMPY_H\n\n"
                   "#include <algorithm>\n#include <cstdint>\n"
                   "#include <fstream>\n#include <sstream>\n"
                   "#include <stdexcept>\n#include <string>\n"
                   "#include <vector>\n\nnamespace ring {\n\n") +
           kNumpyFiles +
           "\n} // namespace ring\n\n#endif // RING_METALIUM_NUMPY_H\n"});
}

static FailureOr<TextFiles> filesOf(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  module.walk([&](func::FuncOp function) {
    bool launches = false;
    function.walk([&](LaunchOp) { launches = true; });
    if (launches)
      functions.push_back(function);
  });
  if (functions.size() != 1)
    return emitError(module.getLoc(),
                     "expects one function with ring.launch, which the "
                     "pipeline's target=launch makes of attentions, but got ")
           << functions.size();
  FailureOr<TextFiles> files = writeMetaliumFunction(functions.front());
  if (succeeded(files))
    addHostFiles(*files);
  return files;
}

LogicalResult translateToMetalium(ModuleOp module, raw_ostream &output) {
  FailureOr<TextFiles> files = filesOf(module);
  if (failed(files))
    return failure();
  for (const TextFile &file : *files)
    output << "//--- " << file.path << "\n" << file.text;
  return success();
}

LogicalResult translateToMetaliumFolder(ModuleOp module, StringRef folder) {
  FailureOr<TextFiles> files = filesOf(module);
  if (failed(files))
    return failure();
  for (const TextFile &file : *files) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, file.path);
    std::error_code error =
        llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
    if (!error) {
      llvm::ToolOutputFile output(path, error, llvm::sys::fs::OF_None);
      if (!error) {
        output.os() << file.text;
        output.keep();
      }
    }
    if (error)
      return emitError(module.getLoc(), "cannot write '")
             << path << "': " << error.message();
  }
  return success();
}

void registerToMetaliumTranslation() {
  static llvm::cl::opt<std::string> folder(
      "metalium-dir",
      llvm::cl::desc("for --mlir-to-metalium: the folder to write; without, "
                     "all files go to the output one after the other, as "
                     "split-file takes them"),
      llvm::cl::value_desc("folder"));
  TranslateFromMLIRRegistration registration(
      "mlir-to-metalium",
      "translate launches to a C++ program that runs them with TT-Metalium",
      [](ModuleOp module, raw_ostream &output) {
        return folder.empty() ? translateToMetalium(module, output)
                              : translateToMetaliumFolder(module, folder);
      },
      [](DialectRegistry &registry) {
        registerRingDialects(registry);
        registerModelDialects(registry);
      });
}

} // namespace mlir::ring
