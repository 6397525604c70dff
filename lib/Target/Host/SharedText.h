// SPDX-License-Identifier: Apache-2.0
// What Python and C++ write alike of a host program.

#ifndef RING_LIB_TARGET_HOST_SHAREDTEXT_H
#define RING_LIB_TARGET_HOST_SHAREDTEXT_H

#include "HostProgram.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::ring::host {

/// Longer calls have a line for each of their arguments.
constexpr size_t kLineLength = 96;

/// How a language writes something.
using RealText = llvm::function_ref<std::string(double)>;
using ExpressionText = llvm::function_ref<std::string(const Expression &)>;

/// `1, 2, 3`
std::string textOf(ArrayRef<int64_t> numbers);

/// A finite number with as many digits as an f32 needs to be read back, and a
/// point or an exponent.
std::string digitsOf(double value);

/// The values of a constant, in order.
std::string valuesOf(const Expression::ConstantData &data, RealText real);

/// The call of a function of the program: the mesh comes first, then the rings
/// if it takes them.
std::string ownCall(const Expression &own, ExpressionText text);

/// The enumerator of ttnn's FabricConfig.
StringRef nameOf(Fabric fabric);

/// The functions that the program's main function runs.
SmallVector<StringRef> publicNames(const HostProgram &program);

} // namespace mlir::ring::host

#endif // RING_LIB_TARGET_HOST_SHAREDTEXT_H
