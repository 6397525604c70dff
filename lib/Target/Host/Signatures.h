// SPDX-License-Identifier: Apache-2.0
// The functions, records and constants of ttnn that host programs use: what
// they are called and how their parameters follow each other, in Python and in
// C++. This is the one place that knows.

#ifndef RING_LIB_TARGET_HOST_SIGNATURES_H
#define RING_LIB_TARGET_HOST_SIGNATURES_H

#include "Expression.h"

namespace mlir::ring::host {

/// What C++ makes of an argument that Python writes as it is.
enum class CppForm {
  Plain,
  Pointer,     ///< the mesh by its address
  Reference,   ///< the mesh as std::ref
  Dims,        ///< numbers as int
  Counts,      ///< numbers as uint32_t
  Places,      ///< numbers as int64_t
  Shape,       ///< numbers as ttnn::Shape
  Braced,      ///< a list in braces, whose type the parameter gives
  Tensors,     ///< a list as a vector of tensors
  ColumnMajor, ///< a flag as an order of cores
};

struct Parameter {
  StringRef name;
  /// Whether Python passes it by name.
  bool isKeyword;
  /// What C++ passes where it is left out and a later one is not; empty for a
  /// parameter that no call leaves out.
  StringRef cppDefault;
  CppForm form;
};

/// A function, or a record that is made like one.
struct Signature {
  /// How descriptions of calls refer to it.
  StringRef name;
  StringRef python, cpp;
  /// What C++ includes for it.
  StringRef header;
  /// In the order of C++; Python has its positional ones in the same order.
  std::vector<Parameter> parameters;
  /// C++ writes `{...}`, with names of fields or without them.
  bool isRecord = false, namesFields = false;
  /// How many parameters C++ has no default for.
  size_t cppRequired = 0;
};

struct Constant {
  StringRef name, python, cpp;
};

/// Nothing for a name that is not in the table.
const Signature *findSignature(StringRef name);
const Constant *findConstant(StringRef name);
/// The constant of an element type that ttnn has; empty for others.
StringRef typeConstant(Type element);

/// `arguments` go to the parameters that they name; all of them are known.
Expression call(StringRef name, std::vector<Argument> arguments);
/// The same with the first parameters in order.
Expression call(StringRef name, ArrayRef<Expression> leading,
                std::vector<Argument> more = {});

} // namespace mlir::ring::host

#endif // RING_LIB_TARGET_HOST_SIGNATURES_H
