// SPDX-License-Identifier: Apache-2.0
//
// The model against what was published: errors stay within bounds, the docs
// show what the model says, and every prediction has the error of its kind.

#include "ring/Machine/MachineFile.h"
#include "ring/Machine/MeshOnMachine.h"
#include "ring/Machine/PredictionText.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace ring::machine {
namespace {

bool isRing(const PublishedFigure &figure) {
  return *std::max_element(figure.mesh.begin(), figure.mesh.end()) > 1;
}

/// No constant was chosen by these.
TEST(PublishedFigures, ThoseThatWereNotFittedAreNear) {
  std::vector<double> errors;
  for (const PublishedFigure &figure : publishedFigures())
    if (figure.use == "predicted") {
      errors.push_back(std::abs(errorOf(figure)));
      EXPECT_LE(errors.back(), 0.15) << figure.name;
    }
  ASSERT_GE(errors.size(), 95u);
  std::sort(errors.begin(), errors.end());
  EXPECT_LE(errors[errors.size() / 2], 0.05);
}

TEST(PublishedFigures, FittedOnesAreNearer) {
  size_t fitted = 0;
  for (const PublishedFigure &figure : publishedFigures())
    if (figure.use == "fitted") {
      EXPECT_LE(std::abs(errorOf(figure)), 0.10) << figure.name;
      ++fitted;
    }
  // As many as docs/MachineModel.md names.
  EXPECT_EQ(fitted, 21u);
}

TEST(PublishedFigures, AreWhatTheModelCallsThem) {
  for (const PublishedFigure &figure : publishedFigures()) {
    EXPECT_TRUE(figure.use == "fitted" || figure.use == "predicted" ||
                (figure.use == "left out" && !figure.assumed.empty()))
        << figure.name;
    EXPECT_TRUE(loadMachine(figure.machine)) << figure.name;
    EXPECT_FALSE(figure.source.empty()) << figure.name;
    EXPECT_GT(figure.published, 0) << figure.name;
    if (figure.call.queries > 0 && figure.call.cores > 0 &&
        figure.kind != "ring window" && figure.use != "left out")
      EXPECT_EQ(figureKind(figure.call, isRing(figure)), figure.kind)
          << figure.name;
  }
}

/// docs/MachineModel.md has the table as the model gives it.
TEST(PublishedFigures, DocsShowThem) {
  std::ifstream file(RING_DOCS_DIR "/MachineModel.md");
  std::stringstream docs;
  docs << file.rdbuf();
  EXPECT_NE(docs.str().find(publishedTable()), std::string::npos)
      << "expects this table in docs/MachineModel.md:\n"
      << publishedTable();
}

TEST(PublishedFigures, ErrorsAreThoseOfTheKind) {
  Machine blackhole = *loadMachine("blackhole-galaxy");
  for (const char *kind :
       {"ring full", "ring causal", "own keys causal", "decode"}) {
    double most = 0;
    for (const PublishedFigure &figure : publishedFigures())
      if (figure.kind == kind && figure.use == "predicted" &&
          loadMachine(figure.machine)->chip.architecture == "blackhole")
        most = std::max(most, std::abs(errorOf(figure)));
    EarnedError error = earnedError(blackhole, kind);
    EXPECT_TRUE(error.covered) << kind;
    EXPECT_GT(error.most, 0) << kind;
    EXPECT_EQ(error.most, most) << kind;
  }
  EXPECT_FALSE(earnedError(blackhole, "ring window").covered);
  EXPECT_FALSE(earnedError(blackhole, "").covered);
  EXPECT_TRUE(earnedError(*loadMachine("t3000"), "decode").covered);
  EXPECT_FALSE(earnedError(*loadMachine("t3000"), "ring full").covered);
  EXPECT_FALSE(earnedError(*loadMachine("cpu-mesh"), "ring full").covered);
}

TEST(PublishedFigures, KnowWhatACallIs) {
  AttentionCall call;
  call.heads = 8;
  call.queries = call.keys = 4096;
  call.keyDim = call.valueDim = 128;
  EXPECT_EQ(figureKind(call, true), "ring full");
  EXPECT_EQ(figureKind(call, false), "one chip full");
  call.carriesState = true;
  EXPECT_EQ(figureKind(call, false), "");
  call.carriesState = false;
  call.pairs = 0.5;
  EXPECT_EQ(figureKind(call, true), "ring causal");
  EXPECT_EQ(figureKind(call, false), "");
  AttentionCall window = call, masked = call;
  window.borders = 2;
  masked.mask = true;
  EXPECT_EQ(figureKind(window, true), "");
  EXPECT_EQ(figureKind(masked, true), "");
  call.kernel = AttentionKernel::Distributed;
  EXPECT_EQ(figureKind(call, true), "own keys causal");
  call.f32Accumulation = true;
  EXPECT_EQ(figureKind(call, true), "own keys causal f32");
  call.queries = 1;
  EXPECT_EQ(figureKind(call, false), "decode");
  EXPECT_EQ(figureKind(call, true), "");
  call.carriesState = true;
  EXPECT_EQ(figureKind(call, false), "");
}

TEST(PredictionText, ReadsByItself) {
  PredictedTime time{38.9e-6, 0.06, 10e-6, 0.8e-6, {true, 0.0712}};
  EXPECT_EQ(formatPrediction(time), "38.9 us predicted (6 % math utilisation; "
                                    "transfers hidden 92 %), +-8 %");
  time.transferSeconds = 0;
  time.error.covered = false;
  EXPECT_EQ(formatPrediction(time),
            "38.9 us predicted (6 % math utilisation), not covered by any "
            "published figure");
  EXPECT_EQ(formatSeconds(0.0171), "17.1 ms");
  EXPECT_EQ(formatSeconds(136), "136 s");
  EXPECT_EQ(formatSeconds(1.234e-6), "1.23 us");
}

/// As many queries as keys, of 8 heads.
AttentionCall squareCall(int64_t length, int64_t dim) {
  AttentionCall call;
  call.heads = 8;
  call.queries = call.keys = length;
  call.keyDim = call.valueDim = dim;
  return call;
}

TEST(PublishedFigures, GradientsAreNotCovered) {
  Machine machine = *loadMachine("blackhole-galaxy");
  const AttentionCall call = squareCall(4096, 128);
  Timeline timeline;
  timeline.compute(std::vector<int32_t>{timeline.add({call, 1})});
  EXPECT_TRUE(earnedError(machine, timeline, {1e-3}).covered);
  timeline.compute(std::vector<int32_t>{timeline.add({call, 2.5})});
  EXPECT_FALSE(earnedError(machine, timeline, {1e-3, 1e-3}).covered);
}

/// Attention that is written out as products, or lost among other work.
TEST(PublishedFigures, OtherWorkIsNotCovered) {
  Machine machine = *loadMachine("blackhole-galaxy");
  const AttentionCall call = squareCall(4096, 128);
  Timeline timeline;
  timeline.compute(1e-5);
  EXPECT_FALSE(earnedError(machine, timeline, {}).covered);
  timeline.compute(std::vector<int32_t>{timeline.add({call, 1})});
  EXPECT_TRUE(earnedError(machine, timeline, {1e-3}).covered);
  EXPECT_FALSE(earnedError(machine, timeline, {1e-4}).covered);
}

TEST(PublishedFigures, RingsOverHostsAreNotCovered) {
  Machine machine = *loadMachine("blackhole-galaxy-4");
  const AttentionCall call = squareCall(4096, 128);
  Timeline timeline;
  timeline.mesh = {32, 4};
  timeline.axes = layMesh(machine, timeline.mesh).axes;
  timeline.oneCall = true;
  timeline.compute(std::vector<int32_t>{timeline.add({call, 1})});
  MeshTransfer ofAHost;
  ofAHost.ranks = timeline.axes[0].perHost;
  ASSERT_LT(ofAHost.ranks, 32);
  timeline.transfers.push_back(ofAHost);
  EXPECT_TRUE(earnedError(machine, timeline, {1e-3}).covered);
  MeshTransfer ofAll;
  ofAll.ranks = 32;
  timeline.transfers.push_back(ofAll);
  EXPECT_FALSE(earnedError(machine, timeline, {1e-3}).covered);
}

/// A full prefill in a fused ring, 32 queries a device.
TEST(PublishedFigures, FewQueriesOfAFusedRingAreNoDecoding) {
  Machine machine = *loadMachine("t3000");
  const AttentionCall call = squareCall(32, 64);
  Timeline timeline;
  timeline.oneCall = true;
  timeline.compute(std::vector<int32_t>{timeline.add({call, 1})});
  EXPECT_FALSE(earnedError(machine, timeline, {1e-3}).covered);
}

/// Eight users are spread over more cores than figures speak for.
TEST(PublishedFigures, DecodingByManyCoresIsNotCovered) {
  Machine machine = *loadMachine("n150");
  AttentionCall call;
  call.heads = 8;
  call.keyHeads = 1;
  call.queries = 1;
  call.keys = 16384;
  call.keyDim = call.valueDim = 128;
  call.tileBytes = kBfp8TileBytes;
  call.batch = 16;
  EXPECT_EQ(attentionTime(machine, call).keySplit, 4);
  EXPECT_TRUE(earnedError(machine, call, false).covered);
  call.batch = 8;
  EXPECT_EQ(attentionTime(machine, call).keySplit, 8);
  EXPECT_FALSE(earnedError(machine, call, false).covered);
}

TEST(PredictionText, TheWorstOfAProgramCounts) {
  EarnedError error{true, 0.03};
  error.add({true, 0.11});
  EXPECT_EQ(formatError(error), "+-11 %");
  error.add({false, 0});
  EXPECT_EQ(formatError(error), "not covered by any published figure");
}

} // namespace
} // namespace ring::machine
