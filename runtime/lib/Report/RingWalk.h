// SPDX-License-Identifier: Apache-2.0
//
// Where the numbers that devices compute with came from, followed through a
// program.

#ifndef RING_RUNTIME_REPORT_RINGWALK_H
#define RING_RUNTIME_REPORT_RINGWALK_H

#include "ring-runtime/Report.h"

#include <map>

namespace ring::rt {

/// Devices as bits: what has more is not drawn.
using DeviceSet = uint64_t;
constexpr int64_t kMostDevices = 64;

/// The devices of a set, in order.
std::vector<int64_t> membersOf(DeviceSet set);

/// A holding as it is put together.
struct Holding {
  DeviceSet keysOf = 0, queriesOf = 0;
  std::vector<ReportPositions> keys, queries;
  double flops = 0;
};

/// A step, of all rings together.
struct Round {
  std::map<int64_t, Holding> holdings;
  std::vector<ReportSend> sends;
};

/// What happens in each step, for at most `kMostDevices` devices.
std::map<int32_t, Round> walkRounds(const Program &program,
                                    const std::vector<int32_t> &steps);

} // namespace ring::rt

#endif // RING_RUNTIME_REPORT_RINGWALK_H
