// SPDX-License-Identifier: Apache-2.0
// Flags that nobody knows, and options that a pass does not have. LLVM and MLIR
// report both, each in words of its own; only we know what was probably meant.

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "ring/CommandLine/ToolStart.h"
#include "ring/Pipelines/Pipelines.h"
#include "ring/Planner/AttentionPlanner.h"
#include "ring/Support/NearestName.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::ring {
namespace {

/// The names in a list of options "{a=1 b={c=2 d} e}", which may lie in braces:
/// what stands in braces within it are values. Without an =, a name is one too.
std::vector<std::string> namesIn(StringRef list) {
  list = list.trim();
  if (list.consume_front("{"))
    list.consume_back("}");
  std::vector<std::string> names;
  std::string name;
  int depth = 0;
  bool inValue = false;
  char quote = 0;
  auto finish = [&] {
    if (!name.empty())
      names.push_back(name);
    name.clear();
    inValue = false;
  };
  for (char letter : list) {
    if (quote != 0 || letter == '"' || letter == '\'') {
      quote = quote == 0 ? letter : letter == quote ? 0 : quote;
      continue;
    }
    depth += (letter == '{') - (letter == '}');
    if (depth > 0 || letter == '}')
      continue;
    if (letter == ' ')
      finish();
    else if (letter == '=')
      inValue = true;
    else if (!inValue)
      name += letter;
  }
  finish();
  return names;
}

/// The names of the options that a pass or pipeline has; nothing if they are
/// not known.
std::optional<std::vector<std::string>> optionsOf(StringRef name) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (name == "ring-attention-pipeline") {
    RingAttentionPipelineOptions().print(out);
    return namesIn(text);
  }
  const PassInfo *info = PassInfo::lookup(name);
  auto ignore = [](const Twine &) { return failure(); };
  OpPassManager passes;
  if (!info || failed(info->addToPipeline(passes, "", ignore)))
    return std::nullopt;
  for (Pass &pass : passes.getPasses())
    pass.printAsTextualPipeline(out);
  StringRef printed = text;
  return namesIn(printed.drop_while([](char letter) { return letter != '{'; }));
}

/// Whether a pass has all options that are given to it.
std::string checkNames(StringRef pass, StringRef options) {
  std::optional<std::vector<std::string>> known = optionsOf(pass);
  if (!known)
    return "";
  for (const std::string &name : namesIn(options))
    if (!llvm::is_contained(*known, name))
      return ("--" + pass + " has no option '" + name + "'" +
              ::ring::didYouMean(name, *known) + " (see --help-passes=" + pass +
              ")")
          .str();
  return "";
}

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

const PassRegistryEntry *findPass(StringRef name) {
  if (const PassInfo *pass = PassInfo::lookup(name))
    return pass;
  return PassPipelineInfo::lookup(name);
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

} // namespace

std::string checkFlags(ArrayRef<const char *> arguments, const ToolText &text) {
  auto &registered = llvm::cl::getRegisteredOptions();
  for (StringRef argument : arguments) {
    if (argument == "--")
      break;
    auto [name, value] = splitFlag(argument);
    if (name.empty())
      continue;
    if (findPass(name)) {
      if (std::string problem = checkNames(name, value); !problem.empty())
        return problem;
      continue;
    }
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
