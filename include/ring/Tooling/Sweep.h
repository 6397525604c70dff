// SPDX-License-Identifier: Apache-2.0
// An attention planned over and over, with other numbers of tokens and devices:
// how long would it take, and on how much of the machine?

#ifndef RING_TOOLING_SWEEP_H
#define RING_TOOLING_SWEEP_H

#include "ring-runtime/Report.h"
#include "ring/Planner/PlanSearch.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>

namespace mlir::ring {

/// `number` from an eighth to eight times of it; halves only while they are
/// whole.
SmallVector<int64_t> doublings(int64_t number);

/// Pairs of a query and a key, a pattern or not: what is large by it takes
/// long.
double pairsOf(const AttentionTraits &traits);

/// `traits` with another number of keys, and of queries in proportion unless it
/// decodes.
AttentionTraits withTokens(const AttentionTraits &traits, int64_t tokens);

/// Why an attention cannot have another number of tokens; empty if it can.
std::string fixedLengthOf(const AttentionTraits &traits);

/// What is varied. Nothing: doublings round the file's own tokens, and of
/// devices up to all that the machine has.
struct SweepRanges {
  std::vector<int64_t> tokens;
  std::vector<int64_t> devices;
};

/// Reads "tokens=4k..1M", "devices=2..32", "tokens=4k..64k+4k" or
/// "tokens=4k,64k" into `ranges`; the error that comes back is empty on
/// success. k and M count by 1024; a range doubles unless it says by how much
/// it grows.
std::string readSweepRange(StringRef text, SweepRanges &ranges);

/// What is planned: an attention, and the axes that its annotation names.
struct SweepSubject {
  AttentionTraits traits;
  int64_t sequence = 0; ///< mesh axis
  std::optional<int64_t> heads;
  std::vector<int64_t> mesh;
  PlanRequest request; ///< at every point
  MLIRContext *context = nullptr;
};

/// One point: the best plan of all meshes of that many devices.
struct SweepPoint {
  int64_t tokens = 0;
  int64_t devices = 0;
  PlannerMachine machine; ///< with the mesh that was best
  std::optional<PlanCandidate> best;
  std::string error; ///< why there is none
};

class Sweep {
public:
  /// Fills in what `ranges` leave open.
  Sweep(SweepSubject subject, PlannerMachine machine, SweepRanges ranges);

  /// Why the ranges cannot be had; empty if they can.
  std::string check() const;
  /// Plans every point; `progress` is told how many are done.
  void run(const std::function<void(size_t done, size_t all)> &progress);

  void printTable(llvm::raw_ostream &out) const;
  void printCsv(llvm::raw_ostream &out) const;
  /// The table, time over tokens and time over devices.
  void addTo(::ring::rt::Report &report) const;

private:
  SweepPoint plan(int64_t tokens, int64_t devices) const;
  std::vector<std::vector<int64_t>> meshesOf(int64_t devices) const;

  SweepSubject subject;
  PlannerMachine machine;
  SweepRanges ranges;
  std::vector<SweepPoint> points;
};

} // namespace mlir::ring

#endif // RING_TOOLING_SWEEP_H
