// SPDX-License-Identifier: Apache-2.0
// The language server for editors: diagnostics, hover and completion for all
// dialects that ring-opt reads.

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "ring/CommandLine/ToolStart.h"
#include "ring/InitDialects.h"
#include "ring/Support/BugReport.h"
#include "ring/Support/NearestName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::ring;

static constexpr char kHelp[] =
    R"help(ring-lsp-server: shows errors, types and definitions of .mlir files in an editor

usage: ring-lsp-server [OPTIONS]         an editor starts it and talks to it

examples: VS Code with the extension MLIR, in settings.json
  "mlir.server_path": "build/bin/ring-lsp-server"
Neovim, in init.lua
  vim.lsp.config("ring", {cmd = {"ring-lsp-server"}, filetypes = {"mlir"}})
Emacs, with eglot
  (add-to-list 'eglot-server-programs '(mlir-mode . ("ring-lsp-server")))
docs/Editors.md has the whole of it.

  --log=LEVEL           what to write to stderr: error, info (default) or
                        verbose
  --pretty              indent the JSON that is sent, for people
  --lit-test            for tests: pretty, verbose, messages divided by // -----
  --version             print the version
  --help                print this text
  --help-hidden         the options of MLIR and LLVM too

exit code: 0 an editor has shut it down, 1 it could not go on, 2 bad usage
)help";

/// What is wrong with the arguments, of which MLIR's main would say it in words
/// of its own and end with 1; empty if nothing is.
static std::string checkArguments(ArrayRef<char *> arguments) {
  struct Named {
    StringRef name;
    std::vector<std::string> values;
  };
  const Named options[] = {{"log", {"error", "info", "verbose"}},
                           {"input-style", {"standard", "delimited"}}};
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (!argument.starts_with("-"))
      return ("expects no file, but got '" + argument +
              "': an editor sends what it shows")
          .str();
    auto [name, value] = argument.ltrim('-').split('=');
    const Named *option = options;
    while (option != std::end(options) && option->name != name)
      ++option;
    if (option == std::end(options)) {
      if (argument.contains('='))
        return ("expects --" + name + " without a value, but got '" + value +
                "'")
            .str();
      continue;
    }
    if (!argument.contains('=') && i + 1 < arguments.size())
      value = arguments[++i];
    if (!llvm::is_contained(option->values, value))
      return ("expects --" + name + " to be " +
              llvm::join(ArrayRef(option->values).drop_back(), ", ") + " or " +
              option->values.back() + ", but got '" + value + "'" +
              ::ring::didYouMean(value.str(), option->values))
          .str();
  }
  return "";
}

int main(int argc, char **argv) {
  ToolText text = {"ring-lsp-server",
                   kHelp,
                   {"log", "pretty", "lit-test", "version", "help",
                    "help-hidden", "help-list", "help-list-hidden",
                    "input-style"}};
  askForBugReports();
  llvm::InitLLVM init(argc, argv);
  if (std::optional<int> code = startTool(argc, argv, text))
    return *code;
  ArrayRef<char *> arguments(argv + 1, argc - 1);
  std::string problem = checkFlags(arguments, text);
  if (problem.empty())
    problem = checkArguments(arguments);
  if (!problem.empty())
    return failTool(text, problem);
  DialectRegistry registry;
  registerRingDialects(registry);
  registerModelDialects(registry);
  return succeeded(MlirLspServerMain(argc, argv, registry)) ? kToolOk
                                                            : kToolFailed;
}
