// SPDX-License-Identifier: Apache-2.0
//
// Bytes as text.

#include "ring/Machine/Bytes.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace ring::machine {

std::string formatBytes(double bytes) {
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(kByteUnits); ++unit)
    bytes /= 1024;
  char text[64];
  std::snprintf(text, sizeof(text), unit ? "%.1f %s" : "%.0f %s", bytes,
                kByteUnits[unit]);
  return text;
}

std::optional<int64_t> parseBytes(const std::string &text) {
  char *end = nullptr;
  double number = std::strtod(text.c_str(), &end);
  double unit = *end == 0 ? 1 : 0, factor = 1;
  for (const char *suffix : kByteUnits) {
    if (std::strcmp(end, suffix) == 0)
      unit = factor;
    factor *= 1024;
  }
  if (end == text.c_str() || unit == 0 || !(number > 0) || number * unit > 9e18)
    return std::nullopt;
  return static_cast<int64_t>(number * unit);
}

} // namespace ring::machine
