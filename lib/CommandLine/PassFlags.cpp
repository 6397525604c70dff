// SPDX-License-Identifier: Apache-2.0
// Flags that nobody knows, and options that a pass does not have. LLVM and MLIR
// report both, each in words of its own; only we know what was probably meant.

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "ring/CommandLine/PassTexts.h"
#include "ring/CommandLine/ToolStart.h"
#include "ring/Planner/AttentionPlanner.h"
#include "ring/Support/NearestName.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::ring {
namespace {

/// Whether it takes their values.
std::string checkValues(const PassRegistryEntry &pass, StringRef options) {
  std::string problem;
  auto report = [&](const Twine &message) {
    problem = message.str();
    return failure();
  };
  StringRef name = pass.getPassArgument();
  OpPassManager passes;
  if (succeeded(pass.addToPipeline(passes, options, report))) {
    problem = checkPlanning(passes);
    return problem.empty() ? "" : ("--" + name + ": " + problem).str();
  }
  return problem.empty() ? ("expects values that the options of --" + name +
                            " take, but got '" + options +
                            "' (see --help-passes=" + name + ")")
                               .str()
                         : problem;
}

/// The name and the value of a flag; an empty name for what is none.
std::pair<StringRef, StringRef> splitFlag(StringRef argument) {
  // No flag begins with a digit, but values in words of their own may.
  if (!argument.consume_front("-") || argument.empty() ||
      llvm::isDigit(argument.front()))
    return {"", ""};
  argument.consume_front("-");
  return argument.split('=');
}

/// Looks at the value of --pass-pipeline, which LLVM has parsed by now.
std::string checkPipelineText() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find("pass-pipeline");
  if (found == options.end() || found->second->getNumOccurrences() == 0)
    return "";
  StringRef text =
      static_cast<llvm::cl::opt<std::string> *>(found->second)->getValue();
  if (text.count('(') == 0 || text.count('(') != text.count(')'))
    return ("expects passes within an op, such as builtin.module(ring-raise), "
            "but got '" +
            text + "'")
        .str();
  return checkPipeline(text);
}

/// What somebody may have meant: never an option of LLVM's code generators.
std::vector<std::string> namesToSuggest(const ToolText &text) {
  std::vector<std::string> names = passNames();
  names.insert(names.end(), text.options.begin(), text.options.end());
  return names;
}

} // namespace

std::string checkWord(StringRef flag, StringRef word) {
  auto [pass, options] = splitFlag(flag);
  auto [name, value] = word.split('=');
  if (value.empty() || !findPass(pass) ||
      !llvm::is_contained(optionNames(pass), name))
    return "";
  return ("expects the options of --" + pass + " in quotes, --" + pass + "=\"" +
          options + (options.empty() ? "" : " ") + word + "\", but got '" +
          word + "' as a file")
      .str();
}

std::string checkFlags(ArrayRef<const char *> arguments, const ToolText &text) {
  auto &registered = llvm::cl::getRegisteredOptions();
  StringRef flag;
  for (StringRef argument : arguments) {
    if (argument == "--")
      break;
    auto [name, value] = splitFlag(argument);
    if (name.empty()) {
      if (std::string problem = checkWord(flag, argument); !problem.empty())
        return problem;
      continue;
    }
    flag = argument;
    if (findPass(name)) {
      if (std::string problem = checkOptions(name, value); !problem.empty())
        return ("--" + problem + " (see --help-passes=" + name + ")").str();
      continue;
    }
    if (argument.ends_with("=") && llvm::is_contained(text.options, name))
      return ("expects a value for --" + name + ", but got ''").str();
    if (registered.contains(name) || llvm::is_contained(text.options, name) ||
        // -ofile and the like.
        (!argument.starts_with("--") && registered.contains(name.take_front())))
      continue;
    return ("there is no option '" + argument.split('=').first + "'" +
            ::ring::didYouMean(name.str(), namesToSuggest(text)) + " (see " +
            text.name + " --help)")
        .str();
  }
  return "";
}

std::string checkPassOptions(ArrayRef<const char *> arguments) {
  if (std::string problem = checkPipelineText(); !problem.empty())
    return "--pass-pipeline: " + problem;
  for (StringRef argument : arguments) {
    if (argument == "--")
      break;
    auto [name, value] = splitFlag(argument);
    if (const PassRegistryEntry *pass = findPass(name))
      if (std::string problem = checkValues(*pass, value); !problem.empty())
        return problem;
  }
  return "";
}

std::string checkPlanning(OpPassManager &passes) {
  for (Pass &pass : passes.getPasses())
    if (auto *planning = dynamic_cast<PlanningPass *>(&pass))
      if (std::string problem = planning->checkOptions(); !problem.empty())
        return problem;
  return "";
}

} // namespace mlir::ring
