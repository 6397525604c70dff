// SPDX-License-Identifier: Apache-2.0
// What a tool answers to --version: LLVM's own words would name LLVM alone.

#ifndef RING_SUPPORT_TOOLVERSION_H
#define RING_SUPPORT_TOOLVERSION_H

#include "ring/Support/Version.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace mlir::ring {

/// Has --version of a tool name the tool, our version and MLIR's.
inline void answerVersion(const std::string &tool) {
  llvm::cl::SetVersionPrinter([tool](llvm::raw_ostream &stream) {
    stream << tool << " " << kVersion << " (MLIR " << LLVM_VERSION_STRING
           << ")\n";
  });
}

} // namespace mlir::ring

#endif // RING_SUPPORT_TOOLVERSION_H
