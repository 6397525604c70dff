// SPDX-License-Identifier: Apache-2.0
// The strategies there are: one entry each, which everybody who chooses, checks
// or writes one out reads.

#ifndef RING_STRATEGIES_STRATEGIES_H
#define RING_STRATEGIES_STRATEGIES_H

#include "ring/Analysis/AttentionTraits.h"

namespace mlir::ring {

class ShardedAttention;

/// Why something cannot be done: lower case, what was expected and what was
/// found. Nothing if it can.
using Refusal = std::optional<std::string>;

/// A strategy, and what of an attention it can carry out.
struct StrategyInfo {
  Strategy strategy;
  /// Adds parts until every key is in.
  void (*build)(ShardedAttention &attention);
  /// Rules of its own, besides what the features below say.
  Refusal (*refuse)(const AttentionTraits &traits, PlanAttr plan) = nullptr;

  /// Every device has its share of the queries rather than all of them.
  bool splitsQueries = true;
  /// Keys go round a ring, one way or both.
  bool goesRound = false;
  /// Queries go round, and what comes of them goes back.
  bool passesQueries = false;
  /// The layout decides how even the work under a pattern is.
  bool balancesByLayout = false;
  /// It trades rows for heads, joint tokens and the sink among them, and so
  /// begins by itself.
  bool tradesHeads = false;

  /// New queries over a longer cache, dense or paged; and one that is dealt
  /// out.
  bool takesStart = false;
  bool takesDealtCache = false;
  /// Documents whose ends only the running program knows.
  bool takesLateDocuments = false;
  bool takesJointShares = false;
  bool takesDilation = false;
  bool takesDocuments = false;
  /// It computes queries that were dealt anew, wherever their keys are.
  bool takesBalance = false;
  bool hasGradients = false;
  /// A device op does the same in one call.
  bool hasDeviceOp = false;
};

/// All of them, in the order in which the planner tries them.
ArrayRef<StrategyInfo> allStrategies();
const StrategyInfo &infoOf(Strategy strategy);

/// Why `plan` cannot compute an attention with these traits.
Refusal refusalOf(const AttentionTraits &traits, PlanAttr plan);

} // namespace mlir::ring

#endif // RING_STRATEGIES_STRATEGIES_H
