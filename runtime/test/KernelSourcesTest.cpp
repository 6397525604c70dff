// SPDX-License-Identifier: Apache-2.0
//
// The texts of the device kernels that are part of the library.

#include "ring-runtime/KernelSources.h"

#include <gtest/gtest.h>

using namespace ring::rt;

namespace {

size_t countOf(const std::string &text, const std::string &what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1))
    ++count;
  return count;
}

class KernelText : public testing::TestWithParam<const char *> {};

/// Only the device's own headers are left to be included.
TEST_P(KernelText, NeedsNoFileOfOurs) {
  const Result<std::string> text = kernelText(GetParam());
  ASSERT_TRUE(bool(text));
  size_t includes = 0;
  for (size_t at = text->find("#include \""); at != std::string::npos;
       at = text->find("#include \"", at + 1)) {
    const std::string name = text->substr(at + 10, 10);
    EXPECT_TRUE(name.substr(0, 4) == "api/" || name == "tt_metal/f") << name;
    ++includes;
  }
  EXPECT_GT(includes, 0u);
  EXPECT_EQ(countOf(*text, "void kernel_main() {"), 1u);
}

TEST_P(KernelText, HasEveryHeaderOnce) {
  const Result<std::string> text = kernelText(GetParam());
  ASSERT_TRUE(bool(text));
  for (const char *header : {"ATTENTIONARGUMENTS", "ATTENTIONBUFFERS",
                             "COMMONWORDS", "CONSTANTTILES", "MOVERARGUMENTS",
                             "NOCCORES", "RINGCONNECTIONS", "TILEMASK"})
    EXPECT_LE(
        countOf(*text, "#define RING_DEVICE_" + std::string(header) + "_H"), 1u)
        << header;
  // All kernels have the tables, and the tables use masks.
  EXPECT_EQ(countOf(*text, "#define RING_DEVICE_TILEMASK_H"), 1u);
  EXPECT_LT(text->find("struct TileBand {"),
            text->find("struct AttentionTables {"));
}

/// Our headers use the device's names and so follow its headers.
TEST_P(KernelText, HasTheDevicesHeadersFirst) {
  const Result<std::string> text = kernelText(GetParam());
  ASSERT_TRUE(bool(text));
  EXPECT_LT(text->rfind("#include \"api/"), text->find("#ifndef RING_DEVICE_"));
}

INSTANTIATE_TEST_SUITE_P(All, KernelText,
                         testing::Values("AttentionReader.cpp",
                                         "AttentionCompute.cpp",
                                         "AttentionWriter.cpp",
                                         "RingMover.cpp"));

TEST(KernelText, StartsWithItsDefines) {
  const Result<std::string> plain = kernelText("AttentionCompute.cpp");
  const Result<std::string> defined =
      kernelText("AttentionCompute.cpp", {"RING_APPROXIMATE_EXP", "LIMIT=3"});
  ASSERT_TRUE(bool(plain) && bool(defined));
  EXPECT_EQ(*defined,
            "#define RING_APPROXIMATE_EXP 1\n#define LIMIT 3\n" + *plain);
}

TEST(KernelText, IsShorterWithoutComments) {
  EXPECT_EQ(withoutComments("// a\n\nint x; // b\n  /// c\n  int y;"),
            "int x;\n  int y;\n");
  const Result<std::string> text = kernelText("RingMover.cpp");
  ASSERT_TRUE(bool(text));
  const std::string shorter = withoutComments(*text);
  EXPECT_LT(shorter.size(), text->size() * 3 / 4);
  EXPECT_EQ(countOf(shorter, "//"), 0u);
}

TEST(KernelText, RefusesWhatThereIsNot) {
  const Result<std::string> text = kernelText("Reader.cpp");
  ASSERT_FALSE(bool(text));
  EXPECT_EQ(text.message(),
            "expects a kernel of runtime/device, but got 'Reader.cpp'");
}

} // namespace
