// SPDX-License-Identifier: Apache-2.0
//
// What a report takes from runs of a ring: measured, simulated step by step,
// and simulated as the device op.

#include "RingPrograms.h"
#include "ring-runtime/Report.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

constexpr int64_t kRanks = 8;

Report reportOf(const char *backend, bool composite) {
  RingProgram ring;
  ring.ranks = kRanks;
  ring.sequence = ring.length = 1024;
  ring.overlapped = true;
  ring.composite = composite;
  ring.element = ElementType::BF16;
  ring.dim = 64;
  Result<Program> program = ring.build().build();
  EXPECT_TRUE(program) << program.message();
  RunOptions options;
  options.backend = backend;
  options.trace = true;
  std::vector<PortTensors> inputs;
  if (options.backend == "sim")
    options.machine = "t3000";
  else
    inputs = *generateInputs(*program, 1);
  Result<RunResult> result = run(*program, inputs, options);
  EXPECT_TRUE(result) << result.message();
  return makeReport(*program, *result);
}

/// The steps of a device's bars of this label.
std::vector<int32_t> stepsOf(const Report &report, int64_t device,
                             const std::string &label) {
  std::vector<int32_t> steps;
  for (const ReportEvent &event : report.rows[device].events)
    if (event.kind == ReportKind::Compute &&
        report.labels[event.label].rfind(label, 0) == 0)
      steps.push_back(event.step);
  return steps;
}

std::vector<int32_t> allSteps() { return {0, 1, 2, 3, 4, 5, 6, 7}; }

/// Sums and peaks are those of the statistics.
void expectAddsUp(const Report &report) {
  ASSERT_EQ(report.devices.size(), size_t(kRanks));
  for (int64_t i = 0; i < kRanks; ++i) {
    const DeviceStatistics &device = report.devices[i];
    int64_t peak = 0, sent = 0;
    for (const ReportMemory &sample : report.rows[i].memory)
      peak = std::max(peak, sample.bytes);
    for (const LinkLoad &link : report.links)
      sent += link.source == i ? link.bytes : 0;
    EXPECT_EQ(peak, device.peakBytes) << "device " << i;
    EXPECT_GT(sent, 0);
    EXPECT_EQ(sent, device.bytesSent) << "device " << i;
    for (const ReportEvent &event : report.rows[i].events) {
      EXPECT_LE(event.start, event.end);
      EXPECT_LT(event.step, report.steps);
    }
  }
}

TEST(ReportFromRun, BlocksOfAMeasuredRingAreItsSteps) {
  Report report = reportOf("cpu", /*composite=*/false);
  EXPECT_TRUE(report.prediction.empty());
  expectAddsUp(report);
  for (int64_t i = 0; i < kRanks; ++i)
    EXPECT_EQ(stepsOf(report, i, "accumulate"), allSteps());
  EXPECT_EQ(report.rows.back().name, "host");
  for (const ReportRow &row : report.rows)
    for (const ReportEvent &event : row.events)
      EXPECT_NE(event.kind, ReportKind::Wait);
}

TEST(ReportFromRun, ASimulationIsAPrediction) {
  Report report = reportOf("sim", /*composite=*/false);
  EXPECT_EQ(report.machine, "t3000");
  EXPECT_NE(report.prediction.find("published figure"), std::string::npos);
  EXPECT_GT(report.memoryLimit, 0);
  // One sentence on what bounds it, without what takes no time.
  EXPECT_NE(report.bound.find("The device that ends last"), std::string::npos);
  EXPECT_EQ(report.bound.find(" 0\xC2\xA0%"), std::string::npos)
      << report.bound;
  expectAddsUp(report);
  for (int64_t i = 0; i < kRanks; ++i) {
    EXPECT_EQ(stepsOf(report, i, "accumulate"), allSteps());
    // A row is full from its start to its last block: work or standing still.
    double covered = 0, end = 0;
    bool transfers = false;
    for (const ReportEvent &event : report.rows[i].events) {
      transfers |= event.kind == ReportKind::Transfer;
      if (event.kind == ReportKind::Transfer)
        continue;
      covered += event.end - event.start;
      end = std::max(end, event.end);
    }
    EXPECT_TRUE(transfers);
    EXPECT_NEAR(covered, end, end * 1e-6);
  }
  EXPECT_TRUE(
      std::any_of(report.links.begin(), report.links.end(),
                  [](const LinkLoad &link) { return link.busySeconds > 0; }));
}

TEST(ReportFromRun, BlocksOfTheDeviceOpAreStepsToo) {
  Report report = reportOf("sim", /*composite=*/true);
  expectAddsUp(report);
  for (int64_t i = 0; i < kRanks; ++i)
    EXPECT_EQ(stepsOf(report, i, "ring_joint"), allSteps());
}

} // namespace
