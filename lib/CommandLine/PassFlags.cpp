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
#include "llvm/Support/FileSystem.h"

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

/// What somebody may have meant: never an option of LLVM's code generators.
std::vector<std::string> namesToSuggest(const ToolText &text) {
  std::vector<std::string> names = passNames();
  names.insert(names.end(), text.options.begin(), text.options.end());
  return names;
}

/// An option of a pass that stands where it does not belong.
struct PlacedOption {
  std::string pass, flag; ///< the pass, and its flag as it should be
};

/// The pass to which an option such as "strategy=ring" belongs: the one whose
/// flag is before it, else the first in the order of help. `beginning` also
/// takes "mesh=1x4" for the one option that begins so, mesh-shape.
std::optional<PlacedOption> placeOption(StringRef flag, StringRef text,
                                        bool beginning = false) {
  auto [given, options] = splitFlag(flag);
  auto [name, value] = text.split('=');
  std::vector<std::string> candidates = passNames();
  candidates.insert(candidates.begin(), given.str());
  for (const std::string &pass : candidates) {
    if (!findPass(pass))
      continue;
    std::vector<std::string> known = optionNames(pass), meant;
    llvm::copy_if(
        known, std::back_inserter(meant), [&, name = name](StringRef option) {
          return option == name ||
                 (beginning && option.starts_with((name + "-").str()));
        });
    if (meant.size() != 1)
      continue;
    std::string before = pass == given ? options.str() : "";
    return PlacedOption{pass, ("--" + pass + "=\"" + before +
                               (before.empty() ? "" : " ") + meant.front() +
                               "=" + (value.empty() ? "..." : value) + "\"")
                                  .str()};
  }
  return std::nullopt;
}

/// The error about a flag that nobody has.
std::string noSuchFlag(StringRef argument, StringRef passFlag,
                       const ToolText &text) {
  for (bool beginning : {false, true})
    if (std::optional<PlacedOption> place =
            placeOption(passFlag, argument.ltrim('-'), beginning))
      return ("there is no option '" + argument + "'; it is one of " +
              (place->pass == kAttentionPipeline ? "the pipeline: "
                                                 : "a pass: ") +
              place->flag)
          .str();
  StringRef flag = argument.split('=').first;
  return ("there is no option '" + flag + "'" +
          ::ring::didYouMean(flag.ltrim('-').str(), namesToSuggest(text)) +
          " (see " + text.name + " --help)")
      .str();
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
  return checkPipeline(text, /*anchor=*/"");
}

} // namespace

std::string checkWord(StringRef flag, StringRef word) {
  if (!word.contains('=') || llvm::sys::fs::exists(word))
    return "";
  std::optional<PlacedOption> place = placeOption(flag, word);
  return place ? ("expects the options of --" + place->pass + " in quotes, " +
                  place->flag + ", but got '" + word + "' as a file")
                     .str()
               : "";
}

std::string checkFlags(ArrayRef<const char *> arguments, const ToolText &text) {
  auto &registered = llvm::cl::getRegisteredOptions();
  StringRef passFlag;
  for (StringRef argument : arguments) {
    if (argument == "--")
      break;
    auto [name, value] = splitFlag(argument);
    if (name.empty()) {
      if (std::string problem = checkWord(passFlag, argument); !problem.empty())
        return problem;
      continue;
    }
    if (findPass(name)) {
      passFlag = argument;
      if (std::string problem = checkOptions(name, value); !problem.empty())
        return ("--" + problem + " (see --help-passes=" + name + ")").str();
      if (value.ltrim().starts_with("{"))
        return ("--" + name +
                ": expects no braces around the options, but got '" + value +
                "'")
            .str();
      continue;
    }
    if (argument.ends_with("=") && llvm::is_contained(text.options, name))
      return ("expects a value for --" + name + ", but got ''").str();
    if (registered.contains(name) || llvm::is_contained(text.options, name) ||
        // -ofile and the like.
        (!argument.starts_with("--") && registered.contains(name.take_front())))
      continue;
    return noSuchFlag(argument, passFlag, text);
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
