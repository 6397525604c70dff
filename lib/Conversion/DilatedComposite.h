// SPDX-License-Identifier: Apache-2.0
// The form that dilated attention has in TTIR: a composite with the pattern as
// its parameters.

#ifndef RING_LIB_CONVERSION_DILATEDCOMPOSITE_H
#define RING_LIB_CONVERSION_DILATEDCOMPOSITE_H

#include "ring/Dialect/Ring/IR/RingAttrs.h"

#include <string>

namespace mlir::ring {

/// The name of the composite. Its operands are query, key and value; its
/// results the output and, if asked for, the log-sum-exp.
inline constexpr llvm::StringLiteral kDilatedComposite = "dilated_attention";

/// The parameters of a composite.
struct DilatedParameters {
  DilatedAttr pattern;
  FloatAttr scale;
  /// Keys from this row on are padding; nothing where none is.
  IntegerAttr length;

  DictionaryAttr toDictionary() const;
  /// Reads them back; `problem` says what is wrong where that fails.
  static std::optional<DilatedParameters> read(DictionaryAttr dictionary,
                                               std::string &problem);
};

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_DILATEDCOMPOSITE_H
