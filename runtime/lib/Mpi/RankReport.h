// SPDX-License-Identifier: Apache-2.0
//
// What a rank tells rank 0 of a run besides its results: times, traffic and
// memory of its devices.

#ifndef RING_RUNTIME_MPI_RANKREPORT_H
#define RING_RUNTIME_MPI_RANKREPORT_H

#include "ring-runtime/Runtime.h"

namespace ring::rt {

/// One rank's part of the statistics.
struct RankReport {
  double seconds = 0;
  std::vector<int64_t> sent; ///< bytes by stream, as this rank's readers saw
  std::vector<DeviceStatistics> streams; ///< those of the rank, in order
  std::vector<TraceEvent> trace;

  /// As bytes, for the same program on a machine of the same byte order.
  std::vector<uint8_t> pack() const;
  /// The inverse. Fails if the bytes end early or too late.
  static Result<RankReport> unpack(const std::vector<uint8_t> &bytes);
};

} // namespace ring::rt

#endif // RING_RUNTIME_MPI_RANKREPORT_H
