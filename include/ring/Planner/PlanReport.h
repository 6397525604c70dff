// SPDX-License-Identifier: Apache-2.0
// What a search has found, in words: one line for the remark, a table for who
// wants to see everything.

#ifndef RING_PLANNER_PLANREPORT_H
#define RING_PLANNER_PLANREPORT_H

#include "ring/Machine/Bytes.h"
#include "ring/Machine/PredictionText.h"
#include "ring/Planner/PlanSearch.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ring {

using ::ring::machine::formatBytes;
using ::ring::machine::formatSeconds;

/// "zigzag ring, both directions, q288 k512".
std::string describe(const PlanCandidate &candidate);

/// The choice, its time and those of the runners-up, one of each strategy:
/// "ring_joint, q288 k512: 17.1 ms predicted (71 % math utilisation; transfers
/// hidden 100 %), +-3 % (all_gather 19.0 ms, ulysses 24.8 ms) on
/// blackhole-galaxy".
std::string summarise(const PlanSearchResult &result,
                      const PlannerMachine &machine);

/// All candidates with their predicted cost, then those that cannot be used
/// with the reason.
void printTable(llvm::raw_ostream &out, const PlanSearchResult &result,
                const PlannerMachine &machine);

} // namespace mlir::ring

#endif // RING_PLANNER_PLANREPORT_H
