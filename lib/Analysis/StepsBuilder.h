// SPDX-License-Identifier: Apache-2.0
// What the steps of all strategies are made of: the sizes of a device's share,
// blocks by the positions that meet in them, and transfers.

#ifndef RING_LIB_ANALYSIS_STEPSBUILDER_H
#define RING_LIB_ANALYSIS_STEPSBUILDER_H

#include "ring/Analysis/StrategySteps.h"

#include <map>
#include <tuple>

namespace mlir::ring {

/// Bytes of an f32 number: sums, states and gradients travel in it.
inline constexpr double kF32Bytes = 4;
/// Products of a block of gradients: scores again, their gradients, and those
/// of queries, keys and values, against two of an attention.
inline constexpr double kBackwardFactor = 5.0 / 2;

/// Number of a block in which no pair counts.
inline constexpr int32_t kNoBlock = -1;

/// Collects the steps of one attention.
class StepsBuilder {
public:
  StepsBuilder(const AttentionTraits &traits, PlanAttr plan,
               const StepsContext &context);

  const AttentionTraits &traits;
  PlanAttr plan;
  const StepsContext &context;
  StrategySteps result;

  //===--------------------------------------------------------------------===//
  // Sizes
  //===--------------------------------------------------------------------===//

  int64_t ranks;          ///< of the sequence
  int64_t heads, kvHeads; ///< of a device
  int64_t queries, keys;  ///< rows of a shard
  int64_t jointRows;      ///< joint tokens of a device
  double elementBytes;
  /// Which pairs are computed. Explicit blocks over pages have a mask, since
  /// their queries' positions may not be known, and compute all.
  Band band;

  /// Bytes of `rows` rows of all heads of a device.
  double queryBytes(int64_t rows) const;
  double outputBytes(int64_t rows) const;
  double keyBytes(int64_t rows) const; ///< keys and values
  /// The same in f32.
  double outputBytesF32(int64_t rows) const;
  double keyBytesF32(int64_t rows) const;

  //===--------------------------------------------------------------------===//
  // Blocks
  //===--------------------------------------------------------------------===//

  /// An attention of the device's heads without a pattern; `carries` a state in
  /// and out as the parts of an explicit program do.
  machine::AttentionCall call(int64_t queries, int64_t keys) const;
  /// The block of these positions, counting joint queries. Ranges of which no
  /// pair counts are left out.
  int32_t block(ArrayRef<PositionRange> queries, ArrayRef<PositionRange> keys);
  /// The block of all joint keys with a device's queries.
  int32_t jointBlock(int64_t queries);
  /// Remembers a block; equal ones have the same number.
  int32_t add(const machine::AttentionCall &call);

  /// Each rank's block with the keys of the rank `source` further, over `ranks`
  /// shards of the sequence; one entry where all are alike.
  std::vector<int32_t> blocksFrom(int64_t source, int64_t ranks);
  /// The same with the keys of any rank, by the own one.
  std::vector<int32_t>
  blocksWith(llvm::function_ref<int64_t(int64_t)> rankOfKeys, int64_t ranks);
  /// Each rank's block with all keys.
  std::vector<int32_t> blocksWithAllKeys();

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  /// A new step at the end.
  StrategyStep &step() { return result.steps.emplace_back(); }
  /// Adds a block for each rank to a step.
  static void compute(StrategyStep &step, ArrayRef<int32_t> byRank);

  machine::StepTransfer shift(double bytes, int64_t hops) const;
  /// Whether ranks get only the keys of ranks before them.
  bool ringIsOpen() const { return opensRing(traits, plan); }
  machine::StepTransfer collective(machine::StepTransfer::Kind kind,
                                   double bytes, size_t axis = 0) const;
  /// A collective whose rows attention reads, or whose result leaves the
  /// devices: without a copy where `inPlace`.
  machine::StepTransfer exchange(machine::StepTransfer::Kind kind, double bytes,
                                 bool inPlace, size_t axis = 0) const;
  /// Whether devices that share a processor have shards of one tensor in its
  /// memory, so that what they gather or trade lies there row by row, too. What
  /// is a device's own or has padding does not.
  bool shardsLieTogether() const;
  /// The axis of `size` neighbours within the sequence's, as a line.
  size_t neighbours(int64_t size);
  /// What the plan's heads axis is among the result's axes.
  size_t headsAxis() const { return 1; }

  /// Merging a part of `rows` rows into another: both are read, one written.
  double mergeSeconds(int64_t rows) const;

  /// Copying `bytes` within a device.
  double copySeconds(double bytes) const;
  /// Packing keys, which devices that share a processor do before they meet
  /// them.
  double packSeconds(int64_t keyRows) const;

  /// Every block reads a state of `queryRows` rows and writes one. A shared
  /// processor makes it in step `first` and the result of it in the last one.
  void carryState(size_t first, int64_t queryRows);
  /// Every shard of `keyRows` is packed once, by who starts with it in step
  /// `first`, whoever meets it later.
  void packOnce(size_t first, int64_t keyRows);

  /// Sharded inputs that must first be dealt anew, and the output back.
  void dealInputs();
  void dealOutput();

  /// What every ring has beside its steps, which begin at `first`: joint tokens
  /// with the first block, a state, keys packed once, and memory for as many
  /// `shards` of keys as travel, and its own.
  void finishRing(size_t first, int64_t shards);

private:
  int32_t blockOf(int64_t own, int64_t from, int64_t ranks);
  Positions positionsOf(int64_t rank, int64_t ranks, int64_t length) const;

  int64_t queryLength, keyLength; ///< of the padded sequence
  int64_t firstQuery = 0;         ///< its position, over a paged cache
  std::map<std::tuple<int64_t, int64_t, int64_t>, int32_t> known;
};

/// The steps of the strategies, one function a file's notion.
void addGatheredSteps(StepsBuilder &builder);
void addReplicatedSteps(StepsBuilder &builder);
void addRingSteps(StepsBuilder &builder);
void addDoubleRingSteps(StepsBuilder &builder);
void addFusedRingSteps(StepsBuilder &builder);
void addHaloSteps(StepsBuilder &builder);
void addHeadTradeSteps(StepsBuilder &builder);
void addSplitKVSteps(StepsBuilder &builder);
void addBackwardSteps(StepsBuilder &builder);
void addDilatedSteps(StepsBuilder &builder);

} // namespace mlir::ring

#endif // RING_LIB_ANALYSIS_STEPSBUILDER_H
