// SPDX-License-Identifier: Apache-2.0
// Numbers as element types and constants have them.

#ifndef RING_LIB_CONVERSION_TTIRTORING_ELEMENTNUMBERS_H
#define RING_LIB_CONVERSION_TTIRTORING_ELEMENTNUMBERS_H

#include "MaskGrid.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"

namespace mlir::ring {

/// The number as its element type has it; not a number where the type has none
/// that is certain.
double rounded(double number, Type type);

/// The number that an attribute is.
std::optional<double> numberOf(Attribute attr);

/// The numbers of a constant tensor, all entries before its last two dimensions
/// alike. Reads every byte once, and holds runs of equal ones.
std::optional<MaskGrid> numbersOf(Attribute value);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_ELEMENTNUMBERS_H
