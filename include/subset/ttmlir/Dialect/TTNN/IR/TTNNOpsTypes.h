// SPDX-License-Identifier: Apache-2.0
// Types of ttnn.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNOPSTYPES_H
#define TTMLIR_DIALECT_TTNN_IR_TTNNOPSTYPES_H

#include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.h"

#define GET_TYPEDEF_CLASSES
#include "ttmlir/Dialect/TTNN/IR/TTNNOpsTypes.h.inc"

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNOPSTYPES_H
