// SPDX-License-Identifier: Apache-2.0
//
// What a launch asks of the kernels: the composite of a program that stands for
// a ring.launch, read as a schedule of rows, stores and arrivals.

#ifndef RING_RUNTIME_LAUNCHDESCRIPTION_H
#define RING_RUNTIME_LAUNCHDESCRIPTION_H

#include "ring-runtime/AttentionProgram.h"
#include "ring-runtime/Program.h"

namespace ring::rt {

/// The name of composites that are launches.
inline constexpr const char *kLaunchName = "ring.launch";

/// Keys and values that a store holds when the launch begins; kAbsent for
/// stores that transfers land in.
struct StoreValues {
  int32_t keys = kAbsent;
  int32_t values = kAbsent;
};

struct LaunchDescription {
  AttentionSchedule schedule;
  AttentionSizes sizes;
  AttentionOptions options;
  /// Which devices make a ring, each in the order of the schedule's.
  std::vector<std::vector<uint32_t>> rings;

  // Values of the program.
  int32_t queries = kAbsent;
  int32_t sink = kAbsent;
  int32_t mask = kAbsent;
  int32_t outputs = kAbsent;
  int32_t logSums = kAbsent;
  std::vector<StoreValues> stores;
};

/// Reads a launch. What kernels cannot do is refused by name.
Result<LaunchDescription> describeLaunch(const Program &program,
                                         const Composite &launch);

} // namespace ring::rt

#endif // RING_RUNTIME_LAUNCHDESCRIPTION_H
