// SPDX-License-Identifier: Apache-2.0
// Registration of the passes that a ring tool runs.

#include "ring/InitAll.h"
#include "ring/Conversion/Passes.h"
#include "ring/Pipelines/Pipelines.h"
#include "ring/Transforms/Passes.h"

namespace mlir::ring {

void registerRingPasses() {
  registerRingConversionPasses();
  registerRingTransformsPasses();
  registerRingPipelines();
}

} // namespace mlir::ring
