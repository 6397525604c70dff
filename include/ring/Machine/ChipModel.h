// SPDX-License-Identifier: Apache-2.0
//
// How long a chip computes. Attention is a flash loop over chunks of queries
// and keys on a grid of cores; everything else is bound by operations or by
// DRAM. The formulas are in docs/MachineModel.md.

#ifndef RING_MACHINE_CHIPMODEL_H
#define RING_MACHINE_CHIPMODEL_H

#include "ring/Machine/Machine.h"

#include <tuple>

namespace ring::machine {

/// Bytes of a tile of 1024 numbers.
constexpr double kBf16TileBytes = 2048;
constexpr double kF32TileBytes = 4096;
constexpr double kBfp8TileBytes = 1088;
constexpr double kBfp4TileBytes = 576;

/// The kernels, by what they keep in L1 and how keys come to a core. ring_joint
/// reads them once for all cores that need them, which hand them on; all blocks
/// of a ring are taken to be computed like that. ring_distributed is one call
/// over keys that are there, and every core of it reads its own.
enum class AttentionKernel { Ring, Distributed };

/// One attention on one chip. Example: Wan 2.2 on a ring of 8 has 10 heads and
/// 9472 tokens a chip, so one step is {heads = 10, queries = 9472,
/// keys = 9472, keyDim = 128, valueDim = 128}.
struct AttentionCall {
  int64_t batch = 1;
  int64_t heads = 1;
  int64_t keyHeads = 0; ///< heads of keys and values; 0: as many as `heads`
  int64_t queries = 0;
  int64_t keys = 0;
  /// Of the queries and of the keys those that are joint tokens: they come in
  /// chunks of their own.
  int64_t jointQueries = 0;
  int64_t jointKeys = 0;
  int64_t keyDim = 0;
  int64_t valueDim = 0;
  /// Whether values are the first columns of the keys, which then come alone.
  bool latentValues = false;
  /// Share of the pairs of a query and a key that count: 1 without a pattern,
  /// 0.5 on a causal diagonal.
  double pairs = 1;
  /// Borders between what counts and what does not that lie aslant in a chunk:
  /// 0 without a pattern, 1 on a causal diagonal, 2 for a window. Where only
  /// some rows have one, their share.
  double borders = 0;
  /// Share of the keys that the longest chunk of queries meets. 0: all chunks
  /// are alike. 1 on a causal triangle.
  double longestRow = 0;
  bool mask = false; ///< an additive mask is read from DRAM
  /// Bytes of a tile of queries, keys and values.
  double tileBytes = kBf16TileBytes;
  int64_t queryChunk = 0; ///< rows; 0: what chooseChunks says
  int64_t keyChunk = 0;
  int64_t cores = 0; ///< 0: all of the chip
  Fidelity fidelity = Fidelity::HiFi2;
  bool f32Accumulation = false;
  AttentionKernel kernel = AttentionKernel::Ring;
  /// Bytes of L1 that no chunk decides: tiles of masks, a sink, a page table.
  int64_t fixedL1Bytes = 0;
  /// Whether the running (output, maximum, sum) of an earlier step is read and
  /// a later one's written, in f32, as every step of an explicit ring does.
  bool carriesState = false;
  /// Whether a shared processor packs the keys for this block alone. The shards
  /// of a ring are packed once, by whoever meets them first.
  bool packsKeys = true;

  /// All of it, to be compared.
  auto key() const {
    return std::make_tuple(batch, heads, keyHeads, queries, keys, jointQueries,
                           jointKeys, keyDim, valueDim, latentValues, pairs,
                           borders, longestRow, mask, tileBytes, queryChunk,
                           keyChunk, cores, fidelity, f32Accumulation, kernel,
                           fixedL1Bytes, carriesState, packsKeys);
  }
};

/// How long an attention takes, and why.
struct AttentionTime {
  double seconds = 0;
  double productCycles = 0; ///< of the busiest core, in products
  double expCycles = 0;     ///< of the busiest core, beside the products
  /// Of the busiest core for rescaling, statistics and between chunks, hidden
  /// by nothing.
  double softmaxCycles = 0;
  double computeSeconds = 0; ///< of the busiest core
  double streamSeconds = 0;  ///< until it has its keys and values
  /// The launch, and the first queries and keys: before the first product.
  double fillSeconds = 0;
  double dramBytes = 0;
  double dramSeconds = 0;
  double chunkWaste = 0; ///< share of the computed pairs that is rounding
  double slotWaste = 0;  ///< share of core slots that have no chunk
  /// Cores that share the keys of one chunk of queries, in decoding.
  int64_t keySplit = 1;
  int64_t l1Bytes = 0; ///< per core, with what is reserved
  bool fits = true;    ///< in L1
  /// tt-metal's definition: useful operations over cores * clock * 2048.
  double utilisation = 0;
  double flops = 0;       ///< useful operations
  const char *bound = ""; ///< what binds, in words
  int64_t queryChunk = 0;
  int64_t keyChunk = 0;
};

/// How long `call` takes on one chip of `machine`. A call without queries, keys
/// or pairs takes no time.
AttentionTime attentionTime(const Machine &machine, const AttentionCall &call);

/// How long a shared processor packs the keys of `call`.
double packSeconds(const SharedProcessor &processor, const AttentionCall &call);
/// The same as attentionTime, on a processor that devices share.
AttentionTime processorTime(const SharedProcessor &processor,
                            const AttentionCall &call);

/// Whether a call has so few queries that they are one row of tiles, those of
/// all heads on the same keys together: its keys are dealt over the cores.
bool isDecode(const AttentionCall &call);

/// Useful operations of a call: pairs that count.
double usefulFlops(const AttentionCall &call);

/// Says how many of a call's pairs count, for one head of one batch entry: in
/// all, of the query that meets most keys, and how many queries meet a few more
/// or fewer than the one before. The rows of a window of full width, which
/// `slides`, all meet as many.
void setPairs(AttentionCall &call, double pairs, int64_t most, double sloping,
              bool slides);

/// Bytes of the circular buffers of a core that works on `rounds` chunks of
/// queries, one after the other. The chunks of the call are set.
int64_t attentionBufferBytes(const AttentionCall &call, int64_t rounds);
/// Bytes that ring_joint keeps for masks and a sink: a tile of -inf, one of the
/// diagonal, and one for each length, of the keys and of the joint tokens, that
/// ends within a tile.
int64_t ringMaskBytes(bool causal, bool sink, int64_t length, int64_t joint);
/// Bytes that ring_distributed keeps for a table of `pages` pages.
int64_t pageTableBytes(int64_t pages);

/// The fastest chunks that fit into L1, of the sizes in use.
void chooseChunks(const Machine &machine, AttentionCall &call);

/// How long something else takes.
struct OpTime {
  double seconds = 0;
  double dramSeconds = 0;
  const char *bound = "";
};

/// A product [batch, m, k] x [batch, k, n].
OpTime productTime(const Machine &machine, int64_t batch, int64_t m, int64_t k,
                   int64_t n, double bytes,
                   Fidelity fidelity = Fidelity::HiFi2);
/// Operations on the vector unit, reading and writing `bytes` of DRAM.
OpTime elementwiseTime(const Machine &machine, double flops, double bytes);
/// Reading and writing `bytes` of DRAM and nothing else.
OpTime moveTime(const Machine &machine, double bytes);

} // namespace ring::machine

#endif // RING_MACHINE_CHIPMODEL_H
