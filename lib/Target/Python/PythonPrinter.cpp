// SPDX-License-Identifier: Apache-2.0
// Expressions and functions as Python writes them.

#include "PythonPrinter.h"
#include "../Host/SharedText.h"
#include "../Host/Signatures.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace mlir::ring {

using host::Expression;
using host::Statement;

static std::string listOf(ArrayRef<int64_t> numbers) {
  return "[" + host::textOf(numbers) + "]";
}

static std::string realText(double value) {
  if (std::isnan(value))
    return "float(\"nan\")";
  if (std::isinf(value))
    return value < 0 ? "float(\"-inf\")" : "float(\"inf\")";
  return host::digitsOf(value);
}

static std::string calleeText(const Expression &call) {
  return call.signature->python.empty() ? ("ttnn." + call.signature->name).str()
                                        : call.signature->python.str();
}

static SmallVector<std::string> argumentTexts(const Expression &call) {
  SmallVector<std::string> arguments;
  // Positional ones first, in the order of the table.
  for (bool isKeyword : {false, true})
    for (const host::Parameter &parameter : call.signature->parameters) {
      if (parameter.isKeyword != isKeyword)
        continue;
      for (const host::Argument &argument : call.arguments)
        if (argument.parameter == parameter.name)
          arguments.push_back(
              (isKeyword ? parameter.name.str() + "=" : std::string()) +
              pythonText(argument.value));
    }
  return arguments;
}

static std::string constantText(const Expression::ConstantData &data) {
  return "tensor_of(np.array([" + host::valuesOf(data, realText) +
         "]).reshape(" + listOf(data.shape) + "), " +
         host::findConstant(data.type)->python.str() + ", device)";
}

std::string pythonText(const Expression &expression) {
  using Kind = Expression::Kind;
  switch (expression.kind) {
  case Kind::None:
    return "None";
  case Kind::Name:
    return expression.text;
  case Kind::Device:
    return "device";
  case Kind::Method:
    return "device." + expression.text + "()";
  case Kind::Member:
    return expression.parts[0].text + "." + expression.text;
  case Kind::Flag:
    return expression.numbers[0] ? "True" : "False";
  case Kind::Integer:
    return std::to_string(expression.numbers[0]);
  case Kind::Real:
    return realText(expression.real);
  case Kind::Text:
    return "\"" + expression.text + "\"";
  case Kind::Enumerator:
    return host::findConstant(expression.text)->python.str();
  case Kind::Numbers:
    return listOf(expression.numbers);
  case Kind::Pairs: {
    SmallVector<std::string> pairs;
    for (size_t i = 0; i < expression.numbers.size(); i += 2)
      pairs.push_back("(" + std::to_string(expression.numbers[i]) + ", " +
                      std::to_string(expression.numbers[i + 1]) + ")");
    return "[" + llvm::join(pairs, ", ") + "]";
  }
  case Kind::List:
    return "[" +
           llvm::join(llvm::map_range(expression.parts, pythonText), ", ") +
           "]";
  case Kind::First:
    return pythonText(expression.parts[0]) + "[0]";
  case Kind::Call:
    return calleeText(expression) + "(" +
           llvm::join(argumentTexts(expression), ", ") + ")";
  case Kind::Own:
    return host::ownCall(expression, pythonText);
  case Kind::Constant:
    return constantText(expression.constant);
  }
  llvm_unreachable("all kinds of expressions are there");
}

static void printStatement(const Statement &statement, raw_ostream &output) {
  output << "    ";
  switch (statement.kind) {
  case Statement::Kind::Return:
    output << "return"
           << (statement.results.empty()
                   ? ""
                   : " " + llvm::join(statement.results, ", "));
    break;
  case Statement::Kind::TakeRing:
    output << statement.results[0] << " = next(rings)";
    break;
  case Statement::Kind::Assign: {
    SmallVector<std::string> names;
    for (const std::string &name : statement.results)
      names.push_back(name.empty() ? "_" : name);
    std::string begin = names.empty() ? "" : llvm::join(names, ", ") + " = ";
    std::string text = pythonText(statement.value);
    // A call that is long has a line for each of its arguments.
    if (statement.value.kind == Expression::Kind::Call &&
        begin.size() + text.size() > host::kLineLength)
      text = calleeText(statement.value) + "(\n        " +
             llvm::join(argumentTexts(statement.value), ",\n        ") +
             ",\n    )";
    output << begin << text;
    break;
  }
  }
  output << "\n";
}

void printPythonFunction(const host::Function &function, raw_ostream &output) {
  output << "def " << function.name << "(device";
  if (function.takesRings)
    output << ", rings";
  for (const host::Port &parameter : function.parameters)
    output << ", " << parameter.name;
  output << "):\n";
  if (!function.comment.empty())
    output << "    \"\"\"" << function.comment << "\"\"\"\n";
  for (const Statement &statement : function.body)
    printStatement(statement, output);
}

} // namespace mlir::ring
