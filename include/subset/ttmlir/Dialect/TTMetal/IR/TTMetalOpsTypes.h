// SPDX-License-Identifier: Apache-2.0
// Types and attributes of ttmetal.
#ifndef TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPSTYPES_H
#define TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPSTYPES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

#define GET_TYPEDEF_CLASSES
#include "ttmlir/Dialect/TTMetal/IR/TTMetalOpsTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ttmlir/Dialect/TTMetal/IR/TTMetalOpsAttrDefs.h.inc"

#endif // TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPSTYPES_H
