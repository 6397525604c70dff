// SPDX-License-Identifier: Apache-2.0
//
// Writes the device program of an attention: buffers, and the arguments of the
// kernels in runtime/device, whose headers say what each word means.

#include "ring-runtime/AttentionProgram.h"

#include "AttentionArguments.h"
#include "AttentionBuffers.h"
#include "MoverArguments.h"
#include "TransferProof.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

namespace ring::rt {

namespace {

using Kind = DeviceArgument::Kind;
using Arguments = std::vector<DeviceArgument>;

/// Up to which size of scaled maxima the references of rows are 0: weights of
/// the largest scores are e^-16 to e^16.
constexpr float kMostNear = 16;

// The semaphores of a device.
constexpr uint32_t kAnnouncedSemaphore = 0; ///< and 1: by direction
constexpr uint32_t kStashSemaphore = 2;
constexpr uint32_t kRoomSemaphore = 3;   ///< where keys are handed on
constexpr uint32_t kFilledSemaphore = 4; ///< the same

uint32_t bitsOf(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

uint32_t tilesOf(uint32_t numbers) { return (numbers + 31) / 32; }

/// The largest number of tiles that divides a row, fits a packet and is none
/// too many for a page.
uint32_t pageTilesOf(uint32_t rowTiles, const AttentionOptions &options) {
  const uint32_t most = options.mostPageTiles
                            ? std::min(options.mostPageTiles, rowTiles)
                            : rowTiles;
  uint32_t tiles = 1;
  for (uint32_t count = 1; count <= most; ++count)
    if (rowTiles % count == 0 &&
        count * tileBytes(TileFormat::BF16) <= options.limits.packetBytes)
      tiles = count;
  return tiles;
}

/// Columns, then rows, of a block of products that fits the registers.
std::pair<uint32_t, uint32_t> blockOf(uint32_t columns, uint32_t registers) {
  const uint32_t width = std::min(columns, registers);
  return {width, registers / width};
}

/// Words that are numbers already, for the tables' own arithmetic.
struct PlainWords {
  const Arguments *arguments;
  uint32_t operator()(uint32_t index) const {
    return (*arguments)[index].value;
  }
};

class ProgramWriter {
public:
  ProgramWriter(const AttentionSchedule &schedule, const AttentionSizes &sizes,
                const AttentionOptions &options)
      : schedule(schedule), sizes(sizes), options(options),
        headTiles(tilesOf(sizes.headDim)), valueTiles(tilesOf(sizes.valueDim)),
        keyPageTiles(pageTilesOf(headTiles, options)),
        valuePageTiles(pageTilesOf(valueTiles, options)), shares(dealRows()),
        cores(static_cast<uint32_t>(shares.size())) {}

  Result<AttentionProgram> write(bool spilled);
  Status prove() const;

private:
  Status check() const;
  void writeBuffers();
  Status writeDevice(uint32_t number);
  void writeCircularBuffers(OneDevice &device, uint32_t masks);
  Arguments constants() const;
  Arguments storeWords() const;
  std::vector<Piece>
  piecesOf(const AttentionStep &step, uint32_t number,
           const std::array<DirectionCounts, 2> &counts) const;
  Result<Arguments> commonWords(uint32_t number,
                                const std::array<DirectionCounts, 2> &counts);
  Arguments maskWords(const DeviceSchedule &device) const;
  Arguments moverWords(uint32_t number,
                       const std::array<DirectionCounts, 2> &counts);

  Arguments ownWords(uint32_t core, bool reads) const;
  /// Semaphores that all cores have. Who makes them gives each the lowest
  /// number that is free on its cores, so that those of the mover alone come
  /// last.
  uint32_t sharedSemaphores() const {
    return hands() ? kFilledSemaphore + 1 : kStashSemaphore + 1;
  }
  /// The semaphore of the mover by which cores count their reads of a landing
  /// store.
  uint32_t readSemaphoreOf(uint32_t store) const {
    return sharedSemaphores() + store - 1;
  }
  /// Whether keys are handed on.
  bool hands() const {
    return std::any_of(shares.begin(), shares.end(),
                       [](const CoreShare &share) { return share.to; });
  }
  bool moves() const {
    for (const DeviceSchedule &device : schedule.devices)
      if (!device.sends[0].empty() || !device.sends[1].empty())
        return true;
    return false;
  }
  uint32_t neighbour(uint32_t device, uint32_t direction) const {
    const auto devices = static_cast<uint32_t>(schedule.devices.size());
    return (device + (direction ? devices - 1 : 1)) % devices;
  }
  DeviceCore coreOf(uint32_t number) const {
    return {number % options.gridColumns, number / options.gridColumns};
  }
  DeviceCore moverCore() const { return coreOf(cores); }
  /// By how much positions rise from key to key; nobody asks where a device has
  /// none.
  static int64_t keyStrideOf(const DeviceSchedule &device) {
    for (const AttentionStep &step : device.steps)
      for (const RowPiece &piece : step.pieces)
        return piece.stride;
    return device.queries.front().stride;
  }
  /// What one core computes, and whom it has keys and values from.
  struct CoreShare {
    uint32_t first = 0;               ///< row of tiles of queries, of all heads
    uint32_t rows = 0;                ///< of tiles of queries
    uint32_t chunks = 0;              ///< that these make
    std::optional<uint32_t> from, to; ///< cores
  };
  std::vector<CoreShare> dealRows() const;
  uint32_t chunksOf(uint32_t first, uint32_t rows) const;
  uint32_t keyHeads() const { return sizes.batch * sizes.keyHeads; }
  /// Columns, then rows, of a block of scores.
  std::pair<uint32_t, uint32_t> scoreBlock() const {
    return blockOf(options.keyChunk, options.compute.destinationTiles());
  }
  /// Packets of one row of tiles of all heads.
  uint32_t rowPackets() const {
    return keyHeads() *
           (headTiles / keyPageTiles + valueTiles / valuePageTiles);
  }
  Result<std::array<DirectionCounts, 2>> countsOf(uint32_t number) const;
  /// How many pages of the mask are between batches, heads and rows of tiles, 0
  /// where there is one for all.
  struct MaskPages {
    uint32_t batch = 0, head = 0, row = 0, all = 0;
  };
  MaskPages maskPages() const {
    const MaskSizes &mask = *sizes.mask;
    uint32_t pages = mask.columns;
    const auto next = [&](bool has, uint32_t count) {
      const uint32_t apart = has ? pages : 0;
      pages *= has ? count : 1;
      return apart;
    };
    MaskPages result;
    result.row = next(mask.perQuery, sizes.queryRows);
    result.head = next(mask.perHead, sizes.queryHeads);
    result.batch = next(mask.perBatch, sizes.batch);
    result.all = pages;
    return result;
  }
  std::vector<uint32_t> maskTerms() const;

  const AttentionSchedule &schedule;
  const AttentionSizes &sizes;
  const AttentionOptions &options;
  uint32_t headTiles, valueTiles, keyPageTiles, valuePageTiles;
  std::vector<CoreShare> shares;
  uint32_t cores;
  bool spill = false;
  uint32_t stash = 0;
  AttentionProgram result;
};

/// The chunks of queries that rows from `first` on make: none has rows of two
/// heads.
uint32_t ProgramWriter::chunksOf(uint32_t first, uint32_t rows) const {
  uint32_t chunks = 0;
  for (uint32_t left = rows; left;) {
    const uint32_t own = std::min(
        {left, options.queryChunk, sizes.queryRows - first % sizes.queryRows});
    first += own;
    left -= own;
    ++chunks;
  }
  return chunks;
}

/// Rows of queries in their order, evenly, to no more cores than there would be
/// chunks. Where keys are handed on, the cores that work on one head of keys
/// alone make a chain, and none has more chunks than the one before: who has
/// done with its own drops out at the end. A core that works on two heads reads
/// its keys itself, for it meets the second head's when others are ahead.
std::vector<ProgramWriter::CoreShare> ProgramWriter::dealRows() const {
  std::vector<CoreShare> shares;
  if (!sizes.queryRows || !options.queryChunk || !sizes.keyHeads)
    return shares; // `check` says so
  const uint32_t heads = sizes.batch * sizes.queryHeads;
  const uint32_t rows = heads * sizes.queryRows;
  const uint32_t cores =
      std::min(options.cores, heads * chunksOf(0, sizes.queryRows));
  uint32_t first = 0;
  for (uint32_t core = 0; core < cores; ++core) {
    const uint32_t own = rows / cores + (core < rows % cores);
    shares.push_back({first, own, chunksOf(first, own), {}, {}});
    first += own;
  }
  if (!options.handOn || !schedule.band.isUnbounded())
    return shares;

  std::map<uint32_t, std::vector<uint32_t>> chains; // by head of keys
  const uint32_t keyHeadRows =
      sizes.queryHeads / sizes.keyHeads * sizes.queryRows;
  for (uint32_t core = 0; core < cores; ++core) {
    const CoreShare &share = shares[core];
    const uint32_t head = share.first / keyHeadRows;
    if ((share.first + share.rows - 1) / keyHeadRows == head)
      chains[head].push_back(core);
  }
  for (auto &[head, chain] : chains) {
    std::sort(chain.begin(), chain.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(shares[b].chunks, a) < std::pair(shares[a].chunks, b);
    });
    for (size_t i = 1; i < chain.size(); ++i) {
      shares[chain[i]].from = chain[i - 1];
      shares[chain[i - 1]].to = chain[i];
    }
  }
  return shares;
}

/// What a given mask is multiplied by, as bits of bf16: scores are scaled
/// behind it, unless queries were before. Products of a low fidelity take in
/// seven bits of a factor, so that it is a sum of such numbers, exact to 2^-21.
std::vector<uint32_t> ProgramWriter::maskTerms() const {
  std::vector<uint32_t> terms;
  if (!sizes.mask)
    return terms;
  constexpr uint32_t kLeftOut = 0x1ffff; // of the bits of an f32
  float rest = options.approximateExp ? 1 : 1 / options.scale;
  while (rest != 0 && terms.size() <= kThirdMaskTerm - kFirstMaskTerm) {
    const uint32_t rounded = (bitsOf(rest) + (kLeftOut + 1) / 2) & ~kLeftOut;
    float term;
    std::memcpy(&term, &rounded, sizeof(term));
    terms.push_back(rounded >> 16);
    rest -= term;
  }
  return terms;
}

Status ProgramWriter::check() const {
  if (!sizes.batch || !sizes.queryHeads || !sizes.keyHeads || !sizes.headDim ||
      !sizes.valueDim || !sizes.queryRows || !options.queryChunk ||
      !options.keyChunk || !options.cores || !options.gridColumns)
    return error("expects sizes, chunks and cores of at least 1, but got a 0");
  if (sizes.queryHeads % sizes.keyHeads)
    return error("expects the query heads to be a multiple of ", sizes.keyHeads,
                 ", but got ", sizes.queryHeads);
  if (schedule.storeRows.empty() || schedule.devices.empty())
    return error("expects a device and a store, but got none");
  if (options.compute.destinationTiles() < 3)
    return error("expects at least 3 registers");
  if (!(options.scale > 0))
    return error("expects a scale above 0, but got ", options.scale);
  // What the words of pieces, sends and arrivals hold.
  if (schedule.storeRows.size() > 12)
    return error("expects at most 12 stores, but got ",
                 schedule.storeRows.size());
  for (uint32_t rows : schedule.storeRows)
    if (rows >= 1 << 16)
      return error("expects stores of less than 65536 rows of tiles, but got ",
                   rows);
  for (const DeviceSchedule &device : schedule.devices) {
    for (const auto &sends : device.sends)
      if (sends.size() * cores >= 1 << 12)
        return error("expects less than 4096 reads of arrivals, but got ",
                     sends.size() * cores);
    if (device.steps.empty() || device.queries.empty() ||
        device.queries.front().firstRow)
      return error("expects steps, and queries from row 0 on");
    const int64_t stride = device.queries.front().stride;
    for (const AttentionStep &step : device.steps)
      for (const RowPiece &piece : step.pieces) {
        if (piece.store >= schedule.storeRows.size() ||
            piece.rows.end() > schedule.storeRows[piece.store])
          return error("expects rows of a store, but got rows ",
                       piece.rows.first, " to ", piece.rows.end(), " of store ",
                       piece.store);
        if (sizes.mask &&
            piece.maskColumn + piece.rows.count > sizes.mask->columns)
          return error("expects a mask with a column for each key, but got ",
                       sizes.mask->columns, " columns of tiles where ",
                       piece.maskColumn + piece.rows.count, " are read");
        const int64_t keys = keyStrideOf(device);
        if (!schedule.band.isUnbounded() &&
            (piece.stride != keys || stride % keys != 0 ||
             stride / keys > kMostSlope))
          return error("expects keys with one stride, of which that of the "
                       "queries is 1 to ",
                       kMostSlope, " times, but got ", stride, " and ",
                       piece.stride);
      }
    for (const QueryRows &queries : device.queries)
      if (queries.stride != stride)
        return error("expects queries with the same stride, but got ", stride,
                     " and ", queries.stride);
  }
  return Status::success();
}

void ProgramWriter::writeBuffers() {
  auto add = [&](std::string name, uint32_t pageBytes, uint32_t pages) {
    result.program.buffers.push_back({std::move(name), pageBytes, pages});
    return static_cast<uint32_t>(result.program.buffers.size() - 1);
  };
  const uint32_t tile = tileBytes(TileFormat::BF16);
  const uint32_t wideTile = tileBytes(TileFormat::F32);
  const uint32_t rows = sizes.batch * sizes.queryHeads * sizes.queryRows;
  result.queries = add("queries", tile, rows * headTiles);
  for (uint32_t store = 0; store < schedule.storeRows.size(); ++store) {
    const uint32_t keyRows = keyHeads() * schedule.storeRows[store];
    const std::string number = std::to_string(store);
    result.keys.push_back(add("keys " + number, keyPageTiles * tile,
                              keyRows * headTiles / keyPageTiles));
    result.values.push_back(add("values " + number, valuePageTiles * tile,
                                keyRows * valueTiles / valuePageTiles));
  }
  result.outputs =
      add("outputs", tileBytes(options.outputFormat), rows * valueTiles);
  result.logSums = add("log-sum-exps", wideTile, rows);
  if (options.sink)
    result.sinks = add("sinks", wideTile, 2 * sizes.batch * sizes.queryHeads);
  if (sizes.mask)
    result.mask = add("mask", sizes.mask->parts * tile, maskPages().all);
  if (spill)
    stash = add("states", wideTile, rows * (valueTiles + 2));
}

void ProgramWriter::writeCircularBuffers(OneDevice &device, uint32_t masks) {
  std::vector<DeviceCore> places;
  for (uint32_t core = 0; core < cores; ++core)
    places.push_back(coreOf(core));
  auto add = [&](uint32_t index, TileFormat format, uint32_t pages) {
    device.circularBuffers.push_back({index, format, pages, places, false});
  };
  const uint32_t rows = options.queryChunk, columns = options.keyChunk;
  const TileFormat narrow = TileFormat::BF16, wide = TileFormat::F32;
  // Queries that are scaled leave their place at once, for the next ones.
  const bool scalesQueries = options.approximateExp && options.scale != 1;
  add(kQueries, narrow, (scalesQueries ? 1 : 2) * rows * headTiles);
  add(kKeys, narrow, kKeyGroups * headTiles * columns);
  add(kValues, narrow, kValueGroups * columns * valueTiles);
  add(kMasks, narrow, masks + 1);
  add(kConstantTiles, narrow,
      kMinusTile + scoreBlock().first +
          static_cast<uint32_t>(maskTerms().size()));
  if (options.sink)
    add(kSinks, wide, 2);
  if (sizes.mask)
    add(kGivenMasks, narrow, 2 * rows * columns * sizes.mask->parts);
  if (scalesQueries)
    add(kScaledQueries, narrow, rows * headTiles);
  add(kWeights, narrow, 2 * rows * columns);
  add(kChunkMaxima, narrow, rows);
  add(kNewMaxima, narrow, rows);
  add(kCorrections, wide, rows);
  add(kLargest, wide, 1);
  add(kChunkSums, wide, rows);
  uint32_t mostChunks = 0;
  for (const CoreShare &share : shares)
    mostChunks = std::max(mostChunks, share.chunks);
  for (uint32_t part = 0; part < 3; ++part) {
    const uint32_t group = rows * (part == 2 ? valueTiles : 1);
    const TileFormat format = part == 0 ? narrow : wide;
    for (uint32_t state : {kState, kOtherState}) {
      add(state + part, format, group);
      device.circularBuffers.back().inPlace = true;
    }
    // A state that stays is read at the front while its successor is written
    // at the back. One that is spilled leaves, and the next one comes, while a
    // whole step of another is computed.
    add(kStashOut + part, format, (spill ? 1 : mostChunks + 1) * group);
    if (spill)
      add(kStashIn + part, format, group);
  }
  add(kOutputs, options.outputFormat, rows * valueTiles);
  add(kLogSums, wide, rows);
  if (moves()) {
    places = {moverCore()};
    add(kPages, narrow, std::max(keyPageTiles, valuePageTiles));
  }
}

Arguments ProgramWriter::constants() const {
  Arguments words(kConstants);
  const uint32_t registers = options.compute.destinationTiles();
  words[kQueryRows] = options.queryChunk;
  words[kKeyRows] = options.keyChunk;
  words[kHeadTiles] = headTiles;
  words[kValueTiles] = valueTiles;
  std::tie(words[kScoreBlockColumns].value, words[kScoreBlockRows].value) =
      scoreBlock();
  std::tie(words[kOutputBlockColumns].value, words[kOutputBlockRows].value) =
      blockOf(valueTiles, registers);
  words[kDstTiles] = registers;
  words[kScaleBits] = bitsOf(options.scale);
  // Approximate exponentials get scores that are scaled already.
  words[kNearBits] =
      bitsOf(options.approximateExp ? kMostNear : kMostNear / options.scale);
  words[kResident] = !spill;
  words[kHasSink] = options.sink;
  words[kKeyPageTiles] = keyPageTiles;
  words[kValuePageTiles] = valuePageTiles;
  words[kMaskParts] = sizes.mask ? sizes.mask->parts : 0;
  const std::vector<uint32_t> terms = maskTerms();
  words[kMaskTerms] = static_cast<uint32_t>(terms.size());
  for (size_t term = 0; term < terms.size(); ++term)
    words[kFirstMaskTerm + term] = terms[term];
  return words;
}

Arguments ProgramWriter::storeWords() const {
  Arguments words;
  for (uint32_t store = 0; store < schedule.storeRows.size(); ++store) {
    words.push_back({Kind::BufferAddress, result.keys[store]});
    words.push_back({Kind::BufferAddress, result.values[store]});
    words.push_back(schedule.storeRows[store]);
  }
  return words;
}

std::vector<Piece>
ProgramWriter::piecesOf(const AttentionStep &step, uint32_t number,
                        const std::array<DirectionCounts, 2> &counts) const {
  std::vector<Piece> pieces;
  std::vector<std::pair<uint32_t, uint32_t>> givenBack;
  for (const RowPiece &rows : step.pieces) {
    Piece piece;
    piece.store = rows.store;
    piece.firstRow = rows.rows.first;
    piece.rows = rows.rows.count;
    piece.valid = rows.valid;
    piece.position = static_cast<uint32_t>(rows.position);
    if (rows.arrival) {
      const ArrivalCounts &arrival =
          counts[rows.arrival->first].arrivals[rows.arrival->second];
      piece.arrivalSemaphore = kAnnouncedSemaphore + rows.arrival->first + 1;
      piece.arrivals = arrival.announced;
      // The first piece of the last step that reads an arrival gives it back.
      if (arrival.lastStep == number &&
          std::find(givenBack.begin(), givenBack.end(), *rows.arrival) ==
              givenBack.end()) {
        piece.readSemaphore = readSemaphoreOf(rows.store) + 1;
        givenBack.push_back(*rows.arrival);
      }
    }
    pieces.push_back(piece);
  }
  if (pieces.empty())
    pieces.emplace_back();
  pieces.back().last = true;
  return pieces;
}

Result<Arguments>
ProgramWriter::commonWords(uint32_t number,
                           const std::array<DirectionCounts, 2> &counts) {
  const DeviceSchedule &device = schedule.devices[number];
  Arguments words(kCommons);
  uint32_t pieces = 0;
  for (const AttentionStep &step : device.steps)
    pieces += std::max<uint32_t>(1, static_cast<uint32_t>(step.pieces.size()));
  words[kSteps] = static_cast<uint32_t>(device.steps.size());
  words[kPieces] = pieces;
  words[kQueryPieces] = static_cast<uint32_t>(device.queries.size());
  words[kStores] = static_cast<uint32_t>(schedule.storeRows.size());
  words[kHeadRows] = sizes.queryRows;
  words[kGroup] = sizes.queryHeads / sizes.keyHeads;
  words[kBefore] =
      static_cast<uint32_t>(schedule.band.before.value_or(int64_t{kUnbounded}));
  words[kAfter] =
      static_cast<uint32_t>(schedule.band.after.value_or(int64_t{kUnbounded}));
  words[kStride] = static_cast<uint32_t>(device.queries.front().stride);
  // Without a band nobody asks for positions, of which keys have the strides of
  // their layout and queries none.
  words[kKeyStride] = schedule.band.isUnbounded()
                          ? words[kStride]
                          : static_cast<uint32_t>(keyStrideOf(device));
  words[kMoverCore] = DeviceArgument::onNoc(moverCore());
  words[kQueryAddress] = {Kind::BufferAddress, result.queries};
  if (options.sink)
    words[kSinkAddress] = {Kind::BufferAddress, result.sinks};
  words[kOutputAddress] = {Kind::BufferAddress, result.outputs};
  words[kLogSumAddress] = {Kind::BufferAddress, result.logSums};
  if (spill)
    words[kStashAddress] = {Kind::BufferAddress, stash};

  for (uint32_t step = 0; step < device.steps.size(); ++step)
    for (const Piece &piece : piecesOf(device.steps[step], step, counts)) {
      uint32_t encoded[kPieceWords];
      encode(piece, encoded);
      words.insert(words.end(), encoded, encoded + kPieceWords);
    }
  for (const QueryRows &queries : device.queries) {
    words.push_back(queries.firstRow);
    words.push_back(static_cast<uint32_t>(queries.position));
  }

  // The masks that the kernels will ask for, by the kernels' own arithmetic.
  std::vector<uint32_t> masks;
  const AttentionTables<PlainWords> tables = {{&words}};
  const auto listMasks = [&](const QueryChunk &queries) {
    uint32_t firstPiece = 0;
    for (uint32_t step = 0; step < device.steps.size(); ++step) {
      firstPiece = tables.forKeyChunks(
          firstPiece, queries, options.keyChunk, [&](const KeyChunk &keys) {
            for (uint32_t r = 0; keys.masked && r < queries.rows; ++r)
              for (uint32_t c = 0; c < keys.rows; ++c) {
                const uint32_t mask =
                    tables.maskOf(queries.firstRow + r, keys, c);
                if (!hidesNothing(mask) &&
                    std::find(masks.begin(), masks.end(), mask) == masks.end())
                  masks.push_back(mask);
              }
          });
    }
  };
  // Heads are alike, but cores may cut them differently.
  std::set<std::pair<uint32_t, uint32_t>> listed;
  for (const CoreShare &share : shares)
    tables.forQueryChunks(
        share.first, share.rows, options.queryChunk,
        [&](const QueryChunk &queries) {
          if (listed.insert({queries.firstRow, queries.rows}).second)
            listMasks(queries);
        });
  words[kMaskCount] = static_cast<uint32_t>(masks.size());
  words.insert(words.end(), masks.begin(), masks.end());
  const Arguments stores = storeWords();
  words.insert(words.end(), stores.begin(), stores.end());
  if (sizes.mask) {
    const Arguments mask = maskWords(device);
    words.insert(words.end(), mask.begin(), mask.end());
  }
  return words;
}

Arguments ProgramWriter::maskWords(const DeviceSchedule &device) const {
  const MaskPages pages = maskPages();
  Arguments words(kGivenMaskWords);
  words[kMaskAddress] = {Kind::BufferAddress, result.mask};
  words[kMaskQueryHeads] = sizes.queryHeads;
  words[kMaskBatchPages] = pages.batch;
  words[kMaskHeadPages] = pages.head;
  words[kMaskRowPages] = pages.row;
  for (const AttentionStep &step : device.steps) {
    for (const RowPiece &piece : step.pieces)
      words.push_back(piece.maskColumn);
    if (step.pieces.empty())
      words.push_back(0); // the piece of a step that reads nothing
  }
  return words;
}

Arguments
ProgramWriter::moverWords(uint32_t number,
                          const std::array<DirectionCounts, 2> &counts) {
  const DeviceSchedule &device = schedule.devices[number];
  const uint32_t tile = tileBytes(TileFormat::BF16);
  Arguments words(kMoverWords);
  words[kOwnCore] = DeviceArgument::onNoc(moverCore());
  words[kMoverStores] = static_cast<uint32_t>(schedule.storeRows.size());
  words[kConsumers] = cores;
  words[kHeads] = keyHeads();
  words[kKeyRowPages] = headTiles / keyPageTiles;
  words[kValueRowPages] = valueTiles / valuePageTiles;
  words[kKeyPageBytes] = keyPageTiles * tile;
  words[kValuePageBytes] = valuePageTiles * tile;
  const Arguments stores = storeWords();
  words.insert(words.end(), stores.begin(), stores.end());
  for (uint32_t core = 0; core < cores; ++core)
    words.push_back(DeviceArgument::onNoc(coreOf(core)));
  for (uint32_t direction = 0; direction < 2; ++direction) {
    const DirectionCounts &own = counts[direction];
    words.push_back(static_cast<uint32_t>(own.sends.size()));
    words.push_back(static_cast<uint32_t>(own.arrivals.size()));
    words.push_back({Kind::GlobalSemaphore, 2 * direction});
    words.push_back({Kind::GlobalSemaphore, 2 * direction + 1});
    words.push_back({Kind::LocalSemaphore, kAnnouncedSemaphore + direction});
    auto add = [&](const auto &entry, auto &encoded) {
      encode(entry, encoded);
      words.insert(words.end(), std::begin(encoded), std::end(encoded));
    };
    for (uint32_t i = 0; i < own.sends.size(); ++i) {
      const RowTransfer &rows = device.sends[direction][i];
      Send send;
      send.from = rows.from;
      send.fromRow = rows.rows.first;
      send.to = rows.to;
      send.toRow = rows.toRow;
      send.rows = rows.rows.count;
      send.packets = own.sends[i].packets;
      send.packetsPerPage = own.sends[i].packetsPerPage;
      send.credits = own.sends[i].credits;
      uint32_t encoded[kSendWords];
      add(send, encoded);
    }
    const std::vector<RowTransfer> &incoming =
        schedule.devices[neighbour(number, 1 - direction)].sends[direction];
    for (uint32_t i = 0; i < own.arrivals.size(); ++i) {
      Arrival arrival;
      arrival.landed = own.arrivals[i].landed;
      arrival.reads = own.arrivals[i].reads;
      arrival.readsOf = readSemaphoreOf(incoming[i].to);
      arrival.sends = own.arrivals[i].sends;
      uint32_t encoded[kArrivalWords];
      add(arrival, encoded);
    }
  }
  return words;
}

Arguments ProgramWriter::ownWords(uint32_t core, bool reads) const {
  const CoreShare &share = shares[core];
  Arguments words = {
      share.first, share.rows, {Kind::LocalSemaphore, kStashSemaphore}};
  if (!reads)
    return words;
  for (std::optional<uint32_t> other : {share.from, share.to})
    words.push_back(other ? DeviceArgument::onNoc(coreOf(*other)) : kNoCore);
  words.push_back(share.to ? shares[*share.to].chunks : 0);
  for (uint32_t semaphore : {kRoomSemaphore, kFilledSemaphore})
    words.push_back(hands() ? DeviceArgument(Kind::LocalSemaphore, semaphore)
                            : DeviceArgument(0));
  return words;
}

Result<std::array<DirectionCounts, 2>>
ProgramWriter::countsOf(uint32_t number) const {
  return countTransfers(schedule.devices[number],
                        {&schedule.devices[neighbour(number, 1)].sends[0],
                         &schedule.devices[neighbour(number, 0)].sends[1]},
                        rowPackets(), cores, schedule.storeRows.size());
}

Status ProgramWriter::writeDevice(uint32_t number) {
  Result<std::array<DirectionCounts, 2>> counts = countsOf(number);
  if (!counts)
    return counts.status();
  Result<Arguments> common = commonWords(number, *counts);
  if (!common)
    return common.status();

  OneDevice device;
  writeCircularBuffers(device, (*common)[kMaskCount].value);
  std::vector<DeviceCore> places;
  for (uint32_t core = 0; core < cores; ++core)
    places.push_back(coreOf(core));
  if (moves())
    places.push_back(moverCore());
  // Reads are counted at the mover; a compute core has few numbers to spare
  // where its host takes some for itself.
  device.semaphores.assign(sharedSemaphores(), {places, 0});
  if (moves())
    device.semaphores.resize(
        readSemaphoreOf(static_cast<uint32_t>(schedule.storeRows.size())),
        {{moverCore()}, 0});

  auto accessors = [&](Arguments words, const std::vector<uint32_t> &buffers) {
    for (uint32_t buffer : buffers)
      words.push_back({Kind::BufferAccessor, buffer});
    return words;
  };
  // Accessors that a setting does without stand for themselves no more than for
  // their number of words.
  const uint32_t sinks = options.sink ? result.sinks : result.logSums;
  const uint32_t states = spill ? stash : result.logSums;
  const uint32_t mask = sizes.mask ? result.mask : result.logSums;
  // Each data movement processor has a NoC of its own. TT-Metalium prefers the
  // first one's to read DRAM, and the second one's to write it.
  DeviceKernel reader, compute, writer;
  reader.source = "AttentionReader.cpp";
  reader.processor = Processor::DataMovement0;
  reader.compileTime =
      accessors(constants(), {result.queries, result.keys[0], result.values[0],
                              sinks, states, mask});
  compute.source = "AttentionCompute.cpp";
  compute.processor = Processor::Compute;
  compute.compute = options.compute;
  compute.compileTime = constants();
  if (options.approximateExp)
    compute.defines.push_back("RING_APPROXIMATE_EXP");
  writer.source = "AttentionWriter.cpp";
  writer.processor = Processor::DataMovement1;
  writer.compileTime =
      accessors(constants(), {result.outputs, result.logSums, states});
  for (DeviceKernel *kernel : {&reader, &compute, &writer}) {
    kernel->common = *common;
    for (uint32_t core = 0; core < cores; ++core)
      kernel->cores.push_back(
          {coreOf(core), ownWords(core, kernel == &reader), {}});
    device.kernels.push_back(std::move(*kernel));
  }
  if (moves()) {
    const uint32_t next = neighbour(number, 0), previous = neighbour(number, 1);
    DeviceKernel mover;
    mover.source = "RingMover.cpp";
    mover.processor = Processor::DataMovement0;
    mover.compileTime = accessors({}, {result.keys[0], result.values[0]});
    // Two devices are each other's next and previous one, by two links.
    mover.cores = {{moverCore(),
                    moverWords(number, *counts),
                    {{next, 0}, {previous, next == previous ? 1u : 0u}}}};
    device.kernels.push_back(std::move(mover));
  }
  result.program.devices.push_back(std::move(device));
  return Status::success();
}

Result<AttentionProgram> ProgramWriter::write(bool spilled) {
  if (Status status = check(); !status)
    return status;
  spill = spilled;
  result = {};
  result.program.name = "attention";
  writeBuffers();
  if (moves())
    result.program.globalSemaphores = {{"arrived from the previous"},
                                       {"credits of the next"},
                                       {"arrived from the next"},
                                       {"credits of the previous"}};
  for (uint32_t device = 0; device < schedule.devices.size(); ++device)
    if (Status status = writeDevice(device); !status)
      return status.in("device " + std::to_string(device));
  if (Status status = verify(result.program, options.limits); !status)
    return status;
  return result;
}

Status ProgramWriter::prove() const {
  if (Status status = check(); !status)
    return status;
  MeshCounts counts;
  for (uint32_t number = 0; number < schedule.devices.size(); ++number) {
    Result<std::array<DirectionCounts, 2>> own = countsOf(number);
    if (!own)
      return own.status();
    counts.push_back(*own);
  }
  return rt::proveTransfers(schedule, counts, rowPackets(), cores);
}

} // namespace

Status proveTransfers(const AttentionSchedule &schedule,
                      const AttentionSizes &sizes,
                      const AttentionOptions &options) {
  return ProgramWriter(schedule, sizes, options).prove();
}

Result<AttentionProgram> attentionProgram(const AttentionSchedule &schedule,
                                          const AttentionSizes &sizes,
                                          const AttentionOptions &options) {
  ProgramWriter writer(schedule, sizes, options);
  Result<AttentionProgram> program =
      writer.write(options.spill.value_or(false));
  if (program || options.spill)
    return program;
  Result<AttentionProgram> spilled = writer.write(true);
  return spilled ? spilled : program;
}

} // namespace ring::rt
