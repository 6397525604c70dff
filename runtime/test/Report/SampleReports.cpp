// SPDX-License-Identifier: Apache-2.0
//
// Each sample is a few lines of arithmetic; none stands for a real machine.

#include "Report/SampleReports.h"

#include <algorithm>

namespace ring::rt::test {

namespace {

constexpr double kBlock = 1.25e-3; ///< seconds of a block
constexpr double kShift = 0.9e-3;  ///< seconds of a shift
constexpr int64_t kShardBytes = int64_t(24) << 20;

void addStrategies(Report &report) {
  report.strategiesNote =
      "Sample candidates for one attention of 75 600 tokens; "
      "predicted (made up).";
  report.strategies = {
      {"ring, zigzag, both directions, q288 k512", 17.1e-3, 0.71, 0.2e-3,
       int64_t(143) << 20, true, "",
       "the fastest by prediction, all_gather takes 1.11 times as long"},
      {"all_gather, contiguous, q288 k512", 19.0e-3, 0.64, 2.1e-3,
       int64_t(411) << 20, false, "", ""},
      {"ulysses", 24.8e-3, 0.49, 6.9e-3, int64_t(143) << 20, false, "", ""},
      {"replicate", 136e-3, 0.71, 0, int64_t(2) << 30, false, "", ""},
      {"halo", -1, -1, -1, -1, false,
       "expects a window that does not reach all ranks, but there is none", ""},
  };
}

void addScaling(Report &report) {
  report.scalingNote = "The same attention with other numbers of devices and "
                       "tokens, predicted (made up).";
  ReportScaling devices{
      "Time over devices", "devices", "75 600 tokens", 32, {}};
  ReportScaling tokens{"Time over tokens", "tokens", "32 devices", 75600, {}};
  for (bool ring : {true, false}) {
    ReportSeries overDevices{ring ? "ring" : "all_gather", {}, false};
    ReportSeries overTokens = overDevices;
    double exposed = ring ? 0.2e-3 : 2.1e-3;
    for (int64_t p = 2; p <= 128; p *= 2)
      overDevices.points.push_back({double(p), 0.54 / double(p) + exposed});
    for (int64_t n = 9450; n <= 604800; n *= 2) {
      double share = double(n) / 75600;
      overTokens.points.push_back(
          {double(n), 16.9e-3 * share * share + exposed * share});
    }
    devices.series.push_back(overDevices);
    tokens.series.push_back(overTokens);
  }
  ReportSeries ideal{"ideal", {}, true};
  for (int64_t p = 2; p <= 128; p *= 2)
    ideal.points.push_back({double(p), 0.54 / double(p)});
  devices.series.push_back(ideal);
  report.scaling = {devices, tokens};
}

/// Keys go around a causal ring in contiguous order.
void addRings(int64_t ranks, Report &report) {
  ReportRing ring;
  constexpr int64_t kRows = 256;
  for (int64_t rank = 0; rank < ranks; ++rank)
    ring.devices.push_back(rank);
  for (int64_t step = 0; step < ranks; ++step) {
    ReportRound round;
    round.step = static_cast<int32_t>(step);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      int64_t from = (rank - step + ranks) % ranks;
      round.holdings.push_back({rank,
                                {from},
                                {rank},
                                {{from * kRows, kRows, 1}},
                                {{rank * kRows, kRows, 1}},
                                from > rank ? 0 : 1e9});
      if (step + 1 < ranks)
        round.sends.push_back(
            {rank, (rank + 1) % ranks, kShardBytes, {from}, "keys and values"});
    }
    ring.rounds.push_back(round);
  }
  report.rings = {ring};
}

/// What only who planned the run could know.
void addWords(Report &report) {
  report.bound = "Bound by nothing in particular, for it is made up.";
  report.advice = {"Deal the sequence in zigzag order: the work is uneven.",
                   "Try <another> machine & compare."};
  ReportTable machines{
      "Machines",
      "Predicted by chip model 0 (made up), error <= 5 %.",
      {"machine", "devices", "time"},
      {{"sample-machine", "32", "17.1 ms"}, {"larger-machine", "64", "9.0 ms"}},
      0};
  report.sweeps = {machines};
  report.whole.flops = 3.67e12;
  report.whole.ops["matmul"] = {12, 1.5e-3, 3.67e12, kShardBytes};
}

} // namespace

Report ringReport(int64_t ranks) {
  Report report;
  report.program = "sample";
  report.mesh = {1, ranks};
  report.machine = "sample-machine";
  report.prediction = "1.9 ms predicted (9 % math utilisation), +-8 %";
  report.labels = {"accumulate, own keys", "accumulate", "shift by +1",
                   "wait for shift by +1", "shard"};
  report.steps = ranks;
  report.memoryLimit = int64_t(256) << 20;
  report.utilisation = 0.41;
  report.exposedSeconds = 0.3e-3;
  double shard = 0.1e-3;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    ReportRow row;
    row.name = std::to_string(rank);
    row.devices = {rank};
    DeviceStatistics device;
    row.events.push_back({0, shard, ReportKind::Move, 4, 0});
    row.memory.push_back({0, 2 * kShardBytes});
    double now = shard, arrived = shard;
    for (int64_t step = 0; step < ranks; ++step) {
      auto at = static_cast<int32_t>(step);
      if (arrived > now) {
        row.events.push_back({now, arrived, ReportKind::Wait, 3, at - 1});
        now = arrived;
      }
      if (step + 1 < ranks) {
        arrived = now + kShift;
        row.events.push_back(
            {now, arrived, ReportKind::Transfer, 2, at, 1, -1, kShardBytes});
        device.bytesSent += kShardBytes;
        device.bytesReceived += kShardBytes;
      }
      double work = step > rank ? 0 : step == 0 ? kBlock / 2 : kBlock;
      if (work > 0)
        row.events.push_back(
            {now, now + work, ReportKind::Compute, step == 0 ? 0 : 1, at});
      row.memory.push_back({now, (step == 0 ? 4 : 5 + step % 2) * kShardBytes});
      device.busySeconds += work;
      device.flops += work * 2e14;
      now += work;
    }
    device.seconds = std::max(now, arrived);
    device.peakBytes = (ranks > 2 ? 6 : 5) * kShardBytes;
    device.ops["ring.accumulate"] = {rank + 1, device.busySeconds, device.flops,
                                     kShardBytes * 4};
    report.seconds = std::max(report.seconds, device.seconds);
    report.devices.push_back(device);
    report.rows.push_back(row);
  }
  for (int64_t rank = 0; rank < ranks && ranks > 1; ++rank)
    report.links.push_back({rank, (rank + 1) % ranks, (ranks - 1) * kShardBytes,
                            double(ranks - 1) * kShift});
  addStrategies(report);
  addScaling(report);
  addRings(ranks, report);
  addWords(report);
  return report;
}

Report longReport(int64_t events) {
  Report report;
  report.check = {ReportCheck::Verdict::Right, 0.12, "64 of 4096 rows", ""};
  report.program = "long";
  report.mesh = {4};
  report.labels = {"matmul", "all_gather"};
  report.steps = events / 10 + 1;
  for (int64_t rank = 0; rank < 4; ++rank) {
    ReportRow row;
    row.name = std::to_string(rank);
    row.devices = {rank};
    DeviceStatistics device;
    for (int64_t i = 0; i < events; ++i) {
      bool moves = i % 10 == 9;
      double start = double(i) * 1e-5, end = start + 6e-6 + double(rank) * 1e-6;
      row.events.push_back({start, end,
                            moves ? ReportKind::Transfer : ReportKind::Compute,
                            moves ? 1 : 0, static_cast<int32_t>(i / 10)});
      row.memory.push_back({start, (i % 100 + 1) * 1000});
      device.busySeconds += end - start;
    }
    device.seconds = double(events) * 1e-5;
    device.peakBytes = 100 * 1000;
    report.seconds = std::max(report.seconds, device.seconds);
    report.devices.push_back(device);
    report.rows.push_back(row);
  }
  return report;
}

Report classesReport() {
  Report small = ringReport(4), report = small;
  report.program = "classes";
  report.mesh = {32, 32};
  report.devices.clear();
  report.rows.clear();
  report.links.clear();
  for (int64_t i = 0; i < 1024; ++i) {
    report.devices.push_back(small.devices[i % 4]);
    ReportRow row = small.rows[i % 4];
    row.name = std::to_string(i);
    row.devices = {i};
    report.rows.push_back(row);
    report.links.push_back({i, (i + 1) % 1024, kShardBytes, kShift});
  }
  return report;
}

Report smallestReport() {
  Report report;
  report.program = "</script><b>&\"'{{title}}";
  report.mesh = {1};
  report.labels = {"sdpa <!-- \"quoted\" \\ -->"};
  report.steps = 1;
  report.seconds = 2e-7;
  DeviceStatistics device;
  device.seconds = device.busySeconds = 2e-7;
  device.peakBytes = 512;
  report.devices = {device};
  report.check = {ReportCheck::Verdict::Wrong, 2.5, "", "  <out> WRONG\n"};
  report.rows = {
      {"0", {0}, {{0, 2e-7, ReportKind::Compute, 0, 0}}, {{0, 512}}}};
  return report;
}

} // namespace ring::rt::test
