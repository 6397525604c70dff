// SPDX-License-Identifier: Apache-2.0
// What a host program says, before it is said in Python or C++: values, and
// calls of ttnn with their arguments by name.

#ifndef RING_LIB_TARGET_HOST_EXPRESSION_H
#define RING_LIB_TARGET_HOST_EXPRESSION_H

#include "mlir/IR/Attributes.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::ring::host {

struct Argument;
struct Signature;

/// A value that a program names or writes down.
struct Expression {
  enum class Kind {
    None,       ///< nothing: None, std::nullopt
    Name,       ///< the variable `text`
    Device,     ///< the mesh that the program has opened
    Method,     ///< `text` of the mesh, without arguments
    Member,     ///< `text` of the variable `parts[0]`
    Flag,       ///< numbers[0] is 0 or 1
    Integer,    ///< numbers[0]
    Real,       ///< `real`
    Text,       ///< `text`, as a string
    Enumerator, ///< the constant that the table of ttnn's names knows as `text`
    Numbers,    ///< a list of whole numbers
    Pairs,      ///< `numbers` two by two
    List,       ///< `parts`
    First,      ///< the first of the list `parts[0]`
    Call,       ///< `signature` with `arguments`
    Own,        ///< `text`, a function of the program, with `parts`
    Constant,   ///< a tensor on the mesh: see `constant`
  };

  /// A tensor that is written into the program.
  struct ConstantData {
    std::vector<double> values;
    std::vector<int64_t> shape;
    /// As in Kind::Enumerator.
    std::string type;
    bool isIntegral = false;
  };

  Kind kind = Kind::None;
  std::string text;
  double real = 0;
  std::vector<int64_t> numbers;
  std::vector<Expression> parts;
  const Signature *signature = nullptr;
  std::vector<Argument> arguments;
  ConstantData constant;

  static Expression name(const Twine &text);
  static Expression device();
  static Expression method(StringRef text);
  static Expression member(StringRef variable, StringRef text);
  static Expression flag(bool value);
  static Expression integer(int64_t value);
  static Expression realNumber(double value);
  static Expression string(StringRef text);
  static Expression enumerator(StringRef text);
  static Expression list(ArrayRef<int64_t> numbers);
  static Expression list(std::vector<Expression> parts);
  static Expression pairs(ArrayRef<int64_t> numbers);
  static Expression first(Expression list);
  /// A number, a flag, a string, a list of numbers or a topology; nothing for
  /// what has no form.
  static std::optional<Expression> of(Attribute attribute);
};

/// What a call gives one of its parameters.
struct Argument {
  std::string parameter;
  Expression value;
};

} // namespace mlir::ring::host

#endif // RING_LIB_TARGET_HOST_EXPRESSION_H
