// SPDX-License-Identifier: Apache-2.0
// A build against a real tt-mlir has all of it.

#include "mlir/IR/DialectRegistry.h"
#include "ring/InitTTMLIR.h"
#include "ttmlir/RegisterAll.h"

// No header of tt-mlir declares its translations.
namespace mlir::tt {
namespace ttnn {
void registerTTNNToFlatbuffer();
} // namespace ttnn
namespace ttmetal {
void registerTTMetalToFlatbuffer();
} // namespace ttmetal
} // namespace mlir::tt

namespace mlir::ring {

void registerTTMLIRDialects(DialectRegistry &registry) {
  tt::registerAllDialects(registry);
  tt::registerAllExtensions(registry);
}

void registerTTMLIRPasses() { tt::registerAllPasses(); }

std::vector<std::string> registerTTMLIRTranslations() {
  tt::ttnn::registerTTNNToFlatbuffer();
  tt::ttmetal::registerTTMetalToFlatbuffer();
  return {"ttnn-to-flatbuffer", "ttmetal-to-flatbuffer"};
}

} // namespace mlir::ring
