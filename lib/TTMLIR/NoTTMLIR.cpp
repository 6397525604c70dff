// SPDX-License-Identifier: Apache-2.0
// A build against our subset of the TT dialects has nothing of tt-mlir.

#include "ring/InitTTMLIR.h"

namespace mlir::ring {

void registerTTMLIRDialects(DialectRegistry &) {}
void registerTTMLIRPasses() {}
std::vector<std::string> registerTTMLIRTranslations() { return {}; }

} // namespace mlir::ring
