// SPDX-License-Identifier: Apache-2.0
// What the command lines of all compiler tools have in common: help that shows
// our own options and teaches, passes in groups, names that were mistyped, exit
// codes. libLLVM brings hundreds of options of code generators along, and MLIR
// lists passes by the alphabet; neither helps somebody who comes with a model.

#ifndef RING_COMMANDLINE_TOOLSTART_H
#define RING_COMMANDLINE_TOOLSTART_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/Twine.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::ring {

/// How a compiler tool ends, as the runtime's tools do.
constexpr int kToolOk = 0, kToolFailed = 1, kToolBadUsage = 2;

/// What a tool says of itself.
struct ToolText {
  std::string name;
  /// The whole of --help: a synopsis, examples, options.
  std::string help;
  /// The options that its help shows, for those who mistype one.
  std::vector<std::string> options = {};
  /// How it ends if what it prints cannot be written.
  int unwritten = kToolFailed;
};

/// What every tool does before it reads its options: diagnostics say what is
/// wrong, where, and nothing more, and --version and --help are answered; how
/// to end if there is nothing more to do. --help-hidden is left to LLVM.
std::optional<int> startTool(int argc, char **argv, const ToolText &text);

/// The passes and pipelines in groups, ours first, in the order in which they
/// run; with a name, that one and its options. False if there is no such one.
bool printPassHelp(StringRef name);
/// Their names.
std::vector<std::string> passNames();

/// Why a word of a command line is no file: it is an option of a pass, of the
/// one whose flag is before it if it has such a one. Empty if it may be one.
std::string checkWord(StringRef flag, StringRef word);
/// Looks at every flag of a command line: that there is such an option or pass,
/// and that the options of passes are theirs. What is wrong, with the name that
/// may have been meant; empty if nothing is.
std::string checkFlags(ArrayRef<const char *> arguments, const ToolText &text);
/// Looks at the values of options of passes, once LLVM has parsed the command
/// line: what a value may be it says itself, on stderr.
std::string checkPassOptions(ArrayRef<const char *> arguments);
/// What is wrong with the options of a pass that plans.
std::string checkPlanning(OpPassManager &passes);

/// Says a reason on stderr, behind the name of the tool; gives the code back.
int failTool(const ToolText &text, const Twine &reason,
             int code = kToolBadUsage);

} // namespace mlir::ring

#endif // RING_COMMANDLINE_TOOLSTART_H
