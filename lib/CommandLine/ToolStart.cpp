// SPDX-License-Identifier: Apache-2.0
// Help, version and the habits of diagnostics.

#include "ring/CommandLine/ToolStart.h"
#include "mlir/IR/MLIRContext.h"
#include "ring/CommandLine/ToolFiles.h"
#include "ring/Support/NearestName.h"
#include "ring/Support/Version.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::ring {

/// Has diagnostics say what is wrong, where, and nothing more: without the op
/// behind it in its generic form, unless --mlir-print-op-on-diagnostic asks.
static void keepDiagnosticsShort() {
  registerMLIRContextCLOptions();
  auto &options = llvm::cl::getRegisteredOptions();
  if (auto found = options.find("mlir-print-op-on-diagnostic");
      found != options.end())
    static_cast<llvm::cl::opt<bool> *>(found->second)->setInitialValue(false);
}

int failTool(const ToolText &text, const Twine &reason, int code) {
  llvm::errs() << text.name << ": " << reason << "\n";
  return code;
}

std::optional<int> startTool(int argc, char **argv, const ToolText &text) {
  keepDiagnosticsShort();
  for (StringRef argument : ArrayRef<char *>(argv + 1, argc - 1)) {
    if (argument == "--")
      break;
    if (!argument.consume_front("--") && !argument.consume_front("-"))
      continue;
    if (argument == "help" || argument == "h") {
      llvm::outs() << text.help;
      return endOutput(text, kToolOk);
    }
    // LLVM's own answer would name LLVM alone, and end in a crash on a full
    // disk.
    if (argument == "version") {
      llvm::outs() << text.name << " " << kVersion
                   << " (MLIR " LLVM_VERSION_STRING ")\n";
      return endOutput(text, kToolOk);
    }
    if (!argument.consume_front("help-passes"))
      continue;
    argument.consume_front("=");
    if (printPassHelp(argument))
      return endOutput(text, kToolOk);
    if (argument.empty())
      return failTool(text, "there are no passes in " + Twine(text.name));
    return failTool(text, "there is no pass '" + argument + "'" +
                              ::ring::didYouMean(argument.str(), passNames()) +
                              " (see --help-passes)");
  }
  return std::nullopt;
}

} // namespace mlir::ring
