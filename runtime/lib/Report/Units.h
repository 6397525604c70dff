// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people read them: three digits and a unit.

#ifndef RING_RUNTIME_REPORT_UNITS_H
#define RING_RUNTIME_REPORT_UNITS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ring::rt {

/// "17.1 ms", "850 ns", "0 s".
std::string secondsText(double seconds);
/// "94.5 MiB", "512 B".
std::string bytesText(double bytes);
/// "2.31 TFLOP".
std::string flopsText(double flops);
/// "71 %", "0.4 %".
std::string percentText(double share);
/// "75 600": thousands apart.
std::string countText(int64_t count);
/// "2 x 4" with a real multiplication sign.
std::string meshText(const std::vector<int64_t> &mesh);
/// Words that others wrote, such as "12 us, 1.1 times as long", so that no line
/// ends between a number and its unit, and with a real micro sign.
std::string withNumbersWhole(const std::string &words);

} // namespace ring::rt

#endif // RING_RUNTIME_REPORT_UNITS_H
