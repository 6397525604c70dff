// SPDX-License-Identifier: Apache-2.0
//
// The chip model, term by term.

#include "ring/Machine/ChipModel.h"
#include "ring/Machine/MachineFile.h"

#include <gtest/gtest.h>

namespace ring::machine {
namespace {

AttentionCall wan() {
  AttentionCall call;
  call.heads = 10;
  call.queries = call.keys = 9472;
  call.keyDim = call.valueDim = 128;
  call.queryChunk = 288;
  call.keyChunk = 512;
  return call;
}

/// Chunk sizes that people found by hand, by heads, tokens and cores: Wan 2.2
/// on rings of 8 and of 32, and Flux, 512 tokens and as many joint ones.
TEST(ChipModel, ChoosesTheChunksInUse) {
  struct {
    int64_t heads, tokens, joint, cores, queryChunk;
  } const inUse[] = {
      {10, 9472, 0, 110, 288}, {10, 2368, 0, 110, 224}, {6, 512, 512, 110, 64}};
  MachineOrError machine = loadMachine("blackhole-galaxy");
  for (const auto &use : inUse) {
    AttentionCall call = wan();
    call.heads = use.heads;
    call.queries = call.keys = use.tokens + use.joint;
    call.jointQueries = call.jointKeys = use.joint;
    call.cores = use.cores;
    call.queryChunk = call.keyChunk = 0;
    chooseChunks(*machine, call);
    EXPECT_EQ(call.queryChunk, use.queryChunk) << use.tokens;
    // Smaller chunks of keys are there a little sooner.
    double chosen = attentionTime(*machine, call).seconds;
    call.keyChunk = 512;
    EXPECT_LE(attentionTime(*machine, call).seconds, 1.05 * chosen)
        << use.tokens;
  }
}

TEST(ChipModel, CountsSlotsAndChunks) {
  MachineOrError machine = loadMachine("quiet-box");
  AttentionTime time = attentionTime(*machine, wan());
  // 33 chunks x 10 heads on 110 cores, three each; 296 columns of keys in 19
  // chunks.
  double scores = 3.0 * 296 * 9;
  EXPECT_NEAR(time.slotWaste, 0, 1e-12);
  EXPECT_NEAR(time.productCycles, scores * (4 * 1.3 + 4) * 32 * 1.049, 1e-3);
  EXPECT_NEAR(time.expCycles, scores * 68, 1e-3);
  EXPECT_NEAR(time.softmaxCycles,
              3 * 19 * (9 * (4 * 2 * 44 + 74 + 204 + 0.957 * 32) + 1270), 1e-3);
  EXPECT_NEAR(time.chunkWaste, 1 - 9472.0 * 9472 / (33 * 288 * 19 * 512), 1e-9);
  EXPECT_STREQ(time.bound, "products");
  // One chunk more than the cores take in three rounds makes a fourth.
  AttentionCall longer = wan();
  longer.queries = 33 * 288 + 32;
  AttentionTime fourth = attentionTime(*machine, longer);
  EXPECT_NEAR(fourth.slotWaste, 1 - 340.0 / 440, 1e-9);
  EXPECT_GT(fourth.seconds, 1.3 * time.seconds);
}

/// Tiles of circular buffers, counted one by one: queries (twice where another
/// chunk follows), keys and values twice; scores, three outputs and the one
/// that leaves, nine columns of statistics, four scalars, and 80 bytes of
/// signals.
TEST(ChipModel, L1IsTheDocumentedFormula) {
  AttentionCall call = wan(); // q = 9, k = 16, D = V = 4 tiles
  int64_t held = 9 * 16 + 4 * 9 * 4 + 9 * 9 + 4, keys = 2 * 16 * (4 + 4);
  EXPECT_EQ(attentionBufferBytes(call, 2),
            2048 * (9 * 4 * 2 + keys + held) + 80);
  EXPECT_EQ(attentionBufferBytes(call, 1), 2048 * (9 * 4 + keys + held) + 80);
  // Block floats are smaller on their way in only.
  AttentionCall packed = call;
  packed.tileBytes = kBfp8TileBytes;
  EXPECT_EQ(attentionBufferBytes(packed, 2),
            1088 * (9 * 4 * 2 + keys) + 2048 * held + 80);
  // Scores and two of the nine columns are f32; two columns, a scalar and the
  // signal of the other kernel are not there.
  AttentionCall precise = call;
  precise.f32Accumulation = true;
  EXPECT_EQ(attentionBufferBytes(precise, 2),
            2048 * (9 * 4 * 2 + keys + 4 * 9 * 4 + 5 * 9 + 3) +
                4096 * (9 * 16 + 2 * 9) + 64);
  // One short chunk of queries leaves in two groups of two rows.
  AttentionCall flat = call;
  flat.queryChunk = 64;
  EXPECT_EQ(attentionBufferBytes(flat, 1),
            2048 * (2 * 4 + keys + 2 * 16 + 3 * 2 * 4 + 4 * 4 + 9 * 2 + 4) +
                80);
  EXPECT_EQ(attentionBufferBytes(flat, 2),
            2048 * (2 * 4 * 2 + keys + 2 * 16 + 4 * 2 * 4 + 9 * 2 + 4) + 80);

  // -inf, the diagonal, a length of 4000 = 125 tiles; then one of 4001 and 7
  // joint tokens; then a sink.
  EXPECT_EQ(ringMaskBytes(true, false, 4000, 0), 2 * 2048);
  EXPECT_EQ(ringMaskBytes(false, false, 4001, 7), 3 * 2048);
  EXPECT_EQ(ringMaskBytes(true, true, 4000, 0), 3 * 2048);
  call.fixedL1Bytes = ringMaskBytes(false, false, 9472 * 8, 0);
  EXPECT_EQ(attentionBufferBytes(call, 2),
            2048 * (9 * 4 * 2 + keys + held + 1) + 80);
}

TEST(ChipModel, L1OfRingDistributed) {
  AttentionCall call = wan();
  call.kernel = AttentionKernel::Distributed;
  int64_t inputs = 9 * 4 * 2 + 2 * 16 * (4 + 4), output = 9 * 4;
  int64_t held = 9 * 16 + 2 * 9 * 4 + 5 * 9 + 4;
  for (int64_t rounds : {1, 2})
    EXPECT_EQ(attentionBufferBytes(call, rounds),
              2048 * (inputs + held + output));
  call.tileBytes = kBfp4TileBytes;
  call.fixedL1Bytes = pageTableBytes(17);
  EXPECT_EQ(attentionBufferBytes(call, 1),
            576 * (inputs + output) + 2048 * held + 128);
}

/// Joint tokens come in chunks of their own. 7 heads of 2048 tokens are 56
/// chunks of 256, one for each of 56 cores; if 128 of them are joint, 8 chunks
/// and one more for each head, so that a core has two.
TEST(ChipModel, CountsJointChunksApart) {
  MachineOrError machine = loadMachine("t3000");
  AttentionCall call = wan();
  call.heads = 7;
  call.queryChunk = 256;
  call.keyChunk = 128;
  call.cores = 56;
  call.queries = call.keys = 2048;
  int64_t reserved = machine->chip.l1Reserved;
  AttentionTime without = attentionTime(*machine, call);
  EXPECT_EQ(without.l1Bytes, reserved + attentionBufferBytes(call, 1));
  call.jointQueries = call.jointKeys = 128;
  AttentionTime with = attentionTime(*machine, call);
  EXPECT_EQ(with.l1Bytes, reserved + attentionBufferBytes(call, 2));
  EXPECT_GT(with.seconds, without.seconds);
}

/// The buffers end where L1 does: 1464 KiB on Wormhole, 1536 on Blackhole.
TEST(ChipModel, FillsL1ToItsEnd) {
  for (const char *name : {"t3000", "quiet-box"}) {
    MachineOrError machine = loadMachine(name);
    AttentionCall call = wan();
    AttentionTime time = attentionTime(*machine, call);
    EXPECT_EQ(time.fits, time.l1Bytes <= machine->chip.l1Bytes) << name;
    call.fixedL1Bytes = machine->chip.l1Bytes - time.l1Bytes;
    EXPECT_TRUE(attentionTime(*machine, call).fits) << name;
    call.fixedL1Bytes += 1;
    EXPECT_FALSE(attentionTime(*machine, call).fits) << name;
  }
  EXPECT_FALSE(attentionTime(*loadMachine("t3000"), wan()).fits);
  EXPECT_TRUE(attentionTime(*loadMachine("quiet-box"), wan()).fits);
}

TEST(ChipModel, ATriangleTakesMoreThanHalf) {
  MachineOrError machine = loadMachine("quiet-box");
  AttentionCall causal = wan();
  causal.pairs = 0.5;
  causal.borders = 1;
  causal.longestRow = 1;
  double whole = attentionTime(*machine, wan()).seconds;
  double half = attentionTime(*machine, causal).seconds;
  EXPECT_GT(half, whole / 2);
  EXPECT_LT(half, whole * 0.8);
  // Three chunks a core: two balance each other, the third may be the longest.
  causal.longestRow = 0;
  EXPECT_LT(attentionTime(*machine, causal).seconds, half);
}

TEST(ChipModel, DecodingIsBoundByMemory) {
  MachineOrError machine = loadMachine("p150");
  AttentionCall call;
  call.heads = 8;
  call.queries = 32;
  call.keys = 131072;
  call.keyDim = call.valueDim = 128;
  AttentionTime time = attentionTime(*machine, call);
  double bytes = 2.0 * 8 * 131072 * 128 * 2;
  EXPECT_STREQ(time.bound, "DRAM");
  EXPECT_GE(time.seconds, bytes / machine->chip.dramBandwidth);
  EXPECT_LT(time.seconds, 1.3 * bytes / machine->chip.dramBandwidth);
}

TEST(ChipModel, ExponentialsBindSmallHeads) {
  MachineOrError machine = loadMachine("p150");
  AttentionCall call = wan();
  call.keyDim = call.valueDim = 32;
  call.fidelity = Fidelity::LoFi;
  EXPECT_STREQ(attentionTime(*machine, call).bound, "exponentials");
}

TEST(ChipModel, NothingToDoTakesNoTime) {
  MachineOrError machine = loadMachine("p150");
  AttentionCall call = wan();
  call.pairs = 0;
  EXPECT_EQ(attentionTime(*machine, call).seconds, 0);
  call = wan();
  call.keys = 0;
  EXPECT_EQ(attentionTime(*machine, call).seconds, 0);
}

TEST(ChipModel, ProductsAndCopies) {
  MachineOrError machine = loadMachine("n150");
  // 64 x 64 x 128 tiles on 64 cores: 64 outputs of 128 products each.
  OpTime product = productTime(*machine, 1, 2048, 4096, 2048, 1);
  constexpr double kLaunch = 2900e-9;
  EXPECT_NEAR(product.seconds, kLaunch + 64 * 128 * 32 / 0.93 / 1e9, 1e-12);
  EXPECT_STREQ(product.bound, "products");
  EXPECT_STREQ(productTime(*machine, 1, 32, 4096, 4096, 4096 * 4096 * 2).bound,
               "DRAM");
  EXPECT_DOUBLE_EQ(moveTime(*machine, 190e9).seconds, kLaunch + 1);
  EXPECT_GT(elementwiseTime(*machine, 1, 1).seconds, kLaunch);
  EXPECT_STREQ(elementwiseTime(*machine, 1e6, 6e6).bound, "DRAM");
  EXPECT_STREQ(elementwiseTime(*machine, 1e9, 8).bound, "vector unit");
}

TEST(ChipModel, AProcessorWorksAtItsShare) {
  MachineOrError machine = loadMachine("cpu-mesh");
  AttentionCall call = wan();
  call.packsKeys = false;
  double rows = 10 * 9472, numbers = 2 * 128 * 4;
  AttentionTime time = attentionTime(*machine, call);
  EXPECT_NEAR(time.seconds,
              time.flops / (200e9 * 0.9) + rows * numbers / 16e9 + 3e-6, 1e-9);
  // Half way between 64 (86 %) and 128 (90 %).
  call.keyDim = call.valueDim = 96;
  time = attentionTime(*machine, call);
  EXPECT_NEAR(time.seconds,
              time.flops / (200e9 * 0.88) + rows * 2 * 96 * 4 / 16e9 + 3e-6,
              1e-9);
}

TEST(ChipModel, AProcessorPaysForStatePackingAndBorders) {
  MachineOrError machine = loadMachine("cpu-mesh");
  AttentionCall call = wan();
  double whole = attentionTime(*machine, call).seconds;
  double packing = 4.0 * 10 * 9472 * 128 / 6e9;
  EXPECT_NEAR(packSeconds(*machine->processor, call), packing, 1e-9);
  call.packsKeys = false;
  double rest = attentionTime(*machine, call).seconds;
  EXPECT_NEAR(whole - rest, packing, 1e-9);
  // In place of the output a state goes in as well as out, with a maximum and
  // a sum.
  call.carriesState = true;
  double rows = 4.0 * 10 * 9472;
  EXPECT_NEAR(attentionTime(*machine, call).seconds - rest,
              rows * (3 * 128 + 4) / 24e9 - rows * 2 * 128 / 16e9, 1e-9);
  // A causal row meets 24 keys in vain, but never more than there are.
  call.carriesState = false;
  call.pairs = 0.5;
  double inside = attentionTime(*machine, call).seconds;
  call.borders = 1;
  double perKey = 2.0 * 10 * 9472 * 256 / (200e9 * 0.9);
  EXPECT_NEAR(attentionTime(*machine, call).seconds - inside, 24 * perKey,
              1e-9);
  call.pairs = 1;
  EXPECT_NEAR(attentionTime(*machine, call).seconds, rest, 1e-9);
}

} // namespace
} // namespace ring::machine
