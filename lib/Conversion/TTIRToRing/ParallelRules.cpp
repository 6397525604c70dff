// SPDX-License-Identifier: Apache-2.0
// Which attentions are distributed how, said by their names.

#include "ParallelRules.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

#include <tuple>

namespace mlir::ring {
namespace {

/// A name with wildcards, or a line of the source.
class NamePattern {
public:
  NamePattern() = default;

  static std::optional<NamePattern> create(StringRef text) {
    NamePattern pattern;
    pattern.text = text;
    auto glob = llvm::GlobPattern::create(text);
    if (!glob) {
      llvm::consumeError(glob.takeError());
      return std::nullopt;
    }
    pattern.glob = std::move(*glob);
    return pattern;
  }

  /// A name may have brackets of its own.
  bool matches(StringRef name) const {
    return name == text || (glob && glob->match(name));
  }

  /// The line that it is the number of.
  std::optional<unsigned> line() const {
    unsigned number;
    if (text.empty() || text.getAsInteger(10, number))
      return std::nullopt;
    return number;
  }

  /// How precise a name is: first whether it is exact, then how much of it is
  /// written out.
  std::pair<bool, size_t> precision() const {
    size_t wild = llvm::count_if(
        text, [](char c) { return StringRef("*?[]").contains(c); });
    return {wild == 0, text.size() - wild};
  }

private:
  StringRef text;
  std::optional<llvm::GlobPattern> glob;
};

/// `@function`, `@function/attention` or `attention`, and the axes.
struct Rule {
  StringRef name;
  std::optional<NamePattern> function, attention;
  ParallelAttr axes;

  /// Larger is more precise: a single attention before a function, then the
  /// more precise name of it, then one in a function that is named too.
  auto precision() const {
    auto of = [](const std::optional<NamePattern> &pattern) {
      return pattern ? pattern->precision() : std::pair(false, size_t(0));
    };
    return std::tuple(attention.has_value(), of(attention),
                      function.has_value(), of(function));
  }
};

/// The names of an op and the lines that it comes from.
struct Origin {
  llvm::SmallSetVector<StringRef, 2> names;
  llvm::SmallSetVector<unsigned, 2> lines;

  explicit Origin(Operation *op) {
    op->getLoc()->walk([&](Location loc) {
      if (auto name = dyn_cast<NameLoc>(loc))
        names.insert(name.getName().getValue());
      if (auto place = dyn_cast<FileLineColRange>(loc))
        lines.insert(place.getStartLine());
      return WalkResult::advance();
    });
  }

  bool isNamed(const NamePattern &pattern) const {
    std::optional<unsigned> line = pattern.line();
    return (line && lines.contains(*line)) ||
           llvm::any_of(names,
                        [&](StringRef name) { return pattern.matches(name); });
  }
};

InFlightDiagnostic problem(ModuleOp module) {
  return emitError(module.getLoc(), "ring-raise option parallel: ");
}

/// Reads `sequence=1,heads=0`, the parameters of #ring.parallel.
FailureOr<ParallelAttr> readAxes(StringRef text, ModuleOp module) {
  if (text == "none")
    return ParallelAttr();
  std::string reason;
  Attribute axes;
  {
    ScopedDiagnosticHandler listen(module.getContext(),
                                   [&](Diagnostic &diagnostic) {
                                     if (reason.empty())
                                       reason = diagnostic.str();
                                     return success();
                                   });
    axes = parseAttribute(("#ring.parallel<" + text + ">").str(),
                          module.getContext());
  }
  if (auto parallel = dyn_cast_or_null<ParallelAttr>(axes))
    return parallel;
  problem(module) << "expects axes such as sequence=1,heads=0, or none, but "
                     "got '"
                  << text << "': " << reason;
  return failure();
}

FailureOr<Rule> readRule(StringRef text, ModuleOp module) {
  // Names may have colons; axes have none.
  auto [name, axes] = text.rsplit(':');
  Rule rule;
  rule.name = name = name.trim();
  StringRef attention = name, function;
  if (name.consume_front("@"))
    std::tie(function, attention) = name.split('/');
  if (rule.name.empty() || axes.empty() ||
      (rule.name.starts_with("@") && function.empty())) {
    problem(module) << "expects NAME:AXES, such as @main:sequence=1, but got '"
                    << text << "'";
    return failure();
  }
  auto readName = [&](StringRef part, std::optional<NamePattern> &pattern) {
    if (part.empty())
      return true;
    pattern = NamePattern::create(part);
    if (!pattern)
      problem(module) << "expects a name with wildcards, but got '" << part
                      << "'";
    return pattern.has_value();
  };
  if (!readName(function, rule.function) ||
      !readName(attention, rule.attention))
    return failure();
  FailureOr<ParallelAttr> parallel = readAxes(axes.trim(), module);
  if (failed(parallel))
    return failure();
  rule.axes = *parallel;
  return rule;
}

bool isNamed(FunctionOpInterface function, const Rule &rule) {
  return !rule.function ||
         (function && rule.function->matches(function.getName()));
}

/// Lists a few of `names`, each once.
void list(InFlightDiagnostic &diagnostic, ArrayRef<std::string> names) {
  constexpr size_t kMost = 8;
  llvm::SmallSetVector<StringRef, 8> unique;
  for (const std::string &name : names)
    unique.insert(name);
  diagnostic << llvm::join(unique.getArrayRef().take_front(kMost), ", ");
  if (unique.size() > kMost)
    diagnostic << " and " << unique.size() - kMost << " more";
}

/// Says that a rule names nothing, and what it might have named.
LogicalResult namesNothing(const Rule &rule, ModuleOp module,
                           ArrayRef<Operation *> attentions) {
  InFlightDiagnostic diagnostic = problem(module);
  diagnostic << "'" << rule.name << "' names no ";
  std::vector<std::string> known;
  if (!rule.attention) {
    module.walk([&](FunctionOpInterface function) {
      known.push_back(("@" + function.getName()).str());
    });
    diagnostic << "function; there are ";
    list(diagnostic, known);
    return diagnostic;
  }
  diagnostic << "attention";
  for (Operation *op : attentions) {
    Origin origin(op);
    for (StringRef name : origin.names)
      known.push_back(("'" + name + "'").str());
    if (origin.names.empty())
      for (unsigned line : origin.lines)
        known.push_back("line " + std::to_string(line));
  }
  if (attentions.empty())
    diagnostic << ", and there is none";
  else
    list(diagnostic << "; there are ", known);
  return diagnostic;
}

} // namespace

LogicalResult ParallelRules::read(StringRef text, ModuleOp module,
                                  ArrayRef<Operation *> attentions) {
  std::vector<Rule> rules;
  for (StringRef piece : llvm::split(text, ';')) {
    if (piece.trim().empty())
      continue;
    FailureOr<Rule> rule = readRule(piece.trim(), module);
    if (failed(rule))
      return failure();
    rules.push_back(std::move(*rule));
  }
  std::vector<bool> used(rules.size());
  module.walk([&](FunctionOpInterface function) {
    for (auto [index, rule] : llvm::enumerate(rules))
      if (!rule.attention && isNamed(function, rule)) {
        used[index] = true;
        if (rule.axes)
          functions.insert(function);
      }
  });
  for (Operation *op : attentions) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    Origin origin(op);
    const Rule *best = nullptr, *rival = nullptr;
    for (auto [index, rule] : llvm::enumerate(rules)) {
      if (!isNamed(function, rule) ||
          (rule.attention && !origin.isNamed(*rule.attention)))
        continue;
      used[index] = true;
      if (!best || best->precision() < rule.precision()) {
        best = &rule;
        rival = nullptr;
      } else if (best->precision() == rule.precision() &&
                 best->axes != rule.axes) {
        rival = &rule;
      }
    }
    if (rival)
      return emitError(op->getLoc(),
                       "ring-raise option parallel: expects rules "
                       "that agree, but got '")
             << best->name << "' and '" << rival->name
             << "', which name this attention as precisely as each other";
    if (!best)
      continue;
    chosen[op] = best->axes;
    if (best->attention && best->axes)
      named.insert(op);
  }
  for (auto [index, rule] : llvm::enumerate(rules))
    if (!used[index])
      return namesNothing(rule, module, attentions);
  return success();
}

std::optional<ParallelAttr> ParallelRules::find(Operation *attention) const {
  auto found = chosen.find(attention);
  if (found == chosen.end())
    return std::nullopt;
  return found->second;
}

} // namespace mlir::ring
