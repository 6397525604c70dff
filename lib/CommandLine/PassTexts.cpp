// SPDX-License-Identifier: Apache-2.0
// Passes and their options as somebody wrote them, judged before MLIR parses
// them: it reports what it does not know by lines of its own, to stderr, and
// only we know what was probably meant.

#include "ring/CommandLine/PassTexts.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "ring/CommandLine/ToolStart.h"
#include "ring/Pipelines/Pipelines.h"
#include "ring/Support/NearestName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {
namespace {

struct OptionText {
  std::string name, value;
  bool hasValue = false; ///< which may be empty
};

/// The options in a list "{a=1 b={c=2 d} e='x y'}", which may lie in braces:
/// what stands in braces or quotes within it is one value.
std::vector<OptionText> optionsIn(StringRef list) {
  list = list.trim();
  if (list.consume_front("{"))
    list.consume_back("}");
  std::vector<OptionText> options;
  OptionText option;
  int depth = 0;
  char quote = 0;
  auto finish = [&] {
    if (!option.name.empty())
      options.push_back(option);
    option = {};
  };
  for (char letter : list) {
    bool quotes =
        quote != 0 ? letter == quote : letter == '"' || letter == '\'';
    if (quotes) {
      quote = quote != 0 ? 0 : letter;
      continue;
    }
    if (quote == 0) {
      depth += (letter == '{') - (letter == '}');
      if ((letter == '{' && depth == 1) || (letter == '}' && depth == 0))
        continue;
      if (depth == 0 && letter == ' ') {
        finish();
        continue;
      }
      if (depth == 0 && letter == '=' && !option.hasValue) {
        option.hasValue = true;
        continue;
      }
    }
    (option.hasValue ? option.value : option.name) += letter;
  }
  finish();
  return options;
}

/// The options that a pass or pipeline has, with their defaults; nothing if
/// they are not known.
std::optional<std::vector<OptionText>> optionsOf(StringRef name) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (name == kAttentionPipeline) {
    RingAttentionPipelineOptions().print(out);
    return optionsIn(text);
  }
  const PassInfo *info = PassInfo::lookup(name);
  auto ignore = [](const Twine &) { return failure(); };
  OpPassManager passes;
  if (!info || failed(info->addToPipeline(passes, "", ignore)))
    return std::nullopt;
  for (Pass &pass : passes.getPasses())
    pass.printAsTextualPipeline(out);
  StringRef printed = text;
  return optionsIn(
      printed.drop_while([](char letter) { return letter != '{'; }));
}

/// The names that the values of an option have.
template <typename Option>
std::vector<std::string> valuesOf(Option &option) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < option.getParser().getNumOptions(); ++i)
    names.push_back(option.getParser().getOption(i).str());
  return names;
}

/// The values that an option may have; empty if it is not one of few names.
std::vector<std::string> namedValues(StringRef pass, StringRef option) {
  RingAttentionPipelineOptions options;
  if (pass != kAttentionPipeline)
    return {};
  if (option == options.target.ArgStr)
    return valuesOf(options.target);
  if (option == options.kernels.ArgStr)
    return valuesOf(options.kernels);
  return {};
}

bool isNumber(StringRef text) {
  int64_t number;
  return !text.getAsInteger(0, number);
}

bool isFraction(StringRef text) {
  double number;
  return !text.getAsDouble(number);
}

/// Whether the default of an option is that of a flag.
bool isFlag(const OptionText &option) {
  return option.value == "true" || option.value == "false";
}

bool isOurs(StringRef pass) {
  return pass.starts_with("ring-") || pass.starts_with("convert-ring-");
}

/// What an option expects in place of a value; empty if it takes it. Its
/// default shows what it is: no option that is text has a number for it, though
/// others' may be fractions.
std::string expectedFor(StringRef pass, const OptionText &option,
                        StringRef value) {
  std::vector<std::string> names = namedValues(pass, option.name);
  if (!names.empty())
    return llvm::is_contained(names, value)
               ? ""
               : llvm::join(ArrayRef(names).drop_back(), ", ") + " or " +
                     names.back();
  if (isNumber(option.value))
    return isNumber(value) || (!isOurs(pass) && isFraction(value))
               ? ""
               : "a whole number";
  constexpr StringLiteral kFlags[] = {"",      "true",  "TRUE",  "True", "1",
                                      "false", "FALSE", "False", "0"};
  if (isFlag(option))
    return llvm::is_contained(kFlags, value) ? "" : "true or false";
  return "";
}

/// Whether a pass may run on ops of that name; of no name, where it is not
/// known.
std::string checkAnchor(StringRef name, StringRef anchor) {
  const PassInfo *info = PassInfo::lookup(name);
  auto ignore = [](const Twine &) { return failure(); };
  OpPassManager passes;
  if (anchor.empty() || anchor == OpPassManager::getAnyOpAnchorName() ||
      !info || failed(info->addToPipeline(passes, "", ignore)))
    return "";
  for (Pass &pass : passes.getPasses())
    if (std::optional<StringRef> own = pass.getOpName(); own && *own != anchor)
      return (name + ": expects to be within " + *own +
              (anchor == ModuleOp::getOperationName()
                   ? ", as in " + *own + "(" + name + ")"
                   : std::string()) +
              ", but got it within " + anchor)
          .str();
  return "";
}

/// Where the brace that opens a list is closed, or the end.
size_t endOfList(StringRef text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '{') - (text[i] == '}');
    if (depth == 0)
      return i + 1;
  }
  return text.size();
}

} // namespace

std::vector<std::string> optionNames(StringRef pass) {
  std::vector<std::string> names;
  for (OptionText &option : optionsOf(pass).value_or(std::vector<OptionText>()))
    names.push_back(std::move(option.name));
  return names;
}

const PassRegistryEntry *findPass(StringRef name) {
  if (const PassInfo *pass = PassInfo::lookup(name))
    return pass;
  return PassPipelineInfo::lookup(name);
}

std::string checkOptions(StringRef pass, StringRef options) {
  if (options.count('{') != options.count('}'))
    return (pass + ": expects as many { as }, but got '" + options + "'").str();
  std::optional<std::vector<OptionText>> known = optionsOf(pass);
  if (!known)
    return "";
  for (const OptionText &given : optionsIn(options)) {
    auto option = llvm::find_if(*known, [&](const OptionText &candidate) {
      return candidate.name == given.name;
    });
    if (option == known->end())
      return (pass + " has no option '" + given.name + "'" +
              ::ring::didYouMean(given.name, optionNames(pass)))
          .str();
    std::string expected = expectedFor(pass, *option, given.value);
    if (!expected.empty())
      return (pass + ": expects " + given.name + " to be " + expected +
              ", but got '" + given.value + "'" +
              ::ring::didYouMean(given.value, namedValues(pass, given.name)))
          .str();
    if (!given.hasValue && !isFlag(*option))
      return (pass + ": expects " + given.name + "=VALUE, but got '" +
              given.name + "'")
          .str();
  }
  return "";
}

std::string checkPipeline(StringRef text, StringRef anchor) {
  SmallVector<StringRef> anchors{anchor};
  while (!text.empty()) {
    size_t end = std::min(text.find_first_of("(){},"), text.size());
    StringRef name = text.take_front(end).trim();
    text = text.drop_front(end);
    bool nests = text.consume_front("(");
    if (nests)
      anchors.push_back(name);
    StringRef options =
        text.starts_with("{") ? text.take_front(endOfList(text)) : "";
    text = text.drop_front(options.size());
    StringRef around = anchors.back();
    if (!nests && options.empty()) {
      if (text.starts_with(")") && anchors.size() > 1)
        anchors.pop_back();
      text = text.drop_front(text.empty() ? 0 : 1);
    }
    if (nests || name.empty())
      continue;
    if (!findPass(name))
      return ("there is no pass '" + name + "'" +
              ::ring::didYouMean(name.str(), passNames()))
          .str();
    if (std::string problem = checkAnchor(name, around); !problem.empty())
      return problem;
    if (std::string problem = checkOptions(name, options); !problem.empty())
      return problem;
  }
  return "";
}

} // namespace mlir::ring
