// SPDX-License-Identifier: Apache-2.0
//
// Attentions as device programs, run on the tile machine or on whatever else
// runs such programs, and held against a reference that is written here from
// the definition, in double precision, on whole tensors.

#ifndef RING_TEST_TILE_ATTENTIONRUN_H
#define RING_TEST_TILE_ATTENTIONRUN_H

#include "ring-runtime/AttentionProgram.h"
#include "ring-runtime/Judgement.h"
#include "ring-runtime/TileMachine.h"

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace ring::test {

/// A mask of [batch or 1, heads or 1, queries or 1, keys].
struct MaskCase {
  bool perBatch = false, perHead = false, perQuery = true;
  bool wide = false;    ///< f32, else bf16
  double magnitude = 1; ///< of the numbers that are added
  double hidden = 0.2;  ///< share of them that hides a key
  /// What hides it: the least number of some type does too.
  float hides = -std::numeric_limits<float>::infinity();
  int64_t emptyRows = 0; ///< every so many rows one sees nothing; 0: none
};

struct AttentionCase {
  uint32_t devices = 1;
  int64_t length = 64;
  positions::LayoutKind layout = positions::LayoutKind::Contiguous;
  positions::Band band;
  bool bothDirections = true;
  uint32_t landingStores = 2;
  int64_t jointLength = 0;
  rt::AttentionSizes sizes; ///< rows of queries follow from the rest
  rt::AttentionOptions options;
  bool ownScale = true; ///< 1 / sqrt(headDim), not that of the options
  double magnitude = 1; ///< of the queries
  std::vector<int64_t> replicatedQueries;
  std::optional<MaskCase> mask; ///< of layouts whose parts lie side by side
};

/// Whole tensors: rows x dim for each head of each batch.
struct AttentionData {
  std::vector<float> queries, keys, values;
  std::vector<float> jointQueries, jointKeys, jointValues;
  std::vector<float> sinks; ///< one for each query head
  std::vector<float> mask;
};

struct AttentionNumbers {
  std::vector<double> outputs, logSums;
};

/// What is to be said of an attention's results.
struct AttentionJudgement {
  rt::Judgement outputs, logSums;

  /// Empty, or what is wrong.
  std::string fault() const;
};

/// Runs a program on memory whose inputs are written, and gives what went
/// wrong.
using Executor = std::function<std::string(
    const rt::DeviceProgram &program, rt::MeshMemory &memory,
    const std::vector<uint32_t> &inputs)>;

/// An attention that is set up, ready to run any number of times.
class AttentionRun {
public:
  explicit AttentionRun(const AttentionCase &what, uint32_t dataSeed = 1);

  /// Empty, or why there is no program.
  const std::string &refusal() const { return noProgram; }
  rt::AttentionProgram &program() { return built; }
  AttentionData &data() { return numbers; }
  rt::ChipLimits &limits() { return what.options.limits; }

  /// Runs and gives what went wrong: a fault, or a result that is not right.
  std::string run(uint64_t seed, uint32_t launches = 1,
                  rt::KernelTable kernels = {});
  /// The fault alone.
  rt::TileResult execute(uint64_t seed, uint32_t launches = 1,
                         rt::KernelTable kernels = {});
  /// The same on what else runs programs.
  std::string runOn(const Executor &executor);

  /// Writes the inputs, for who runs the program by itself; results are
  /// expected in the same memory.
  rt::MeshMemory &prepare();
  std::vector<uint32_t> inputs() const;

  /// How right the last run's numbers are.
  AttentionJudgement judge() const;
  AttentionNumbers reference() const;
  /// Of one device, replicated queries.
  AttentionNumbers partOf(uint32_t device) const;
  AttentionNumbers found() const;

private:
  std::vector<std::vector<int64_t>> shardPositions() const;
  void fill(rt::MeshMemory &memory) const;
  void drawMask(uint32_t dataSeed);
  void fillMask(const std::vector<int64_t> &queryPlaces,
                rt::PageBytes &pages) const;
  /// The number that is added to a score.
  double maskAt(int64_t head, int64_t query, int64_t key) const;
  int64_t queryLength() const {
    return what.replicatedQueries.empty()
               ? what.length
               : 32 * int64_t(what.replicatedQueries.size());
  }
  int64_t paddedLength() const;
  uint32_t jointRows() const {
    return static_cast<uint32_t>((what.jointLength + 31) / 32);
  }

  AttentionCase what;
  AttentionData numbers;
  rt::AttentionProgram built;
  rt::MeshMemory memory;
  std::string noProgram;
};

/// Runs on the tile machine.
Executor onTiles(uint64_t seed);

/// Runs attentions of one shape, with numbers of their own, next to each other
/// on a mesh: attention a on the devices `groups[a]`.
std::string runSideBySide(const std::vector<AttentionRun *> &attentions,
                          const std::vector<std::vector<uint32_t>> &groups,
                          uint32_t devices, const Executor &executor);

/// Runs a case with several seeds; the first complaint, or nothing.
std::string runCase(const AttentionCase &what, uint32_t seeds = 0);

/// How many seeds a case is run with: RING_TILE_SEEDS, or a few.
uint32_t seedsOfACase();

} // namespace ring::test

#endif // RING_TEST_TILE_ATTENTIONRUN_H
