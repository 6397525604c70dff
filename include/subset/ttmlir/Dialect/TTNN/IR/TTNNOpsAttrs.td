// SPDX-License-Identifier: Apache-2.0
// Attributes of ttnn, grouped by what they describe. Each prints exactly as
// tt-mlir prints it.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNOPSATTRS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNOPSATTRS_TD

include "ttmlir/Dialect/TTNN/IR/TTNNConfigAttrs.td"
include "ttmlir/Dialect/TTNN/IR/TTNNCoreAttrs.td"
include "ttmlir/Dialect/TTNN/IR/TTNNLayoutAttrs.td"

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNOPSATTRS_TD
