// SPDX-License-Identifier: Apache-2.0
// What a search has found, in words: one line for the remark, a table for who
// wants to see everything.

#ifndef RING_PLANNER_PLANREPORT_H
#define RING_PLANNER_PLANREPORT_H

#include "ring/Machine/Bytes.h"
#include "ring/Planner/PlanSearch.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ring {

using ::ring::machine::formatBytes;

/// "17.1 ms", "23.4 us".
std::string formatSeconds(double seconds);

/// "zigzag ring, both directions, q288 k512".
std::string describe(const PlanCandidate &candidate);

/// The choice, its time and those of the runners-up, one of each strategy:
/// "zigzag ring, both directions, q288 k512: 17.1 ms, 71 % (all_gather 19.0,
/// ulysses 24.8, replicate 136); predicted by chip model 1 ...".
std::string summarise(const PlanSearchResult &result,
                      const PlannerMachine &machine);

/// All candidates with their predicted cost, then those that cannot be used
/// with the reason.
void printTable(llvm::raw_ostream &out, const PlanSearchResult &result,
                const PlannerMachine &machine);

} // namespace mlir::ring

#endif // RING_PLANNER_PLANREPORT_H
