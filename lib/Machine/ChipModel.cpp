// SPDX-License-Identifier: Apache-2.0
//
// The chip model: lanes that work beside each other, of which the longest
// counts. Worked example, one step of Wan 2.2 on a ring of 8 Blackhole chips
// with chunks of 288 x 512 on 110 cores. 9472 queries are 33 chunks, times 10
// heads 330, three a core; each meets 296 columns of tiles in 19 chunks of
// keys. A column takes 9 x (1.3 x 4 + 4) tile products of 33.6 cycles, a chunk
// of keys 9 x (4 x 88 + 309) + 1270 cycles beside them: 961 000 cycles for a
// chunk of queries. Its keys and values, 4.8 MB handed on at 12.8 bytes a
// cycle, take 379 000 meanwhile.

#include "ring/Machine/ChipModel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ring::machine {

namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
double real(int64_t value) { return static_cast<double>(value); }

int64_t tiles(int64_t size) { return ceilDiv(size, kTileSide); }

/// What an op that is no attention costs before it has done anything.
double launchSeconds(const Chip &chip) {
  return chip.launchCycles / chip.clock;
}

/// Few queries are one row of tiles, and then the keys are dealt over cores.
constexpr int64_t kDecodeQueries = 32;
constexpr int64_t kMostCoresPerHead = 16;

// What tt-metal's kernels were measured to take, by its performance counters
// on Blackhole (tt-metal #55760, #56691).
constexpr double kProductOverhead = 1.049; ///< of every tile product
/// Cycles of a row of tiles for every chunk of keys: 74 and 0.957 of a tile
/// product at the start of products, 204 for the statistics.
constexpr double kRowCycles = 74 + 204, kRowProducts = 0.957;
/// A tile of exponentials in kernels that cannot let the packer cut negative
/// ones off (tt-llk #1190).
constexpr double kOlderExpCycles = 104.5;
/// Bytes that a core which reads its own keys gets per cycle, at most: it has
/// four reads under way.
constexpr double kOwnReadBytes = 4.12;

// What was fitted; docs/MachineModel.md says on which figures.
/// Products with keys, which are turned round on their way in.
constexpr double kKeyProduct = 1.3;
/// Bytes per cycle at which cores hand keys on.
constexpr double kHandOnBytes = 12.8;
/// Operations on a tile that rescale a tile of the output: a product, a sum.
constexpr double kRescaleOperations = 2;
/// Cores that read for themselves are not served alike, so that computing and
/// reading hide each other less the nearer they are in length: the root of the
/// sum of these powers counts, not the longest.
constexpr double kOwnReadPower = 4;

/// Share of the DRAM's bandwidth that pages of a tile get; small ones are held
/// up by the number of requests.
double pageShare(double tileBytes) {
  if (tileBytes <= kBfp4TileBytes)
    return 0.64;
  return tileBytes <= kBfp8TileBytes ? 0.918 : 1;
}

/// Whether every core reads its own keys and values.
bool readsOwnKeys(const AttentionCall &call) {
  return call.kernel == AttentionKernel::Distributed || isDecode(call);
}

/// Of few queries those of all heads that share keys are rows of one tile.
void packHeads(AttentionCall &call) {
  int64_t group = call.keyHeads > 0 ? call.heads / call.keyHeads : 1;
  if (group > 1 && call.queries * group <= kDecodeQueries) {
    call.heads = call.keyHeads;
    call.queries *= group;
  }
}

/// How the chunks of a call are dealt over the cores: in rounds, of which the
/// last may leave cores idle.
struct Deal {
  int64_t cores;       ///< at work on the chip
  int64_t queryChunks; ///< of one head
  double keyChunks;    ///< met by an average chunk of queries
  double keyTiles;     ///< columns of tiles in them
  struct Round {
    double chunks; ///< chunks of average length that a core works on
    int64_t cores; ///< that have any
  };
  std::vector<Round> rounds; ///< equal ones are one
  double slots = 0;          ///< chunks of average length on the busiest core
  int64_t most = 0;          ///< chunks of queries on the busiest core
  int64_t active = 0;        ///< cores that have a chunk
  int64_t keySplit = 1;      ///< cores that share the keys of one chunk

  void add(double chunks, int64_t onCores) {
    if (chunks <= 0 || onCores <= 0)
      return;
    rounds.push_back({chunks, onCores});
    slots += chunks;
  }
};

/// Share of the keys that an average chunk of queries meets. A chunk that a
/// border crosses is computed whole: queries lie half a chunk before its end,
/// and their keys end anywhere in a chunk that the sizes' common divisor
/// leaves. Worked example, a triangle with q = k: the chunks meet 1, 2, ... n
/// chunks of keys, (n + 1) / 2 in the mean.
double shareMet(const AttentionCall &call) {
  int64_t q = call.queryChunk, k = call.keyChunk;
  double whole = real(q + k - std::gcd(q, k)) / 2 / real(call.keys);
  return std::min(1.0, call.pairs + call.borders * whole);
}

Deal deal(const Machine &machine, const AttentionCall &call) {
  Deal result;
  result.cores = call.cores > 0 ? call.cores : machine.chip.cores();
  result.queryChunks =
      ceilDiv(call.queries - call.jointQueries, call.queryChunk) +
      ceilDiv(call.jointQueries, call.queryChunk);
  int64_t allKeyChunks = ceilDiv(call.keys - call.jointKeys, call.keyChunk) +
                         ceilDiv(call.jointKeys, call.keyChunk);
  double met = shareMet(call);
  result.keyChunks = met * real(allKeyChunks);
  // Where cores read for themselves the last chunk is a whole one.
  result.keyTiles =
      met * real(readsOwnKeys(call) ? allKeyChunks * tiles(call.keyChunk)
                                    : tiles(call.keys - call.jointKeys) +
                                          tiles(call.jointKeys));

  int64_t chunks = call.batch * call.heads * result.queryChunks;
  result.most = ceilDiv(chunks, result.cores);
  result.active = std::min(chunks, result.cores);
  double longest = std::min(1.0, std::max(call.longestRow, met)) / met;
  if (call.kernel == AttentionKernel::Distributed && longest > 1) {
    // A long chunk and a short one go to a core together.
    int64_t pairs = ceilDiv(chunks, 2);
    result.add(2 * real(pairs / result.cores), result.cores);
    result.add(2, pairs % result.cores);
  } else {
    // A core takes a short chunk for every long one, so only an odd one left
    // over can be longer than the average.
    int64_t full = chunks / result.cores, rest = chunks % result.cores;
    double last = result.most % 2 == 1 ? longest : 1;
    result.add(real(full) + (rest == 0 ? last - 1 : 0), result.cores);
    result.add(last, rest);
  }
  if (isDecode(call)) {
    result.keySplit = std::clamp<int64_t>(
        result.cores / chunks, 1, std::min(kMostCoresPerHead, allKeyChunks));
    result.active *= result.keySplit;
  }
  return result;
}

/// What a core does with one chunk of queries and the keys that it meets.
struct ChunkWork {
  double products, exponentials, softmax; ///< cycles
  double bytes;                           ///< keys and values

  double cycles() const { return std::max(products, exponentials) + softmax; }
};

ChunkWork workOf(const Chip &chip, const AttentionCall &call,
                 const Deal &dealt) {
  double q = real(tiles(std::min(call.queryChunk, tiles(call.queries) * 32)));
  double d = real(tiles(call.keyDim)), v = real(tiles(call.valueDim));
  double product = chip.tileProductCycles[static_cast<size_t>(call.fidelity)];
  double columns = dealt.keyTiles / real(dealt.keySplit);
  double steps = dealt.keyChunks / real(dealt.keySplit);
  double operation = chip.tileOperationCycles;
  ChunkWork work;
  work.products =
      columns * q * (d * kKeyProduct + v) * product * kProductOverhead;
  work.exponentials = columns * q * chip.expCycles;
  // f32 tiles are twice as long to move, and their kernel computes older
  // exponentials, and not beside the products.
  if (call.f32Accumulation) {
    operation *= 2;
    work.products += columns * q * kOlderExpCycles;
  }
  work.softmax = steps * (q * (v * kRescaleOperations * operation + kRowCycles +
                               kRowProducts * product) +
                          chip.chunkCycles);
  work.bytes = columns * (d + (call.latentValues ? 0 : v)) * call.tileBytes;
  return work;
}

/// How keys and values come to cores.
struct Stream {
  double readers; ///< cores that read from DRAM
  double dram;    ///< bytes per second that each gets there
  double core;    ///< bytes per second that a core can take

  double rate() const { return std::min(dram, core); }
};

Stream streamOf(const Chip &chip, const AttentionCall &call, int64_t cores) {
  double dram = chip.dramBandwidth * pageShare(call.tileBytes);
  if (readsOwnKeys(call))
    return {real(cores), dram / real(cores), kOwnReadBytes * chip.clock};
  // One head of keys for all is read once for every row of cores, others once
  // for every head.
  int64_t readers = std::min(call.batch * call.heads, cores);
  if (call.keyHeads == 1)
    readers = std::min(readers, chip.gridRows);
  return {real(readers), dram / real(readers),
          std::min(kHandOnBytes * chip.clock, chip.nocBandwidth)};
}

} // namespace

bool isDecode(const AttentionCall &call) {
  return call.queries <= kDecodeQueries;
}

double usefulFlops(const AttentionCall &call) {
  return 2.0 * call.pairs * real(call.batch) * real(call.heads) *
         real(call.queries) * real(call.keys) *
         real(call.keyDim + call.valueDim);
}

void setPairs(AttentionCall &call, double pairs, int64_t most, double sloping,
              bool slides) {
  call.pairs = std::min(1.0, pairs / (real(call.queries) * real(call.keys)));
  if (call.pairs >= 1)
    return;
  call.longestRow = real(most) / real(call.keys);
  call.borders = slides && most < call.keys ? 2 : sloping / real(call.queries);
}

AttentionTime attentionTime(const Machine &machine,
                            const AttentionCall &original) {
  AttentionCall call = original;
  AttentionTime time;
  if (call.batch <= 0 || call.heads <= 0 || call.queries <= 0 ||
      call.keys <= 0 || call.pairs <= 0) {
    time.bound = "nothing to do";
    return time;
  }
  if (machine.processor)
    return processorTime(*machine.processor, call);
  packHeads(call);
  if (call.queryChunk <= 0 || call.keyChunk <= 0)
    chooseChunks(machine, call);

  const Chip &chip = machine.chip;
  Deal dealt = deal(machine, call);
  ChunkWork work = workOf(chip, call, dealt);
  time.productCycles = dealt.slots * work.products;
  time.expCycles = dealt.slots * work.exponentials;
  time.softmaxCycles = dealt.slots * work.softmax;
  double running = 0;
  bool dramBinds = false;
  for (const Deal::Round &round : dealt.rounds) {
    Stream stream = streamOf(chip, call, round.cores * dealt.keySplit);
    double compute = round.chunks * work.cycles() / chip.clock;
    double keys = round.chunks * work.bytes / stream.rate();
    time.computeSeconds += compute;
    time.streamSeconds += keys;
    dramBinds |= stream.dram < stream.core;
    double longer = std::max(compute, keys), shorter = std::min(compute, keys);
    running +=
        readsOwnKeys(call)
            ? longer * std::pow(1 + std::pow(shorter / longer, kOwnReadPower),
                                1 / kOwnReadPower)
            : longer;
  }

  double heads = real(call.batch * call.heads);
  double q = real(tiles(call.queryChunk)), k = real(tiles(call.keyChunk));
  double d = real(tiles(call.keyDim)), v = real(tiles(call.valueDim));
  double readers = streamOf(chip, call, dealt.active).readers;
  double passes = readsOwnKeys(call) ? heads * real(dealt.queryChunks)
                                     : real(dealt.most) * readers;
  double keyBytes =
      passes * work.bytes * (readsOwnKeys(call) ? real(dealt.keySplit) : 1);
  double queryTiles = heads * real(tiles(call.queries));
  double ownBytes = queryTiles * (d * call.tileBytes + v * kBf16TileBytes);
  if (call.carriesState)
    ownBytes += 2 * queryTiles * (v + 2) * kF32TileBytes;
  double maskBytes =
      call.mask ? heads * real(tiles(call.queries) * tiles(call.keys)) *
                      kBf16TileBytes
                : 0;
  time.dramBytes = keyBytes + ownBytes + maskBytes;
  time.dramSeconds = time.dramBytes / chip.dramBandwidth;

  // Nothing can be computed before every core has its first queries and keys.
  time.fillSeconds =
      launchSeconds(chip) +
      (real(dealt.active) / real(dealt.keySplit) * q * d + readers * k * d) *
          call.tileBytes / chip.dramBandwidth;
  running = std::max(running, time.dramSeconds - time.fillSeconds);
  time.seconds = time.fillSeconds + running;
  if (running == time.dramSeconds - time.fillSeconds ||
      (time.streamSeconds > time.computeSeconds && dramBinds))
    time.bound = "DRAM";
  else if (time.streamSeconds > time.computeSeconds)
    time.bound = "NoC";
  else
    time.bound =
        work.exponentials > work.products ? "exponentials" : "products";

  time.flops = usefulFlops(original);
  double computed = 2.0 * heads * real(dealt.queryChunks) * dealt.keyChunks *
                    real(call.queryChunk) * real(call.keyChunk) *
                    real(call.keyDim + call.valueDim);
  time.chunkWaste = std::max(0.0, 1 - usefulFlops(call) / computed);
  time.slotWaste =
      std::max(0.0, 1 - heads * real(dealt.queryChunks) * real(dealt.keySplit) /
                            (dealt.slots * real(dealt.cores)));
  time.keySplit = dealt.keySplit;
  time.l1Bytes = chip.l1Reserved + attentionBufferBytes(call, dealt.most);
  time.fits = time.l1Bytes <= chip.l1Bytes;
  time.utilisation = time.flops / (real(dealt.cores) * chip.clock *
                                   kUtilisationFlops * time.seconds);
  time.queryChunk = call.queryChunk;
  time.keyChunk = call.keyChunk;
  return time;
}

OpTime productTime(const Machine &machine, int64_t batch, int64_t m, int64_t k,
                   int64_t n, double bytes, Fidelity fidelity) {
  OpTime time;
  if (machine.processor) {
    const SharedProcessor &processor = *machine.processor;
    double flops = 2.0 * real(batch) * real(m) * real(k) * real(n);
    time.seconds =
        flops / (processor.peak * processor.attentionShare.back().share) +
        processor.instruction;
    time.bound = "products";
    return time;
  }
  const Chip &chip = machine.chip;
  int64_t outputs = batch * tiles(m) * tiles(n);
  double perCore = real(ceilDiv(outputs, chip.cores())) * real(tiles(k));
  double compute = perCore *
                   chip.tileProductCycles[static_cast<size_t>(fidelity)] /
                   chip.productEfficiency / chip.clock;
  time.dramSeconds = bytes / chip.dramBandwidth;
  time.seconds = std::max(compute, time.dramSeconds) + launchSeconds(chip);
  time.bound = compute > time.dramSeconds ? "products" : "DRAM";
  return time;
}

OpTime elementwiseTime(const Machine &machine, double flops, double bytes) {
  OpTime time = moveTime(machine, bytes);
  if (machine.processor) {
    time.seconds = std::max(time.seconds, flops / machine.processor->peak +
                                              machine.processor->instruction);
    return time;
  }
  const Chip &chip = machine.chip;
  double compute = flops / (kTileSide * kTileSide) * chip.tileOperationCycles /
                   (real(chip.cores()) * chip.clock);
  if (compute > time.dramSeconds) {
    time.seconds = compute + launchSeconds(chip);
    time.bound = "vector unit";
  }
  return time;
}

OpTime moveTime(const Machine &machine, double bytes) {
  OpTime time;
  time.bound = "DRAM";
  if (machine.processor) {
    // A copy reads and writes, and so does the figure of copies.
    time.seconds = bytes / 2 / machine.processor->copyBandwidth +
                   machine.processor->instruction;
    return time;
  }
  time.dramSeconds = bytes / machine.chip.dramBandwidth;
  time.seconds = time.dramSeconds + launchSeconds(machine.chip);
  return time;
}

} // namespace ring::machine
