// SPDX-License-Identifier: Apache-2.0
//
// Follows the instructions of a launch, for all ranks side by side: which rows
// of which store a tensor consists of, and which transfer brought them. Keys
// are followed; values go the same ways, which is checked first.

#ifndef RING_RUNTIME_LAUNCH_LAUNCHREADER_H
#define RING_RUNTIME_LAUNCH_LAUNCHREADER_H

#include "ring-runtime/LaunchDescription.h"

#include "Ops/OpTypes.h"

#include <map>

namespace ring::rt {

constexpr int64_t kTile = 32;

inline uint32_t tilesOf(int64_t rows) {
  return static_cast<uint32_t>((rows + kTile - 1) / kTile);
}

/// Where keys lie: an input of the launch or a buffer, and which part of the
/// buffer where both directions land in it.
using Origin = std::pair<int32_t, uint32_t>;

/// Rows of a tensor that lie side by side in one place.
struct StoredRows {
  Origin origin;
  int64_t first = 0;
  int64_t count = 0;
  /// The direction and number of the transfer that brought them.
  std::optional<std::pair<uint32_t, uint32_t>> arrival;
};

/// All rows of a tensor in their order; none if nothing was sent.
using TensorRows = std::vector<StoredRows>;

/// Some rows of a tensor.
TensorRows sliceOf(const TensorRows &tensor, int64_t first, int64_t count);

/// Rows of shards that all ranks get from the rank so many hops away.
struct Journey {
  int32_t input = kAbsent;
  uint32_t direction = 0;
  int64_t hops = 0;
  int64_t first = 0;
  int64_t count = 0;
};

class LaunchReader {
public:
  LaunchReader(const Program &program, const Composite &launch)
      : program(program), launch(launch) {}

  Result<LaunchDescription> read();

private:
  OpTypes typesOf(size_t instruction) const {
    return OpTypes(program, instruction);
  }
  const std::string &nameOf(size_t instruction) const {
    return program.instructions()[instruction].op;
  }
  /// The instruction of the launch that makes a value; nothing for its inputs.
  std::optional<size_t> makerOf(int32_t value) const {
    auto maker = makers.find(value);
    return maker == makers.end() ? std::nullopt
                                 : std::optional<size_t>(maker->second);
  }
  Status refuse(size_t instruction, const Status &why) const {
    return why.in(program.instructions()[instruction].location + ": " +
                  nameOf(instruction));
  }

  Status pairUp(int32_t keys, int32_t values);
  Status findRing();
  Status readOptions();
  Status follow(size_t instruction);
  Status followShift(const OpTypes &types, size_t key);
  Status followAllGather(const OpTypes &types);
  Status followGather(const OpTypes &types);
  Result<std::vector<StoredRows>> bring(const Journey &journey, Origin to,
                                        int64_t toRow);
  Status followAccumulate(const OpTypes &types);
  Result<int64_t> followMask(const OpTypes &types);
  Result<uint32_t> send(uint32_t sender, uint32_t direction,
                        const StoredRows &rows, Origin to, int64_t toRow);
  uint32_t storeOf(Origin origin, int64_t rows);
  uint32_t ranks() const {
    return static_cast<uint32_t>(result.rings[0].size());
  }

  const Program &program;
  const Composite &launch;
  LaunchDescription result;
  std::map<int32_t, size_t> makers;
  std::map<int32_t, int32_t> valuesOf; ///< by the keys beside them
  std::map<Origin, uint32_t> stores;
  /// By rank: the rows of keys, and what is under way by its token.
  std::vector<std::map<int32_t, TensorRows>> rowsOf, landing;
  std::vector<std::pair<Journey, std::vector<StoredRows>>> journeys;
  std::optional<MeshAxis> axis;
  std::optional<Band> band;
  std::optional<float> scale;
  bool attends = false; ///< whether there was an accumulate already
};

} // namespace ring::rt

#endif // RING_RUNTIME_LAUNCH_LAUNCHREADER_H
