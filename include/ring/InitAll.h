// SPDX-License-Identifier: Apache-2.0
// One place that knows every dialect and pass of the project; each tool that
// runs passes registers through here.

#ifndef RING_INITALL_H
#define RING_INITALL_H

#include "ring/InitDialects.h"

namespace mlir::ring {

/// All passes and pipelines of the project.
void registerRingPasses();

} // namespace mlir::ring

#endif // RING_INITALL_H
