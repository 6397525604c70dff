// SPDX-License-Identifier: Apache-2.0
// Registration of the passes that a ring tool runs.

#include "ring/InitAll.h"
#include "ring/Conversion/Passes.h"
#ifdef RING_HAS_LAUNCHES
#include "ring/Conversion/Launch/Passes.h"
#endif
#include "ring/Pipelines/Pipelines.h"
#include "ring/Transforms/Passes.h"

namespace mlir::ring {

void registerRingPasses() {
  registerRingConversionPasses();
#ifdef RING_HAS_LAUNCHES
  registerRingLaunchPasses();
#endif
  registerRingTransformsPasses();
  registerRingPipelines();
}

} // namespace mlir::ring
