// SPDX-License-Identifier: Apache-2.0
// Opening and keeping the files of a filter.

#include "ring/CommandLine/ToolFiles.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"

namespace mlir::ring {

/// What went wrong with a stream, which then forgets it: whoever closes it
/// would end the tool for it.
static std::error_code takeError(llvm::raw_fd_ostream &stream) {
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

std::optional<std::string>
oneFile(const ToolText &text, ArrayRef<std::string> files, StringRef output) {
  if (files.empty())
    return "-";
  if (files.size() > 1) {
    failTool(text, "expects one file, but got '" + files[0] + "' and '" +
                       files[1] + "'");
    return std::nullopt;
  }
  // A large file is read where it lies, and what fails removes its output.
  if (llvm::sys::fs::is_regular_file(output) &&
      llvm::sys::fs::equivalent(files[0], output)) {
    failTool(text, "expects a file of its own for -o, but got '" + output +
                       "', which is read");
    return std::nullopt;
  }
  return files.front();
}

std::string refuseProgram(StringRef path, StringRef bytes) {
  // FlatBuffers has its identifier behind the place of the root.
  if (bytes.substr(4, 4) != "RING")
    return "";
  return ("expects a module, but '" + path +
          "' is a program file, which ring-exec runs")
      .str();
}

std::unique_ptr<llvm::MemoryBuffer> openModule(StringRef path,
                                               std::string &error) {
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &error);
  if (file)
    error = refuseProgram(path, file->getBuffer());
  return error.empty() ? std::move(file) : nullptr;
}

std::optional<ToolFiles> openFiles(const ToolText &text, StringRef input,
                                   StringRef output) {
  std::string error;
  ToolFiles files;
  files.input = openModule(input, error);
  if (files.input)
    files.output = openOutputFile(output, &error);
  if (files.output)
    return files;
  failTool(text, error);
  return std::nullopt;
}

LogicalResult keepOutput(const ToolText &text, llvm::ToolOutputFile &output) {
  if (std::error_code error = takeError(output.os())) {
    failTool(text,
             "cannot write '" + output.getFilename() + "': " + error.message());
    return failure();
  }
  output.keep();
  return success();
}

int endOutput(const ToolText &text, int code) {
  if (std::error_code error = takeError(llvm::outs()))
    return failTool(text, "cannot write the output: " + error.message(),
                    text.unwritten);
  return code;
}

} // namespace mlir::ring
