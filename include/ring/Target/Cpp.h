// SPDX-License-Identifier: Apache-2.0
// From TTNN to a C++ host program: the calls of the Python script, with the
// signatures of C++.

#ifndef RING_TARGET_CPP_H
#define RING_TARGET_CPP_H

#include "mlir/IR/BuiltinOps.h"
#include "ring/Target/HostOptions.h"

namespace mlir::ring {

/// Writes the public functions of `module`, which is in TTNN, and a main that
/// runs and checks them.
LogicalResult translateToCpp(ModuleOp module, raw_ostream &output,
                             const HostOptions &options = {});

/// Writes a CMakeLists.txt that finds TT-NN and builds the program, which it
/// takes to be in `main.cpp` beside it.
LogicalResult translateToCppBuild(ModuleOp module, raw_ostream &output);

/// Registers `--mlir-to-cpp` and `--mlir-to-cpp-cmake` with ring-translate.
void registerToCppTranslations();

} // namespace mlir::ring

#endif // RING_TARGET_CPP_H
