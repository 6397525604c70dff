// SPDX-License-Identifier: Apache-2.0
// The parameters of the device ops behind the fused forms, as attributes of the
// composites that stand for them. The description of ring-outline-fused lists
// them.

#ifndef RING_LIB_TRANSFORMS_FUSEDPARAMETERS_H
#define RING_LIB_TRANSFORMS_FUSEDPARAMETERS_H

#include "ring/Analysis/AttentionTraits.h"

namespace mlir::ring {

/// Those of an attention that `plan` fuses, for the operands that one device
/// has.
DictionaryAttr fusedParameters(const AttentionTraits &traits, PlanAttr plan,
                               float scale, ValueRange operands);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_FUSEDPARAMETERS_H
