// SPDX-License-Identifier: Apache-2.0
//
// Bytes as text.

#include "ring/Machine/Bytes.h"

#include <cstdio>
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

} // namespace ring::machine
