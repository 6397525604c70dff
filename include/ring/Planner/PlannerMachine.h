// SPDX-License-Identifier: Apache-2.0
// The machine that an attention is planned for: the one that was asked for, or
// the one whose mesh the program has.

#ifndef RING_PLANNER_PLANNERMACHINE_H
#define RING_PLANNER_PLANNERMACHINE_H

#include "ring/Machine/MeshOnMachine.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::ring {

namespace machine = ::ring::machine;

/// A program's mesh on a machine.
struct PlannerMachine {
  machine::Machine spec;
  std::vector<int64_t> mesh;
  /// One for each axis of the mesh.
  std::vector<machine::Axis> axes;
  /// Which chips the mesh takes, in words; empty where it is the whole machine.
  std::string chips;
  std::string error; ///< not empty if there is no such machine
  /// Chips wired for a mesh that no machine has; they are called by the mesh.
  bool isMadeUp = false;

  /// Devices that share one processor have neither chunks nor a grid.
  bool isProcessor() const { return spec.processor.has_value(); }
  /// "t3000 (the first 2 x 2 chips, a line and a line)".
  std::string describe() const {
    return spec.name + (chips.empty() ? "" : " (" + chips + ")");
  }
};

/// Lays `mesh` on the machine with this name or path. Without a name, the first
/// fitting line of this table:
///
///   1x1  n150        2x2  quiet-box         32x4  blackhole-galaxy-4
///   1x2  n300        8x4  wormhole-galaxy  256x4  blackhole-galaxy-32
///   2x4  t3000
///
/// each also turned round; any other mesh is one of Wormhole chips, wired as a
/// T3000's, whose axes of more than two are rings.
PlannerMachine findPlannerMachine(llvm::StringRef nameOrPath,
                                  llvm::ArrayRef<int64_t> mesh);

/// Another mesh on the same machine, or on a part of it.
PlannerMachine onMesh(PlannerMachine machine, std::vector<int64_t> mesh);

} // namespace mlir::ring

#endif // RING_PLANNER_PLANNERMACHINE_H
