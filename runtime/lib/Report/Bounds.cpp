// SPDX-License-Identifier: Apache-2.0
//
// What the time of a run goes into, in a sentence: of a prediction, by the
// device that ends last; of a measurement, by the ops, since devices that
// share a processor wait for it and for each other alike.

#include "Report/Page.h"
#include "Report/Units.h"

#include <algorithm>
#include <map>
#include <vector>

namespace ring::rt {

namespace {

/// The largest entry, by its name.
std::pair<std::string, double>
largestOf(const std::map<std::string, double> &shares) {
  auto largest = std::max_element(
      shares.begin(), shares.end(),
      [](const auto &a, const auto &b) { return a.second < b.second; });
  if (largest == shares.end())
    return {};
  return *largest;
}

/// A limit of the chip model in words that say what would help.
std::string limitText(const std::string &bound) {
  static const std::map<std::string, std::string> kTexts = {
      {"products", "the matrix units"},
      {"DRAM", "the bandwidth of DRAM"},
      {"NoC", "the network on the chip"},
      {"rows", "the work on rows (softmax)"},
      {"vector unit", "the vector units"}};
  auto found = kTexts.find(bound);
  return found == kTexts.end() ? bound : found->second;
}

/// What the device that ends last does with its time; what takes none of it is
/// not worth a word.
std::string timesOf(const PredictedDevice &last, size_t number,
                    double seconds) {
  std::vector<std::string> parts;
  auto add = [&](const char *what, double time) {
    if (time >= 0.005 * seconds)
      parts.push_back(what + percentText(time / seconds));
  };
  add("computes for ", last.computeSeconds);
  add("waits for transfers for ", last.exposedSeconds);
  add("waits for other devices or for whole tensors for ", last.waitingSeconds);
  std::string text = "The device that ends last, " + std::to_string(number);
  for (size_t i = 0; i < parts.size(); ++i)
    text += (i > 0 && i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return parts.empty() ? "" : text + " of the time.";
}

std::string predictedBound(const Prediction &prediction, double seconds) {
  if (prediction.lastDevice >= prediction.devices.size() || seconds <= 0)
    return "";
  const PredictedDevice &last = prediction.devices[prediction.lastDevice];
  std::map<std::string, double> limits;
  for (const PredictedStep &step : prediction.steps)
    limits[step.bound] += step.end - step.begin;
  auto [limit, time] = largestOf(limits);
  std::map<std::string, double> parts = {{"compute", last.computeSeconds},
                                         {"exposed", last.exposedSeconds},
                                         {"waiting", last.waitingSeconds}};
  auto [part, most] = largestOf(parts);
  std::string where = timesOf(last, prediction.lastDevice, seconds);
  if (part == "exposed")
    return "Bound by the links: transfers that nothing hides take longest. " +
           where;
  if (part == "waiting")
    return "Bound by waiting for other devices or for work on whole tensors. " +
           where;
  if (limit.empty())
    return "Bound by what the devices compute. " + where;
  return "Bound by " + limitText(limit) + ", which most blocks of attention " +
         "wait for. " + where;
}

std::string measuredBound(const RunResult &result) {
  std::map<std::string, double> ops;
  double all = 0;
  auto add = [&](const DeviceStatistics &device) {
    for (const auto &[name, op] : device.ops) {
      ops[name] += op.seconds;
      all += op.seconds;
    }
  };
  std::for_each(result.devices.begin(), result.devices.end(), add);
  double onDevices = all;
  add(result.host);
  auto [name, seconds] = largestOf(ops);
  if (all <= 0)
    return "";
  std::string text = "Of the time spent in instructions, " +
                     percentText(seconds / all) + " went into " + name;
  double whole = (all - onDevices) / all;
  if (whole >= 0.005)
    text += "; " + percentText(whole) + " was work on whole tensors";
  return text + ".";
}

} // namespace

std::string boundText(const RunResult &result) {
  return result.prediction ? predictedBound(*result.prediction, result.seconds)
                           : measuredBound(result);
}

void addCheck(const OutputJudgements &judged, Report &report) {
  using Verdict = ReportCheck::Verdict;
  report.check = {judged.passed ? Verdict::Right : Verdict::Wrong, judged.worst,
                  describeSample(judged.judgedRows, judged.rows), judged.text};
}

} // namespace ring::rt
