// SPDX-License-Identifier: Apache-2.0
// All ops of ttir. One file for each kind, so that each can be read at once.
#ifndef TTMLIR_DIALECT_TTIR_IR_TTIROPS_TD
#define TTMLIR_DIALECT_TTIR_IR_TTIROPS_TD

include "ttmlir/Dialect/TTIR/IR/TTIRAttentionOps.td"
include "ttmlir/Dialect/TTIR/IR/TTIRCollectiveOps.td"
include "ttmlir/Dialect/TTIR/IR/TTIRCreationOps.td"
include "ttmlir/Dialect/TTIR/IR/TTIRElementwiseOps.td"
include "ttmlir/Dialect/TTIR/IR/TTIRLayoutOps.td"
include "ttmlir/Dialect/TTIR/IR/TTIRNormalizationOps.td"
include "ttmlir/Dialect/TTIR/IR/TTIRShapeOps.td"

#endif // TTMLIR_DIALECT_TTIR_IR_TTIROPS_TD
