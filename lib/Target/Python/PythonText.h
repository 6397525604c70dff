// SPDX-License-Identifier: Apache-2.0
// Attributes and types as Python writes them.

#ifndef RING_LIB_TARGET_PYTHON_PYTHONTEXT_H
#define RING_LIB_TARGET_PYTHON_PYTHONTEXT_H

#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace mlir::ring {

/// `[1, 2, 3]`.
std::string pythonList(ArrayRef<int64_t> numbers);
/// A number, a flag, a string or a list of numbers; nothing for what has no
/// form.
std::optional<std::string> pythonValue(Attribute attribute);
/// `ttnn.bfloat16`; nothing for an element type that ttnn does not have.
std::optional<std::string> pythonType(Type element);

} // namespace mlir::ring

#endif // RING_LIB_TARGET_PYTHON_PYTHONTEXT_H
