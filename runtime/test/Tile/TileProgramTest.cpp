// SPDX-License-Identifier: Apache-2.0
//
// Device programs: mistakes in their arguments, what is refused before anything
// runs, several launches, and what is counted.

#include "AttentionRun.h"

#include "AttentionArguments.h"
#include "MoverArguments.h"
#include "ring-runtime/AttentionWork.h"

#include <gtest/gtest.h>

using namespace ring::rt;
using namespace ring::test;
using ring::positions::Band;
using ring::positions::LayoutKind;

namespace {

/// A ring whose landing stores are filled more than once.
AttentionCase ringCase() {
  AttentionCase what;
  what.devices = 8;
  what.length = 8 * 64;
  what.bothDirections = false;
  what.sizes.queryHeads = 2;
  what.options.cores = 2;
  return what;
}

DeviceKernel &kernelOf(AttentionRun &run, uint32_t device,
                       const std::string &source) {
  for (DeviceKernel &kernel : run.program().program.devices[device].kernels)
    if (kernel.source == source)
      return kernel;
  ADD_FAILURE() << "no " << source;
  static DeviceKernel none;
  return none;
}

/// The arguments of a device's mover, by name.
class MoverWords {
public:
  MoverWords(AttentionRun &run, uint32_t device)
      : words(kernelOf(run, device, "RingMover.cpp").cores[0].arguments) {}

  uint32_t &store(uint32_t store, uint32_t field) {
    return words[kMoverWords + store * kStoreWords + field].value;
  }
  uint32_t direction(uint32_t number) {
    uint32_t start = kMoverWords + words[kMoverStores].value * kStoreWords +
                     words[kConsumers].value;
    for (uint32_t d = 0; d < number; ++d)
      start += kDirectionWords + words[start + kSends].value * kSendWords +
               words[start + kIncoming].value * kArrivalWords;
    return start;
  }
  /// Changes a send or an arrival of a direction.
  void send(uint32_t d, uint32_t number,
            const std::function<void(Send &)> &change) {
    const uint32_t at = direction(d) + kDirectionWords + number * kSendWords;
    Send send = decodeSend(reader(), at);
    change(send);
    write(send, at, kSendWords);
  }
  void arrival(uint32_t d, uint32_t number,
               const std::function<void(Arrival &)> &change) {
    const uint32_t start = direction(d);
    const uint32_t at = start + kDirectionWords +
                        words[start + kSends].value * kSendWords +
                        number * kArrivalWords;
    Arrival arrival = decodeArrival(reader(), at);
    change(arrival);
    write(arrival, at, kArrivalWords);
  }
  std::function<uint32_t(uint32_t)> reader() {
    return [this](uint32_t at) { return words[at].value; };
  }
  template <typename Entry>
  void write(const Entry &entry, uint32_t at, uint32_t count) {
    uint32_t encoded[8];
    encode(entry, encoded);
    for (uint32_t i = 0; i < count; ++i)
      words[at + i].value = encoded[i];
  }

  std::vector<DeviceArgument> &words;
};

/// Changes a piece in the common arguments of a device's reader.
void changePiece(AttentionRun &run, uint32_t device, uint32_t number,
                 const std::function<void(Piece &)> &change) {
  auto &words = kernelOf(run, device, "AttentionReader.cpp").common;
  const uint32_t at = kCommons + number * kPieceWords;
  Piece piece =
      decodePiece([&](uint32_t index) { return words[index].value; }, at);
  change(piece);
  uint32_t encoded[kPieceWords];
  encode(piece, encoded);
  for (uint32_t i = 0; i < kPieceWords; ++i)
    words[at + i].value = encoded[i];
}

/// Runs with several seeds and expects a report in one of them; beforehand,
/// without the mistake, all of them pass.
void expectReport(const AttentionCase &what,
                  const std::function<void(AttentionRun &)> &mistake,
                  const std::string &report, uint32_t launches = 1,
                  uint32_t seeds = 16) {
  AttentionRun right(what), wrong(what);
  ASSERT_EQ(right.refusal(), "");
  mistake(wrong);
  std::string found, first;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    ASSERT_EQ(right.run(seed, launches), "") << seed;
    found = wrong.run(seed, launches);
    first = first.empty() ? found : first;
    if (found.find(report) != std::string::npos)
      return;
  }
  FAIL() << "instead: " << first;
}

TEST(TileArgumentMistake, CreditTooMany) {
  expectReport(
      ringCase(),
      [](AttentionRun &run) {
        MoverWords(run, 3).send(0, 4, [](Send &send) { --send.credits; });
      },
      "overwrites page");
}

TEST(TileArgumentMistake, CreditThatNeverComes) {
  expectReport(
      ringCase(),
      [](AttentionRun &run) {
        MoverWords(run, 3).send(0, 4, [](Send &send) { send.credits = 5; });
      },
      "standstill: device 0");
}

TEST(TileArgumentMistake, ReaderWaitsForOneArrivalLess) {
  expectReport(
      ringCase(),
      [](AttentionRun &run) {
        changePiece(run, 2, 3, [](Piece &piece) { --piece.arrivals; });
      },
      "without knowing that the write of");
}

TEST(TileArgumentMistake, ReaderWaitsForOneArrivalMore) {
  expectReport(
      ringCase(),
      [](AttentionRun &run) {
        changePiece(run, 2, 7, [](Piece &piece) { ++piece.arrivals; });
      },
      "waits for semaphore 0 to be at least 8");
}

TEST(TileArgumentMistake, ArrivalOnePacketEarly) {
  expectReport(
      ringCase(),
      [](AttentionRun &run) {
        MoverWords(run, 5).arrival(0, 2,
                                   [](Arrival &arrival) { --arrival.landed; });
      },
      "without knowing that the write of");
}

TEST(TileArgumentMistake, PassedOnOnePacketEarly) {
  expectReport(
      ringCase(),
      [](AttentionRun &run) {
        MoverWords(run, 5).send(0, 2, [](Send &send) { --send.packets; });
      },
      // That its write has not landed, or is not even under way.
      "reads page ");
}

// The second half of a shard across an even ring: a threshold off by one there
// never blocks on most runs.
TEST(TileArgumentMistake, HalfPassedOnOnePacketEarly) {
  AttentionCase what = ringCase();
  what.bothDirections = true;
  expectReport(
      what,
      [](AttentionRun &run) {
        MoverWords(run, 1).send(1, 3, [](Send &send) { --send.packets; });
      },
      "without knowing that the write of");
}

TEST(TileArgumentMistake, GivenBackBeforeOneCoreHasRead) {
  expectReport(
      ringCase(),
      [](AttentionRun &run) {
        MoverWords(run, 1).arrival(0, 1,
                                   [](Arrival &arrival) { --arrival.reads; });
      },
      "overwrites page");
}

TEST(TileArgumentMistake, GivenBackBeforeItIsPassedOn) {
  expectReport(
      ringCase(),
      [](AttentionRun &run) {
        MoverWords(run, 1).arrival(0, 1,
                                   [](Arrival &arrival) { --arrival.sends; });
      },
      "overwrites page");
}

// One count for all landing stores: a core that is ahead makes up for one that
// is behind.
TEST(TileArgumentMistake, OneCountOfReadsForAllStores) {
  expectReport(
      ringCase(),
      [](AttentionRun &run) {
        for (uint32_t device = 0; device < 8; ++device) {
          MoverWords mover(run, device);
          for (uint32_t number = 0; number < 7; ++number)
            mover.arrival(0, number, [number](Arrival &arrival) {
              arrival.readsOf = 3;
              arrival.reads = 2 * (number + 1);
            });
          for (uint32_t piece = 1; piece < 8; ++piece)
            changePiece(run, device, piece,
                        [](Piece &piece) { piece.readSemaphore = 4; });
        }
      },
      "overwrites page", 1, 64);
}

TEST(TileArgumentMistake, TwoLandingStoresAreOne) {
  expectReport(
      ringCase(),
      [](AttentionRun &run) {
        for (uint32_t device = 0; device < 8; ++device)
          for (uint32_t field = 0; field < 2; ++field) {
            MoverWords mover(run, device);
            mover.store(2, field) = mover.store(1, field);
          }
      },
      "overwrites page");
}

TEST(TileArgumentMistake, PacketTooLarge) {
  AttentionCase what = ringCase();
  what.sizes.headDim = 64;
  expectReport(
      what, [](AttentionRun &run) { run.limits().packetBytes = 4000; },
      "expects packets of at most 4000 bytes, but got 4096");
}

TEST(TileArgumentMistake, PageBytesTooMany) {
  expectReport(
      ringCase(),
      [](AttentionRun &run) {
        MoverWords(run, 0).words[kValuePageBytes].value = 4096;
      },
      "reserves 2 pages of circular buffer 0, which has 1");
}

TEST(TileArgumentMistake, TooManyRegisters) {
  AttentionCase what;
  what.length = 4 * 32;
  what.options.queryChunk = what.options.keyChunk = 4;
  expectReport(
      what,
      [](AttentionRun &run) {
        auto &words = kernelOf(run, 0, "AttentionCompute.cpp").compileTime;
        words[kScoreBlockRows].value = 2;
      },
      "expects a register below 4, but got 4");
}

TEST(TileArgumentMistake, BufferTooSmall) {
  expectReport(
      ringCase(),
      [](AttentionRun &run) {
        --run.program().program.buffers[run.program().outputs].pages;
      },
      "expects a page below 3 of buffer \"outputs\", but got 3");
}

TEST(TileArgumentMistake, MaskIsMissing) {
  AttentionCase what;
  what.band = Band::causal();
  expectReport(
      what,
      [](AttentionRun &run) {
        auto &words = kernelOf(run, 0, "AttentionCompute.cpp").common;
        for (DeviceArgument &word : words)
          if (word.value == kMaskAll)
            word.value = 0;
      },
      "assertion fails");
}

/// The refusal of a program that was changed before it runs.
std::string refusalOf(const std::function<void(DeviceProgram &)> &change) {
  AttentionRun run(ringCase());
  change(run.program().program);
  Status status = verify(run.program().program, run.limits());
  EXPECT_EQ(run.execute(0).fault, status ? "" : status.message());
  return status ? "" : status.message();
}

TEST(TileProgram, IsRefusedBeforeItRuns) {
  EXPECT_EQ(refusalOf([](DeviceProgram &) {}), "");
  EXPECT_EQ(refusalOf([](DeviceProgram &program) {
              program.devices[1].circularBuffers[0].pages = 1000;
            }),
            "device 1: expects at most 1499136 bytes of L1 on core 0-0, but "
            "circular buffers, semaphores and what is reserved take 2324624");
  EXPECT_EQ(refusalOf([](DeviceProgram &program) {
              auto &mover = program.devices[0].kernels.back();
              mover.cores[0].connections[1] = mover.cores[0].connections[0];
            }),
            "device 0: expects one worker for each router, but RingMover.cpp "
            "and RingMover.cpp both connect to device 1 by link 0");
  EXPECT_EQ(refusalOf([](DeviceProgram &program) {
              program.devices[0].kernels[0].common.resize(400);
            }),
            "device 0: AttentionReader.cpp: expects at most 341 arguments, but "
            "got 400");
  EXPECT_EQ(refusalOf([](DeviceProgram &program) {
              program.devices[0].semaphores.resize(
                  14, program.devices[0].semaphores[0]);
            }),
            "device 0: expects at most 16 semaphores on core 2-0, but got 18");
  EXPECT_EQ(refusalOf([](DeviceProgram &program) {
              program.devices[2].kernels[0].processor = Processor::Compute;
            }),
            "device 2: expects one kernel on each processor, but "
            "AttentionCompute.cpp and AttentionReader.cpp share one of core "
            "0-0");
  EXPECT_EQ(refusalOf([](DeviceProgram &program) {
              program.buffers[0].pageBytes = 2049;
            }),
            "expects pages of a multiple of 32 bytes in buffer \"queries\", "
            "but got 4 of 2049");
}

TEST(TileProgram, UnknownKernel) {
  AttentionRun run(ringCase());
  run.program().program.devices[0].kernels[1].defines.push_back("SOMETHING");
  EXPECT_EQ(run.execute(0).fault,
            "the tile machine knows no kernel \"AttentionCompute.cpp "
            "SOMETHING\"");
}

TEST(TileProgram, BuilderRefuses) {
  AttentionCase what = ringCase();
  what.sizes.queryHeads = 3;
  what.sizes.keyHeads = 2;
  EXPECT_EQ(AttentionRun(what).refusal(),
            "expects the query heads to be a multiple of 2, but got 3");
  what = ringCase();
  what.jointLength = 5;
  what.band = Band::causal();
  EXPECT_EQ(AttentionRun(what).refusal(), "expects no mask beside joint rows");
  what = ringCase();
  what.options.queryChunk = 0;
  EXPECT_EQ(AttentionRun(what).refusal(),
            "expects sizes, chunks and cores of at least 1, but got a 0");
  what = ringCase();
  what.options.queryChunk = what.options.keyChunk = 20;
  what.sizes.headDim = 1024;
  EXPECT_NE(AttentionRun(what).refusal().find("bytes of L1"),
            std::string::npos);
}

// Tables are arguments, and those are limited.
TEST(TileProgram, RingsThatAreTooLargeAreRefused) {
  AttentionCase what;
  auto refusalOf = [&](uint32_t devices, LayoutKind layout) {
    what.devices = devices;
    what.length = int64_t{devices} * 64;
    what.layout = layout;
    return AttentionRun(what).refusal();
  };
  EXPECT_EQ(refusalOf(32, LayoutKind::Contiguous), "");
  EXPECT_EQ(refusalOf(32, LayoutKind::Zigzag), "");
  EXPECT_EQ(refusalOf(64, LayoutKind::Zigzag),
            "device 0: AttentionReader.cpp: expects at most 341 arguments, but "
            "got 548");
  what.mask.emplace(); // a word for each piece
  EXPECT_EQ(refusalOf(32, LayoutKind::Contiguous), "");
}

TEST(TileProgram, StatesAreSpilledWhereTheyDoNotFit) {
  AttentionCase what;
  what.devices = 2;
  what.length = 2 * 8 * 64;
  what.options.spill = true;
  AttentionRun spilled(what);
  const DeviceProgram &program = spilled.program().program;
  what.options.spill = std::nullopt;
  EXPECT_NE(AttentionRun(what).program().program.buffers.back().name, "states");
  what.options.limits.l1Bytes = static_cast<uint32_t>(
      l1BytesOf(program, program.devices[0], {0, 0}, what.options.limits));
  AttentionRun run(what);
  ASSERT_EQ(run.refusal(), "");
  EXPECT_EQ(run.program().program.buffers.back().name, "states");
  EXPECT_EQ(run.run(1), "");
}

/// Devices start their next launch whenever they are ready: what one leaves
/// must be right for the next.
TEST(TileProgram, SeveralLaunches) {
  for (bool both : {false, true})
    for (bool spill : {false, true}) {
      AttentionCase what = ringCase();
      what.bothDirections = both;
      what.options.spill = spill;
      what.band = Band::causal();
      what.layout = LayoutKind::Zigzag;
      AttentionRun run(what);
      for (uint64_t seed = 0; seed < 8; ++seed)
        EXPECT_EQ(run.run(seed, 3), "") << both << spill << seed;
    }
}

TEST(TileProgram, AttentionsInSequenceLeaveNothing) {
  AttentionCase one = ringCase(), two = ringCase();
  two.bothDirections = true;
  two.band = Band::causal();
  AttentionRun first(one), second(two);
  ASSERT_EQ(first.run(5), "");
  const AttentionNumbers before = first.found();
  ASSERT_EQ(second.run(5), "");
  ASSERT_EQ(first.run(5), "");
  EXPECT_EQ(first.found().outputs, before.outputs);
  // A run that fails leaves nothing either.
  AttentionRun broken(one);
  MoverWords(broken, 3).send(0, 4, [](Send &send) { --send.credits; });
  (void)broken.execute(2);
  ASSERT_EQ(first.run(5), "");
  EXPECT_EQ(first.found().outputs, before.outputs);
}

/// Two rings in the halves of a 2 x 4 mesh, and one device between two others
/// that has nothing to do.
TEST(TileProgram, RunsSideBySide) {
  AttentionCase what;
  what.devices = 4;
  what.length = 256;
  what.band = Band::causal();
  AttentionRun first(what, 1), second(what, 2);
  EXPECT_EQ(runSideBySide({&first, &second}, {{0, 1, 5, 4}, {2, 3, 7, 6}}, 8,
                          onTiles(3)),
            "");
  EXPECT_NE(first.found().outputs, second.found().outputs);
  what.devices = 2;
  what.length = 128;
  AttentionRun apart(what);
  EXPECT_EQ(runSideBySide({&apart}, {{2, 0}}, 3, onTiles(3)), "");
}

TEST(TileProgram, SideBySideRefuses) {
  AttentionCase what;
  what.devices = 2;
  what.length = 128;
  AttentionRun run(what);
  const DeviceProgram &program = run.program().program;
  EXPECT_EQ(sideBySide(program, {{0, 1, 2}}, 4).message(),
            "expects groups of 2 devices, but got one of 3");
  EXPECT_EQ(sideBySide(program, {{0, 1}, {1, 2}}, 4).message(),
            "expects every device below 4 at most once, but got 1");
  EXPECT_EQ(sideBySide(program, {{3, 4}}, 4).message(),
            "expects every device below 4 at most once, but got 4");
}

TEST(TileProgram, MemoryIsThatOfTheProgram) {
  AttentionRun run(ringCase());
  const DeviceProgram &program = run.program().program;
  const std::vector<uint32_t> inputs = run.inputs();
  MeshMemory memory = run.prepare();
  EXPECT_TRUE(bool(verifyMemory(program, memory, inputs)));
  EXPECT_EQ(verifyMemory(program, memory, {99}).message(),
            "expects inputs below 9, but got 99");
  memory[1][0].resize(100);
  EXPECT_EQ(verifyMemory(program, memory, inputs).message(),
            "expects 8192 bytes in buffer \"queries\", but got 100");
  memory[0].pop_back();
  EXPECT_EQ(verifyMemory(program, memory, inputs).message(),
            "expects 9 buffers on every device, but got 8");
  memory.pop_back();
  EXPECT_EQ(onTiles(0)(program, memory, inputs),
            "expects memory of 8 devices, but got that of 7");
}

/// Beside its own shard a device holds what lands: two shards one way, and one
/// way or both no more than there are arrivals.
TEST(TileProgram, StoresAreAsManyAsArrivalsNeed) {
  auto storesOf = [](uint32_t devices, bool both) {
    AttentionCase what;
    what.devices = devices;
    what.length = int64_t{devices} * 64;
    what.bothDirections = both;
    return AttentionRun(what).program().keys.size();
  };
  EXPECT_EQ(storesOf(1, true), 1u);
  EXPECT_EQ(storesOf(2, false), 2u);
  EXPECT_EQ(storesOf(2, true), 3u);
  EXPECT_EQ(storesOf(8, false), 3u);
  EXPECT_EQ(storesOf(8, true), 5u);
}

TEST(TileProgram, CountsWork) {
  AttentionCase what;
  what.length = 128;
  what.sizes.headDim = what.sizes.valueDim = 64;
  AttentionRun run(what);
  const TileResult result = run.execute(0);
  ASSERT_TRUE(result.passed()) << result.fault;
  const TileCounters &counters = result.devices[0];
  // 4 x 4 tiles of scores: two products each for q k^T and p v, one for sums.
  // The first chunk of keys, 2 x 2 tiles for both chunks of queries, is met
  // once more to find the maxima.
  EXPECT_EQ(counters.tileProducts, 16u * (2 + 2 + 1) + 2 * 4 * 2);
  // One for each tile of scores, and one for each row of them where the first
  // chunk of keys raises the references; the second does not.
  EXPECT_EQ(counters.exponentialTiles, 16u + 4);
  EXPECT_EQ(counters.fabricBytes, 0u);
  // Queries and outputs once, keys and values for both chunks of queries, f32
  // log-sum-exps.
  EXPECT_EQ(counters.dramBytes, 2048u * (8 + 8 + 2 * (8 + 8)) + 4096 * 4);
}

TEST(TileProgram, CountsWhatTravels) {
  AttentionCase what;
  what.devices = 4;
  what.length = 4 * 64;
  what.sizes.headDim = what.sizes.valueDim = 64;
  const uint64_t shard = 2 * 64 * 64 * 2;
  for (bool both : {false, true}) {
    what.bothDirections = both;
    const TileResult result = AttentionRun(what).execute(0);
    ASSERT_TRUE(result.passed()) << result.fault;
    for (const TileCounters &counters : result.devices)
      EXPECT_EQ(counters.fabricBytes, 3 * shard);
  }
  // Causal and contiguous, one way: what nobody behind sees does not travel.
  what.bothDirections = false;
  what.band = Band::causal();
  const TileResult causal = AttentionRun(what).execute(0);
  ASSERT_TRUE(causal.passed()) << causal.fault;
  const uint64_t shards[] = {1, 2, 3, 0};
  for (int device = 0; device < 4; ++device)
    EXPECT_EQ(causal.devices[device].fabricBytes, shards[device] * shard);
  // A window: one row of tiles of the neighbour.
  what.band = {31, 0};
  const TileResult window = AttentionRun(what).execute(0);
  ASSERT_TRUE(window.passed()) << window.fault;
  EXPECT_EQ(window.devices[0].fabricBytes, shard / 2);
  EXPECT_EQ(window.devices[3].fabricBytes, 0u);
}

/// What is counted from the arguments is what the kernels do.
TEST(TileProgram, DoesTheWorkThatWasCounted) {
  for (LayoutKind layout : {LayoutKind::Contiguous, LayoutKind::Zigzag})
    for (Band band : {Band(), Band::causal(), Band{70, 0}})
      for (bool spill : {false, true})
        for (int64_t joint : {0, 40}) {
          if (joint && !band.isUnbounded())
            continue;
          AttentionCase what;
          what.devices = 4;
          what.length = 4 * 128 - 50;
          what.layout = layout;
          what.band = band;
          what.jointLength = joint;
          what.sizes.queryHeads = 4;
          what.sizes.keyHeads = 2;
          what.sizes.headDim = 64;
          what.options.cores = 3;
          what.options.queryChunk = 3;
          what.options.spill = spill;
          what.options.sink = spill;
          what.options.handOn = true;
          what.options.cores = 5;
          if (!joint) {
            what.mask.emplace().wide = spill;
            what.mask->hidden = 0; // references are those of the first chunk
          }
          AttentionRun run(what);
          const TileResult result = run.execute(1);
          ASSERT_TRUE(result.passed()) << result.fault;
          const std::vector<DeviceWork> works =
              workOf(run.program(), what.options);
          for (size_t device = 0; device < works.size(); ++device) {
            const TileCounters &counters = result.devices[device];
            const AttentionWork &work = works[device].all;
            EXPECT_EQ(counters.dramBytes, work.dramBytes);
            EXPECT_EQ(counters.fabricBytes, work.fabricBytes);
            EXPECT_EQ(counters.addedBytes, work.addedBytes);
            // A window hides all of the first chunk of keys from some rows,
            // whose references rise with another.
            if (band.before) {
              EXPECT_GE(counters.tileProducts, work.products());
              EXPECT_GE(counters.exponentialTiles, work.exponentials);
              continue;
            }
            EXPECT_EQ(counters.tileProducts, work.products());
            EXPECT_EQ(counters.exponentialTiles, work.exponentials);
            EXPECT_EQ(counters.tileOperations, work.tileOperations);
            EXPECT_EQ(counters.packedBytes, work.packedBytes);
          }
        }
}

} // namespace
