// SPDX-License-Identifier: Apache-2.0
//
// Block floating point: single codes worked out by hand, and the error bound of
// the format on random blocks.

#include "Kernels/BlockFloat.h"
#include "KernelTest.h"

#include <random>

namespace ring::rt::kernels::test {
namespace {

TEST(BlockFloat, CodesOfBfp8) {
  const uint8_t one = 127; // the exponent of 1.0
  const auto code = [&](float value, uint8_t exponent = 127) {
    return encodeBlockValue(BlockFormat::Bfp8B, value, exponent);
  };
  EXPECT_EQ(code(1.0f), 64);
  EXPECT_EQ(code(-1.0f), 128 + 64);
  EXPECT_EQ(code(1.5f), 96);
  EXPECT_EQ(code(0.5f), 32);
  EXPECT_EQ(code(0.3f), 19); // 19.2
  EXPECT_EQ(code(0.0f), 0);
  EXPECT_EQ(code(-0.0f), 0);
  EXPECT_EQ(code(0x1p-130f), 0); // a denormal
  // Ties go to the even mantissa: 64.5 / 64 and 65.5 / 64.
  EXPECT_EQ(code(1.0078125f), 64);
  EXPECT_EQ(code(1.0234375f), 66);
  // 127.5 / 64 would round to 128, which the mantissa cannot hold.
  EXPECT_EQ(code(1.9921875f), 127);
  EXPECT_EQ(code(1.9999999f), 127);
  // Aligning cuts before rounding looks: 0.5 + 2^-24 is above the tie for 1 of
  // 64 steps by a bit that a shift of 7 takes away, which leaves a tie.
  EXPECT_EQ(code(0x1.000002p-7f), 0);
  EXPECT_EQ(code(0x1.8p-7f), 1);
  EXPECT_EQ(code(0x1p-40f), 0);
  EXPECT_EQ(decodeBlockValue(BlockFormat::Bfp8B, 19, one), 0.296875f);
  EXPECT_EQ(decodeBlockValue(BlockFormat::Bfp8B, 128 + 64, one), -1.0f);
  EXPECT_EQ(decodeBlockValue(BlockFormat::Bfp8B, 127, 130), 127.0f / 8.0f);
  EXPECT_EQ(decodeBlockValue(BlockFormat::Bfp8B, 1, 1), 0.0f);
}

TEST(BlockFloat, CodesOfBfp4) {
  const auto code = [](float value) {
    return encodeBlockValue(BlockFormat::Bfp4B, value, 127);
  };
  EXPECT_EQ(code(1.0f), 4);
  EXPECT_EQ(code(-1.75f), 8 + 7);
  EXPECT_EQ(code(1.95f), 7);
  EXPECT_EQ(code(0.125f), 0); // a tie: 0.5 of a step
  EXPECT_EQ(code(0.375f), 2); // a tie: 1.5 steps
  EXPECT_EQ(decodeBlockValue(BlockFormat::Bfp4B, 7, 127), 1.75f);
  EXPECT_EQ(decodeBlockValue(BlockFormat::Bfp4B, 8 + 2, 128), -1.0f);
}

TEST(BlockFloat, ErrorBoundAndIdempotence) {
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  constexpr int64_t kRows = 37, kColumns = 41;
  std::vector<float> values(kRows * kColumns);
  for (float &value : values)
    value = normal(engine) * std::exp2(static_cast<float>(engine() % 12));
  for (BlockFormat format : {BlockFormat::Bfp8B, BlockFormat::Bfp4B}) {
    std::vector<float> rounded(values.size());
    roundThroughBlockFormat(format, values.data(), kRows, kColumns,
                            rounded.data());
    for (int64_t row = 0; row < kRows; ++row)
      for (int64_t begin = 0; begin < kColumns; begin += 16) {
        const int64_t end = std::min<int64_t>(begin + 16, kColumns);
        float largest = 0.0f;
        for (int64_t i = begin; i < end; ++i)
          largest = std::max(largest, std::fabs(values[row * kColumns + i]));
        // One step is 2^(1 - bits) of the largest power of two; rounding is off
        // by half, saturation by up to a whole one.
        const double step = std::exp2(std::floor(std::log2(largest)) + 1 -
                                      mantissaBits(format));
        for (int64_t i = begin; i < end; ++i) {
          const double error = std::fabs(double(rounded[row * kColumns + i]) -
                                         values[row * kColumns + i]);
          const bool top = std::fabs(values[row * kColumns + i]) >
                           step * (std::exp2(mantissaBits(format)) - 1);
          EXPECT_LE(error, top ? step : step / 2 * 1.00001);
        }
      }
    std::vector<float> again(values.size());
    roundThroughBlockFormat(format, rounded.data(), kRows, kColumns,
                            again.data());
    EXPECT_EQ(rounded, again);

    // Tiles hold the same values.
    std::vector<uint8_t> tiles(blockArrayBytes(format, kRows, kColumns), 0xee);
    EXPECT_EQ(tiles.size(), 4u * (format == BlockFormat::Bfp8B ? 1088u : 576u));
    packBlockTiles(format, values.data(), kRows, kColumns, tiles.data());
    std::vector<float> unpacked(values.size(), NAN);
    unpackBlockTiles(format, tiles.data(), kRows, kColumns, unpacked.data());
    EXPECT_EQ(unpacked, rounded);
  }
}

TEST(BlockFloat, PlaceInTheTile) {
  // One value in the third row of the lower right face.
  std::vector<float> values(32 * 32);
  values[(16 + 2) * 32 + 16 + 5] = -1.0f;
  std::vector<uint8_t> tile(1088);
  packBlockTiles(BlockFormat::Bfp8B, values.data(), 32, 32, tile.data());
  EXPECT_EQ(tile[3 * 16 + 2], 127);
  EXPECT_EQ(tile[64 + 3 * 256 + 2 * 16 + 5], 128 + 64);
  packBlockTiles(BlockFormat::Bfp4B, values.data(), 32, 32, tile.data());
  EXPECT_EQ(tile[64 + (3 * 256 + 2 * 16 + 5) / 2], (8 + 4) << 4);
}

} // namespace
} // namespace ring::rt::kernels::test
