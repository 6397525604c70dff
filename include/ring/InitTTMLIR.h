// SPDX-License-Identifier: Apache-2.0
// tt-mlir inside our tools. ttmlir-opt takes no plugins, so a build against a
// real tt-mlir (-DRING_TTMLIR_DIR) brings its passes to ring-opt instead: one
// command then goes from TTIR to TTNN. Built against our subset of the
// dialects, these functions register nothing.

#ifndef RING_INITTTMLIR_H
#define RING_INITTTMLIR_H

#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;

namespace ring {

/// The dialects of tt-mlir, with what its passes ask of them.
void registerTTMLIRDialects(DialectRegistry &registry);

/// The passes and pipelines of tt-mlir.
void registerTTMLIRPasses();

/// The translations of TTNN and TTMetal to flatbuffers; gives their flags.
std::vector<std::string> registerTTMLIRTranslations();

} // namespace ring
} // namespace mlir

#endif // RING_INITTTMLIR_H
