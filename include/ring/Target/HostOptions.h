// SPDX-License-Identifier: Apache-2.0
// What a user may say about host programs, in whatever language.

#ifndef RING_TARGET_HOSTOPTIONS_H
#define RING_TARGET_HOSTOPTIONS_H

#include <cstdint>

namespace mlir::ring {

struct HostOptions {
  /// The most that the scores of a block may take on a device; blocks that have
  /// more are attended to some queries at a time.
  int64_t scoreMebibytes = 128;
};

} // namespace mlir::ring

#endif // RING_TARGET_HOSTOPTIONS_H
