// SPDX-License-Identifier: Apache-2.0
// Why a search found nothing, and what would have helped.

#ifndef RING_LIB_PLANNER_SEARCHFAILURE_H
#define RING_LIB_PLANNER_SEARCHFAILURE_H

#include "ring/Planner/PlanSearch.h"

namespace mlir::ring {

/// Writes the error of a result in which everything was rejected. Where memory
/// is short, of which a device has `limit` bytes, it says from how many devices
/// on it would do.
void explainFailure(const AttentionTraits &traits, const PlanPlace &place,
                    const PlanRequest &request, std::optional<int64_t> limit,
                    PlanSearchResult &result);

} // namespace mlir::ring

#endif // RING_LIB_PLANNER_SEARCHFAILURE_H
