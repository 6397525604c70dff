// SPDX-License-Identifier: Apache-2.0
// What was planned, as JSON.

#ifndef RING_CAPI_PLANSTEXT_H
#define RING_CAPI_PLANSTEXT_H

#include "ring/Planner/AttentionPlanner.h"

#include <string>

namespace mlir::ring {

/// A list of the attentions, each with all that the planner had to choose from.
std::string plansText(ArrayRef<PlannedAttention> planned);

} // namespace mlir::ring

#endif // RING_CAPI_PLANSTEXT_H
