// SPDX-License-Identifier: Apache-2.0
// Numbers, calls and names that read the same in every language.

#include "SharedText.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdio>

namespace mlir::ring::host {

std::string textOf(ArrayRef<int64_t> numbers) {
  return llvm::join(
      llvm::map_range(numbers, [](int64_t x) { return std::to_string(x); }),
      ", ");
}

std::string digitsOf(double value) {
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.9g", value);
  std::string text = digits;
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

std::string valuesOf(const Expression::ConstantData &data, RealText real) {
  auto write = [&](double value) {
    return data.isIntegral ? std::to_string(static_cast<int64_t>(value))
                           : real(value);
  };
  return llvm::join(llvm::map_range(data.values, write), ", ");
}

std::string ownCall(const Expression &own, ExpressionText text) {
  SmallVector<std::string> arguments{"device"};
  if (!own.numbers.empty() && own.numbers[0])
    arguments.push_back("rings");
  for (const Expression &part : own.parts)
    arguments.push_back(text(part));
  return own.text + "(" + llvm::join(arguments, ", ") + ")";
}

StringRef nameOf(Fabric fabric) {
  switch (fabric) {
  case Fabric::Disabled:
    return "DISABLED";
  case Fabric::Line:
    return "FABRIC_1D";
  case Fabric::Ring:
    return "FABRIC_1D_RING";
  }
  llvm_unreachable("all fabrics are there");
}

SmallVector<StringRef> publicNames(const HostProgram &program) {
  SmallVector<StringRef> names;
  for (const Function &function : program.functions)
    if (function.isPublic)
      names.push_back(function.name);
  return names;
}

} // namespace mlir::ring::host
