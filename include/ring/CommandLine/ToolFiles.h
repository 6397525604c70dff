// SPDX-License-Identifier: Apache-2.0
// What a filter reads and writes: a file or stdin, a file or stdout. A disk
// that is full is an error like any other, where LLVM would take it for a
// crash.

#ifndef RING_COMMANDLINE_TOOLFILES_H
#define RING_COMMANDLINE_TOOLFILES_H

#include "ring/CommandLine/ToolStart.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

#include <memory>
#include <optional>

namespace mlir::ring {

/// The file of a command line, "-" if it names none; nothing, and says why, if
/// it names several, or the one that is written.
std::optional<std::string>
oneFile(const ToolText &text, ArrayRef<std::string> files, StringRef output);

/// Why these bytes of a file are no module: they are a program file's, which no
/// parser should show. Empty if they may be one.
std::string refuseProgram(StringRef path, StringRef bytes);

/// Opens a file of IR, "-" for stdin; null, with the reason, if it cannot be
/// opened or is a program file.
std::unique_ptr<llvm::MemoryBuffer> openModule(StringRef path,
                                               std::string &error);

struct ToolFiles {
  std::unique_ptr<llvm::MemoryBuffer> input;
  std::unique_ptr<llvm::ToolOutputFile> output;
};

/// Opens both, "-" for stdin and stdout; nothing, and says why, if one of them
/// cannot be opened.
std::optional<ToolFiles> openFiles(const ToolText &text, StringRef input,
                                   StringRef output);

/// Keeps what was written; says why if it cannot be.
LogicalResult keepOutput(const ToolText &text, llvm::ToolOutputFile &output);

/// How a tool ends that was about to end with `code`: otherwise, and says why,
/// if what it printed cannot be written.
int endOutput(const ToolText &text, int code);

} // namespace mlir::ring

#endif // RING_COMMANDLINE_TOOLFILES_H
