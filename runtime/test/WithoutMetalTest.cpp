// SPDX-License-Identifier: Apache-2.0
//
// A runtime without TT-Metalium says how to get one with it.

#include "ring-runtime/MetalMachine.h"

#include <gtest/gtest.h>

using namespace ring::rt;

TEST(WithoutMetal, SaysSo) {
  EXPECT_FALSE(metalIsBuiltIn());
  const Result<std::unique_ptr<MetalMachine>> opened = MetalMachine::open(1, 2);
  ASSERT_FALSE(bool(opened));
  EXPECT_EQ(opened.message(),
            "expects a runtime with TT-Metalium to run device programs, but "
            "this one was built without; install TT-Metalium, configure with "
            "-DRING_ENABLE_METAL=ON and its prefix in CMAKE_PREFIX_PATH, and "
            "build again");
  EXPECT_EQ(MetalMachine::devicesThere().message(), opened.message());
}
