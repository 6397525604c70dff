// SPDX-License-Identifier: Apache-2.0
// All ops of ttnn. One file for each kind, so that each can be read at once.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNOPS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNOPS_TD

include "ttmlir/Dialect/TTNN/IR/TTNNAttentionOps.td"
include "ttmlir/Dialect/TTNN/IR/TTNNCollectiveOps.td"
include "ttmlir/Dialect/TTNN/IR/TTNNCreationOps.td"
include "ttmlir/Dialect/TTNN/IR/TTNNDeviceOps.td"
include "ttmlir/Dialect/TTNN/IR/TTNNElementwiseOps.td"
include "ttmlir/Dialect/TTNN/IR/TTNNNormalizationOps.td"
include "ttmlir/Dialect/TTNN/IR/TTNNShapeOps.td"

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNOPS_TD
