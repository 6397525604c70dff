// SPDX-License-Identifier: Apache-2.0
//
// A number is scaled to 1 up to the next unit and keeps three digits: 0.01714 s
// is 17.14 ms, written 17.1.

#include "Report/Units.h"

#include "ring/Machine/Bytes.h"

#include <cctype>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <set>

namespace ring::rt {

namespace {

/// A space that no line is broken at.
constexpr char kNoBreak[] = "\xC2\xA0";

/// Three digits: 1.71, 17.1, 171, 1710.
std::string threeDigits(double number) {
  double size = std::fabs(number);
  int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, number);
  return text;
}

/// Whole numbers below 1000 of the base unit have no decimals.
std::string scaled(double number, double base, const char *const *units,
                   int count) {
  int unit = 0;
  for (; unit + 1 < count && std::fabs(number) >= base * 0.9995; ++unit)
    number /= base;
  bool whole = unit == 0 && number == std::floor(number);
  char text[64];
  std::snprintf(text, sizeof(text), "%.0f", number);
  return (whole ? std::string(text) : threeDigits(number)) + kNoBreak +
         units[unit];
}

/// Whether a word is what a number before it counts, as the planner and the
/// model of a machine write it.
bool isUnit(const std::string &word) {
  static const std::set<std::string> kUnits = {
      "%",      "ns",     "us",      "ms",    "s",     "B",
      "KiB",    "MiB",    "GiB",     "TiB",   "GFLOP", "TFLOP",
      "tokens", "device", "devices", "ranks", "times"};
  return kUnits.count(word) > 0;
}

} // namespace

std::string secondsText(double seconds) {
  static const char *const kUnits[] = {"ns", "\xC2\xB5s", "ms", "s"};
  if (seconds == 0)
    return std::string("0") + kNoBreak + "s";
  return scaled(seconds * 1e9, 1000, kUnits, 4);
}

std::string bytesText(double bytes) {
  return scaled(bytes, 1024, machine::kByteUnits,
                std::size(machine::kByteUnits));
}

std::string flopsText(double flops) {
  static const char *const kUnits[] = {"FLOP",  "kFLOP", "MFLOP",
                                       "GFLOP", "TFLOP", "PFLOP"};
  return scaled(flops, 1000, kUnits, 6);
}

std::string percentText(double share) {
  char text[64];
  std::snprintf(text, sizeof(text),
                share < 0.0995 && share > 0 ? "%.1f" : "%.0f", share * 100);
  return text + std::string(kNoBreak) + "%";
}

std::string countText(int64_t count) {
  std::string digits = std::to_string(count), text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && digits[i - 1] != '-' && (digits.size() - i) % 3 == 0)
      text += kNoBreak;
    text += digits[i];
  }
  return text;
}

std::string meshText(const std::vector<int64_t> &mesh) {
  std::string text;
  for (int64_t size : mesh)
    text +=
        (text.empty() ? "" : "\xC2\xA0\xC3\x97\xC2\xA0") + std::to_string(size);
  return text;
}

std::string withNumbersWhole(const std::string &words) {
  std::string text;
  for (size_t at = 0; at < words.size();) {
    bool follows = words[at] == ' ' && at > 0 &&
                   std::isdigit(static_cast<unsigned char>(words[at - 1]));
    size_t end = at + 1;
    while (end < words.size() &&
           (words[end] == '%' ||
            std::isalpha(static_cast<unsigned char>(words[end]))))
      ++end;
    std::string word = words.substr(at + 1, end - at - 1);
    if (!follows || !isUnit(word)) {
      text += words[at++];
      continue;
    }
    text += kNoBreak + (word == "us" ? "\xC2\xB5s" : word);
    at = end;
  }
  return text;
}

} // namespace ring::rt
