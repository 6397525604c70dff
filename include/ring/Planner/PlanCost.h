// SPDX-License-Identifier: Apache-2.0
// What a planned attention is predicted to cost, and the chunks and cores with
// which it costs least.

#ifndef RING_PLANNER_PLANCOST_H
#define RING_PLANNER_PLANCOST_H

#include "ring/Machine/PredictionText.h"
#include "ring/Planner/DeviceTimeline.h"

#include <functional>

namespace mlir::ring {

/// Settings of the device's kernel that the cost depends on.
struct KernelChoice {
  int64_t queryChunk = 0;
  int64_t keyChunk = 0;
  /// Cores that compute, columns x rows, and the first one that moves data;
  /// empty where all cores compute.
  SmallVector<int64_t, 2> grid;
  SmallVector<int64_t, 2> cclOffset;
  /// Blocks and transfers run one after the other, each on all cores, rather
  /// than beside each other. Only an explicit program can do so.
  bool alternates = false;
};

/// What a plan costs. All predicted.
struct PlanCost {
  KernelChoice kernel;
  double seconds = 0;
  double exposedSeconds = 0; ///< the last device stands still for transfers
  double bytesSent = 0;      ///< by one device, in the mean
  double deviceBytes = 0;    ///< held at most
  /// Useful operations over what the computing cores could do at HiFi2, the way
  /// tt-metal counts it.
  double utilisation = 0;
  /// Of the largest block: turns of the cores without a chunk of queries, and
  /// pairs that only fill up chunks, as shares.
  double slotWaste = 0;
  double chunkWaste = 0;
  double transferSeconds = 0; ///< of the busiest link
  machine::EarnedError error; ///< of the predicted time

  machine::PredictedTime predicted() const {
    return {seconds, utilisation, transferSeconds, exposedSeconds, error};
  }
};

/// What is fixed of the kernel's settings: 0 or empty leaves them open.
struct KernelRequest {
  int64_t queryChunk = 0;
  int64_t keyChunk = 0;
  SmallVector<int64_t, 2> grid;
  SmallVector<int64_t, 2> cclOffset;
  /// Whether blocks and transfers run one after the other.
  std::optional<bool> alternates;
};

/// The fastest settings that fit into L1 and that `allowed` lets pass (it says
/// why not otherwise), and what the program costs with them. Nothing fits: the
/// string says why.
struct CostOrReason {
  std::optional<PlanCost> cost;
  std::string reason;
};
using KernelRule =
    std::function<std::optional<std::string>(const KernelChoice &)>;
CostOrReason costOf(const DeviceTimeline &program,
                    const PlannerMachine &machine, const KernelRequest &request,
                    const KernelRule &allowed);

} // namespace mlir::ring

#endif // RING_PLANNER_PLANCOST_H
