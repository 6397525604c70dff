// SPDX-License-Identifier: Apache-2.0
//
// Which name was meant.

#include "ring/Support/NearestName.h"

#include <gtest/gtest.h>

using namespace ring;

namespace {

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(editDistance("ring", "ring"), 0u);
  EXPECT_EQ(editDistance("", "ring"), 4u);
  EXPECT_EQ(editDistance("ring", ""), 4u);
  EXPECT_EQ(editDistance("rng", "ring"), 1u) << "one is left out";
  EXPECT_EQ(editDistance("riing", "ring"), 1u) << "one is too many";
  EXPECT_EQ(editDistance("rang", "ring"), 1u) << "one is another";
  EXPECT_EQ(editDistance("rign", "ring"), 1u) << "two are exchanged";
  EXPECT_EQ(editDistance("Split-KV", "split_kv"), 0u);
  EXPECT_EQ(editDistance("halo", "usp"), 4u);
}

TEST(NearestName, SuggestsWhatIsNear) {
  std::vector<std::string> known = {"n150", "n300", "ring", "t3000", "usp"};
  EXPECT_EQ(nearestName("rign", known), "ring");
  EXPECT_EQ(nearestName("t300", known), "t3000") << "it begins alike";
  EXPECT_EQ(nearestName("n30", known), "n300");
  EXPECT_EQ(nearestName("spiral", known), "") << "nothing is near";
  EXPECT_EQ(nearestName("x", known), "");
  EXPECT_EQ(nearestName("", known), "");
  EXPECT_EQ(nearestName("ring", {}), "");
  EXPECT_EQ(didYouMean("rign", known), "; did you mean 'ring'?");
  EXPECT_EQ(didYouMean("spiral", known), "");
}

} // namespace
