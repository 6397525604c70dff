// SPDX-License-Identifier: Apache-2.0
//
// The chip model. Worked example, one step of Wan 2.2 on a ring of 8 Blackhole
// chips with chunks of 288 x 512 on 110 cores: 9472 queries are 33 chunks,
// times 10 heads 330, three a core. 9472 keys are 19 chunks, so a core works on
// 57 pairs of chunks. A pair has 9 x 16 tiles of scores; each takes 4 + 4 tile
// products of 32 cycles over an efficiency of 0.96. The softmax of a pair takes
// 2 x 9 x 16 + 2 x 9 x 4 + 6 x 9 = 414 operations on tiles.

#include "ring/Machine/ChipModel.h"

#include <algorithm>
#include <cmath>

namespace ring::machine {

namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
double real(int64_t value) { return static_cast<double>(value); }

int64_t tiles(int64_t size) { return ceilDiv(size, kTileSide); }

/// Few queries are one row of tiles, and then the keys are dealt over cores.
constexpr int64_t kDecodeQueries = 32;
constexpr int64_t kMostCoresPerHead = 16;

/// How the chunks of a call are dealt over the cores.
struct Deal {
  int64_t cores;       ///< at work on the chip
  int64_t queryChunks; ///< of one head
  double keyChunks;    ///< met by an average chunk of queries
  double slots;        ///< chunks of queries, weighted by their length, that
                       ///< the busiest core works on
  int64_t rounds;      ///< chunks of queries on the busiest core
  int64_t active;      ///< cores that have a chunk
  int64_t keySplit;    ///< cores that share the keys of one chunk of queries
};

Deal deal(const Machine &machine, const AttentionCall &call) {
  Deal result;
  result.cores = call.cores > 0 ? call.cores : machine.chip.cores();
  result.queryChunks =
      ceilDiv(call.queries - call.jointQueries, call.queryChunk) +
      ceilDiv(call.jointQueries, call.queryChunk);
  int64_t allKeyChunks = ceilDiv(call.keys - call.jointKeys, call.keyChunk) +
                         ceilDiv(call.jointKeys, call.keyChunk);
  // A chunk that a border crosses is computed whole. On average half a chunk
  // of queries and half a chunk of keys are computed too much.
  double met = std::min(
      1.0, call.pairs + call.borders * real(call.queryChunk + call.keyChunk) /
                            2 / real(call.keys));
  result.keyChunks = std::min(real(allKeyChunks), met * real(allKeyChunks));

  int64_t chunks = call.batch * call.heads * result.queryChunks;
  result.rounds = ceilDiv(chunks, result.cores);
  result.active = std::min(chunks, result.cores);
  // A core takes a short chunk for every long one, so only an odd one left
  // over can be longer than the average.
  double longest = std::min(1.0, std::max(call.longestRow, met));
  result.slots = real(result.rounds);
  if (result.rounds % 2 == 1)
    result.slots += longest / met - 1;

  result.keySplit = 1;
  if (call.queries <= kDecodeQueries) {
    result.keySplit = std::clamp<int64_t>(
        result.cores / chunks, 1, std::min(kMostCoresPerHead, allKeyChunks));
    result.active *= result.keySplit;
  }
  return result;
}

/// Operations on tiles of one pair of chunks: a maximum and a sum over every
/// tile of scores, a product and a sum for every tile of the output, and six
/// for the statistics of every row of tiles.
double softmaxOperations(double q, double k, double v) {
  return q * (2 * k + 2 * v + 6);
}

} // namespace

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
  if (call.queryChunk <= 0 || call.keyChunk <= 0)
    chooseChunks(machine, call);

  const Chip &chip = machine.chip;
  Deal work = deal(machine, call);
  double q = real(tiles(std::min(call.queryChunk, tiles(call.queries) * 32)));
  double k = real(tiles(call.keyChunk));
  double d = real(tiles(call.keyDim)), v = real(tiles(call.valueDim));
  double pairs = work.slots * work.keyChunks / real(work.keySplit);
  double scores = pairs * q * k; // tiles, on the busiest core

  double cyclesPerProduct =
      chip.tileProductCycles[static_cast<size_t>(call.fidelity)] /
      chip.productEfficiency;
  time.productCycles = scores * (d + v) * cyclesPerProduct;
  time.expCycles = scores * chip.expCycles;
  time.softmaxCycles =
      pairs * (softmaxOperations(q, k, v) * chip.tileOperationCycles +
               chip.chunkCycles);
  double besides = std::max(time.productCycles, time.expCycles);
  time.computeSeconds = (besides + time.softmaxCycles) / chip.clock;

  // Cores on the same head take its keys and values from one read, handed on
  // over the NoC; a head is read once in every round.
  double heads = real(call.batch * call.heads);
  double readers = std::min(heads, real(work.active));
  double chunkTiles = k * (d + v);
  double keyBytes = real(work.rounds) * readers * work.keyChunks * chunkTiles *
                    call.tileBytes;
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
  double nocSeconds = pairs * chunkTiles * call.tileBytes / chip.nocBandwidth;

  // Nothing can be computed before every core has its first queries and keys.
  time.fillSeconds =
      (real(work.active) / real(work.keySplit) * q * d + readers * k * d) *
      call.tileBytes / chip.dramBandwidth;
  double running = std::max(
      {time.computeSeconds, time.dramSeconds - time.fillSeconds, nocSeconds});
  time.seconds = time.fillSeconds + running;
  if (running == time.computeSeconds)
    time.bound =
        time.expCycles > time.productCycles ? "exponentials" : "products";
  else
    time.bound = running == nocSeconds ? "NoC" : "DRAM";

  time.flops = usefulFlops(call);
  double computed = 2.0 * heads * real(work.queryChunks) * work.keyChunks * q *
                    k * kTileSide * kTileSide *
                    real(call.keyDim + call.valueDim);
  time.chunkWaste = std::max(0.0, 1 - time.flops / computed);
  time.slotWaste =
      std::max(0.0, 1 - heads * real(work.queryChunks) * real(work.keySplit) /
                            (work.slots * real(work.cores)));
  time.l1Bytes = chip.l1Reserved + attentionBufferBytes(call, work.rounds);
  time.fits = time.l1Bytes <= chip.l1Bytes;
  time.utilisation = time.flops / (real(work.cores) * chip.clock *
                                   kUtilisationFlops * time.seconds);
  time.queryChunk = call.queryChunk;
  time.keyChunk = call.keyChunk;
  return time;
}

/// What an op that is no attention costs before it has done anything.
static double launchSeconds(const Chip &chip) {
  return chip.launchCycles / chip.clock;
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
