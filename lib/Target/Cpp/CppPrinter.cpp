// SPDX-License-Identifier: Apache-2.0
// Expressions and functions as C++ writes them.

#include "CppPrinter.h"
#include "../Host/SharedText.h"
#include "../Host/Signatures.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

namespace mlir::ring {

using host::CppForm;
using host::Expression;
using host::Signature;
using host::Statement;

static std::string braced(ArrayRef<int64_t> numbers) {
  return "{" + host::textOf(numbers) + "}";
}

static std::string realText(double value) {
  if (std::isnan(value))
    return "std::numeric_limits<float>::quiet_NaN()";
  if (std::isinf(value))
    return std::string(value < 0 ? "-" : "") +
           "std::numeric_limits<float>::infinity()";
  return host::digitsOf(value) + "f";
}

/// An argument in the form that its parameter wants.
static std::string argumentText(const Expression &value, CppForm form) {
  switch (form) {
  case CppForm::Plain:
    return cppText(value);
  case CppForm::Pointer:
    return "&" + cppText(value);
  case CppForm::Reference:
    return "std::ref(" + cppText(value) + ")";
  case CppForm::Dims:
    return "ttsl::SmallVector<int32_t>" + braced(value.numbers);
  case CppForm::Counts:
    return "ttsl::SmallVector<uint32_t>" + braced(value.numbers);
  case CppForm::Places:
    return "ttsl::SmallVector<int64_t>" + braced(value.numbers);
  case CppForm::Shape:
    return "ttnn::Shape(" + braced(value.numbers) + ")";
  case CppForm::Braced:
    return value.kind == Expression::Kind::Numbers
               ? braced(value.numbers)
               : "{" + llvm::join(llvm::map_range(value.parts, cppText), ", ") +
                     "}";
  case CppForm::Tensors:
    return "std::vector<ttnn::Tensor>{" +
           llvm::join(llvm::map_range(value.parts, cppText), ", ") + "}";
  case CppForm::ColumnMajor:
    return std::string("ttnn::ccl::CoreAllocationStrategy::") +
           (value.numbers[0] ? "COL_MAJOR" : "ROW_MAJOR");
  }
  llvm_unreachable("all forms are there");
}

static std::string calleeText(const Expression &call) {
  return call.signature->cpp.empty() ? ("ttnn::" + call.signature->name).str()
                                     : call.signature->cpp.str();
}

/// Whether an argument does not say by itself what it is.
static bool isLiteral(const Expression &value) {
  using Kind = Expression::Kind;
  return value.kind == Kind::None || value.kind == Kind::Flag ||
         value.kind == Kind::Integer || value.kind == Kind::Real ||
         value.kind == Kind::Text;
}

/// All arguments up to the last that is given or that C++ has no default for.
/// With `namesLiterals` comments say which parameters bare numbers go to.
static SmallVector<std::string> argumentTexts(const Expression &call,
                                              bool namesLiterals = false) {
  const Signature &signature = *call.signature;
  SmallVector<std::string> texts;
  size_t count = signature.cppRequired;
  for (auto [index, parameter] : llvm::enumerate(signature.parameters)) {
    const host::Argument *given = nullptr;
    for (const host::Argument &argument : call.arguments)
      if (argument.parameter == parameter.name)
        given = &argument;
    std::string text = given ? argumentText(given->value, parameter.form)
                             : parameter.cppDefault.str();
    if (signature.namesFields)
      text = "." + parameter.name.str() + " = " + text;
    else if (namesLiterals && (!given || isLiteral(given->value)))
      text = "/*" + parameter.name.str() + "=*/" + text;
    texts.push_back(std::move(text));
    if (given)
      count = std::max(count, index + 1);
  }
  texts.resize(count);
  return texts;
}

static std::string constantText(const Expression::ConstantData &data) {
  return "tensorOf({" + host::valuesOf(data, realText) + "}, ttnn::Shape(" +
         braced(data.shape) + "), " + host::findConstant(data.type)->cpp.str() +
         ", &device)";
}

std::string cppText(const Expression &expression) {
  using Kind = Expression::Kind;
  switch (expression.kind) {
  case Kind::None:
    return "std::nullopt";
  case Kind::Name:
    return expression.text;
  case Kind::Device:
    return "device";
  case Kind::Method:
    return "device." + expression.text + "()";
  case Kind::Member:
    return expression.parts[0].text + "." + expression.text;
  case Kind::Flag:
    return expression.numbers[0] ? "true" : "false";
  case Kind::Integer:
    return std::to_string(expression.numbers[0]);
  case Kind::Real:
    return realText(expression.real);
  case Kind::Text:
    return "\"" + expression.text + "\"";
  case Kind::Enumerator:
    return host::findConstant(expression.text)->cpp.str();
  case Kind::Pairs: {
    SmallVector<std::string> pairs;
    for (size_t i = 0; i < expression.numbers.size(); i += 2)
      pairs.push_back("std::array<uint32_t, 2>" +
                      braced(ArrayRef(expression.numbers).slice(i, 2)));
    return "ttsl::SmallVector<std::array<uint32_t, 2>>{" +
           llvm::join(pairs, ", ") + "}";
  }
  case Kind::First:
    return cppText(expression.parts[0]) + ".front()";
  case Kind::Call: {
    std::string arguments = llvm::join(argumentTexts(expression), ", ");
    return calleeText(expression) + (expression.signature->isRecord
                                         ? "{" + arguments + "}"
                                         : "(" + arguments + ")");
  }
  case Kind::Own:
    return host::ownCall(expression, cppText);
  case Kind::Constant:
    return constantText(expression.constant);
  case Kind::Numbers:
  case Kind::List:
    break; // the parameter says how they are written
  }
  llvm_unreachable("a list has a form of its parameter's own");
}

void collectHeaders(const Expression &expression,
                    std::set<std::string> &headers) {
  if (expression.signature)
    headers.insert(expression.signature->header.str());
  for (const Expression &part : expression.parts)
    collectHeaders(part, headers);
  for (const host::Argument &argument : expression.arguments)
    collectHeaders(argument.value, headers);
}

/// `begin` and the call behind it, with a line for each argument of a long one.
static void printCall(StringRef begin, const Expression &value,
                      raw_ostream &output) {
  std::string text = cppText(value);
  if (value.kind == Expression::Kind::Call && !value.signature->isRecord &&
      begin.size() + text.size() > host::kLineLength)
    text =
        calleeText(value) + "(\n      " +
        llvm::join(argumentTexts(value, /*namesLiterals=*/true), ",\n      ") +
        ")";
  output << "  " << begin << text << ";\n";
}

namespace {

/// The body of one function: what is declared already is assigned.
class BodyPrinter {
public:
  explicit BodyPrinter(raw_ostream &output) : output(output) {}

  void print(const Statement &statement) {
    switch (statement.kind) {
    case Statement::Kind::Return:
      output << "  return {" << llvm::join(statement.results, ", ") << "};\n";
      return;
    case Statement::Kind::TakeRing:
      output << "  RingSet &" << statement.results[0] << " = rings.next();\n";
      return;
    case Statement::Kind::Assign:
      printAssign(statement);
      return;
    }
  }

private:
  void printAssign(const Statement &statement) {
    const std::vector<std::string> &names = statement.results;
    bool isOwn = statement.value.kind == Expression::Kind::Own;
    if (names.empty()) {
      printCall("", statement.value, output);
    } else if (names.size() > 1 || isOwn) {
      // Functions of the program return arrays, those of ttnn tuples.
      SmallVector<std::string> bound;
      for (const std::string &name : names)
        bound.push_back(name.empty() ? "unused_" + std::to_string(++unused)
                                     : name);
      printCall("[[maybe_unused]] auto [" + llvm::join(bound, ", ") + "] = ",
                statement.value, output);
    } else {
      bool isNew = declared.insert(names[0]).second;
      printCall((isNew ? "auto " : "") + names[0] + " = ", statement.value,
                output);
    }
  }

  raw_ostream &output;
  llvm::StringSet<> declared;
  int64_t unused = 0;
};

} // namespace

void printCppFunction(const host::Function &function, raw_ostream &output) {
  if (!function.comment.empty())
    output << "/// " << function.comment << "\n";
  SmallVector<std::string> parameters{
      "[[maybe_unused]] ttnn::MeshDevice &device"};
  if (function.takesRings)
    parameters.push_back("Rings &rings");
  for (const host::Port &parameter : function.parameters)
    parameters.push_back("const ttnn::Tensor &" + parameter.name);
  output << "std::array<ttnn::Tensor, " << function.results.size() << "> "
         << function.name << "(" << llvm::join(parameters, ", ") << ") {\n";
  BodyPrinter body(output);
  for (const Statement &statement : function.body)
    body.print(statement);
  output << "}\n";
}

} // namespace mlir::ring
