// SPDX-License-Identifier: Apache-2.0
// The generated part of the ttnn ops. Verifiers are in the file of their kind.

#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.cpp.inc"
