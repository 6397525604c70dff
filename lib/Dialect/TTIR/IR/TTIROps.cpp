// SPDX-License-Identifier: Apache-2.0
// The generated part of the ttir ops. Verifiers are in the file of their kind.

#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "ttmlir/Dialect/TTIR/IR/TTIROps.cpp.inc"
