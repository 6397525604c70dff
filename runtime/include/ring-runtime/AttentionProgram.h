// SPDX-License-Identifier: Apache-2.0
//
// Device programs of distributed attention. A schedule says what a compiler
// decided: which rows of keys and values go where, and which of them a device
// meets in which step. From it follow, here and nowhere else, the counts that
// kernels wait for, the credits, the masks and all arguments.

#ifndef RING_RUNTIME_ATTENTIONPROGRAM_H
#define RING_RUNTIME_ATTENTIONPROGRAM_H

#include "ring-runtime/DeviceProgram.h"

#include "ring/Positions/Band.h"
#include "ring/Positions/SequenceLayout.h"

#include <array>
#include <optional>

namespace ring::rt {

/// Rows of tiles of every head.
struct RowRange {
  uint32_t first = 0;
  uint32_t count = 0;

  uint32_t end() const { return first + count; }
};

/// Rows of a store go to a store of the neighbour: ring.start_shift. Stores are
/// numbered alike on all devices; number 0 is a device's own shard.
struct RowTransfer {
  uint32_t from = 0;
  uint32_t to = 0;
  RowRange rows;      ///< in the store they come from
  uint32_t toRow = 0; ///< in the store they go to
  /// The arrival of the same direction that brought the rows; none for rows
  /// that were always there.
  std::optional<uint32_t> arrival;
};

/// Rows of a store, evenly spaced in the sequence, that a step reads.
struct RowPiece {
  uint32_t store = 0;
  RowRange rows;
  uint32_t valid = 0; ///< keys that are no padding, the first ones
  int64_t position = 0;
  int64_t stride = 1;
  /// The direction and number of the arrival that brought them: ring.wait.
  std::optional<std::pair<uint32_t, uint32_t>> arrival;
  /// Where a given mask has the first of them: its column of tiles.
  uint32_t maskColumn = 0;
};

/// Pieces that are met in one go: ring.accumulate.
struct AttentionStep {
  std::vector<RowPiece> pieces;
};

/// Rows of queries from `firstRow` on, evenly spaced in the sequence.
struct QueryRows {
  uint32_t firstRow = 0; ///< of tiles
  int64_t position = 0;
  int64_t stride = 1;
};

/// What one device does. Direction 0 sends to the next device of the ring,
/// direction 1 to the one before; what arrives is what the neighbour sends.
struct DeviceSchedule {
  std::array<std::vector<RowTransfer>, 2> sends;
  std::vector<AttentionStep> steps; ///< at least one
  std::vector<QueryRows> queries;   ///< at least one
};

struct AttentionSchedule {
  std::vector<uint32_t> storeRows; ///< rows of tiles of a head, by store
  positions::Band band;
  std::vector<DeviceSchedule> devices; ///< in the order of the ring
};

/// A ring, or what is left of it, as the compiler's strategies lay it out.
struct RingLayout {
  positions::SequenceLayout sequence; ///< padded to whole tiles on every rank
  int64_t length = 0;                 ///< without padding
  positions::Band band;
  bool bothDirections = true;
  uint32_t landingStores = 2; ///< of each direction
  /// Keys and queries beside the sequence that are on every device.
  int64_t jointLength = 0;
  /// Queries at these positions on every device, instead of shards: one for
  /// each tile row. Keys then stay where they are, and results are to be
  /// merged.
  std::vector<int64_t> replicatedQueries;
};

/// Shards go round as far as somebody sees them, and no further; only rows that
/// somebody sees travel. The shard across an even ring comes half from either
/// side.
Result<AttentionSchedule> ringSchedule(const RingLayout &layout);

/// A mask that is a tensor, added onto scaled scores: on every device the rows
/// of its queries, and a column for each key that it meets.
struct MaskSizes {
  bool perBatch = false; ///< else one for all
  bool perHead = false;  ///< else one for all heads
  bool perQuery = false; ///< else one row for all queries
  uint32_t columns = 1;  ///< of tiles
  /// Tiles of bf16 that add up to one of the mask: 1 for numbers of bf16, and 2
  /// for f32, of which 16 bits of the mantissa are kept.
  uint32_t parts = 1;
};

struct AttentionSizes {
  uint32_t batch = 1;
  uint32_t queryHeads = 1;
  uint32_t keyHeads = 1;
  uint32_t headDim = 32;
  uint32_t valueDim = 32;
  uint32_t queryRows = 1; ///< of tiles, of a head
  std::optional<MaskSizes> mask;
};

struct AttentionOptions {
  float scale = 1;
  bool sink = false;
  bool approximateExp = false;
  uint32_t queryChunk = 2;  ///< rows of tiles
  uint32_t keyChunk = 2;    ///< rows of tiles
  uint32_t cores = 1;       ///< that compute
  uint32_t gridColumns = 8; ///< cores of a row of the grid
  /// Whether cores that work on the same head of keys hand them on to each
  /// other, so that each is read from DRAM once for all of them. They have to
  /// meet all keys, so that it is without effect under a band.
  bool handOn = false;
  /// Of the outputs; parts that are merged afterwards keep more digits.
  TileFormat outputFormat = TileFormat::BF16;
  /// Tiles of a page of keys or values at most; as many as fit a packet if 0.
  /// Whoever makes the buffers may know pages of one tile alone.
  uint32_t mostPageTiles = 0;
  ComputeSettings compute;
  ChipLimits limits;
  /// Where states are between steps; nothing: in L1 if they fit.
  std::optional<bool> spill;
};

/// A program and the numbers of its buffers.
struct AttentionProgram {
  DeviceProgram program;
  uint32_t queries = 0;
  std::vector<uint32_t> keys, values; ///< by store
  uint32_t sinks = 0;                 ///< if there are any
  uint32_t mask = 0;                  ///< if there is one
  uint32_t outputs = 0;
  uint32_t logSums = 0;
};

Result<AttentionProgram> attentionProgram(const AttentionSchedule &schedule,
                                          const AttentionSizes &sizes,
                                          const AttentionOptions &options);

/// Proves that the counts and credits of that program are right for every
/// interleaving: nobody reads rows before they have landed or overwrites rows
/// that somebody still needs, and everything ends.
Status proveTransfers(const AttentionSchedule &schedule,
                      const AttentionSizes &sizes,
                      const AttentionOptions &options);

/// Whether a log-sum-exp is that of a row that saw no key, for which the
/// kernels leave about -2^66 times the scale.
bool isEmptyLogSum(float logSum, float scale);

/// Rows x columns numbers, row by row, as tiles row by row; what is missing to
/// whole tiles is 0.
void writeTiles(const float *numbers, uint32_t rows, uint32_t columns,
                TileFormat format, uint8_t *tiles);
void readTiles(const uint8_t *tiles, uint32_t rows, uint32_t columns,
               TileFormat format, float *numbers);

/// Rows x columns numbers of a mask as pages of `parts` tiles each; one row is
/// repeated for all queries of a row of tiles. What is below -2^64 times the
/// scale, -inf first of all, becomes the finite number that hides a key.
void writeMaskTiles(const float *numbers, uint32_t rows, uint32_t columns,
                    uint32_t parts, float scale, uint8_t *pages);

/// The two tiles that a head's sink starts with: a reference that the device
/// holds exactly, and the weight of the sink relative to it.
void writeSinkTiles(float sink, float scale, uint8_t *tiles);

} // namespace ring::rt

#endif // RING_RUNTIME_ATTENTIONPROGRAM_H
