// SPDX-License-Identifier: Apache-2.0
//
// Bytes as people read them.

#include "ring/Machine/Bytes.h"

#include "gtest/gtest.h"

using ring::machine::formatBytes;

TEST(Bytes, HaveTheUnitThatFits) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(1024), "1.0 KiB");
  EXPECT_EQ(formatBytes(14.25 * 1024 * 1024 * 1024), "14.2 GiB");
  EXPECT_EQ(formatBytes(1 << 20), "1.0 MiB");
  EXPECT_EQ(formatBytes(0x1p53), "8192.0 TiB");
}
