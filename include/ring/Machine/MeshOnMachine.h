// SPDX-License-Identifier: Apache-2.0
//
// Lays the mesh of a program on a machine: which chips it takes, and how they
// are wired. Programs rarely want exactly the mesh that somebody bought, so any
// part of it will do.

#ifndef RING_MACHINE_MESHONMACHINE_H
#define RING_MACHINE_MESHONMACHINE_H

#include "ring/Machine/LinkModel.h"

namespace ring::machine {

/// "8x4".
std::string shapeText(const std::vector<int64_t> &shape);

/// The mesh of a program on a machine.
struct MeshOnMachine {
  std::vector<Axis> axes; ///< one for each axis of the program's mesh
  /// Which chips it takes and what they are, in words: "the first column, a
  /// ring". Empty where it is the machine as it stands.
  std::string chips;
  std::string error; ///< not empty if it does not fit
};

/// Sides of 1 hold one chip, wherever it is. The others take the first chips:
///
/// * Several sides are a block: each lies on an axis of the machine, in the
///   machine's order or turned round, whichever keeps more axes closed.
/// * One side is a row: a whole axis that is closed; else a block whose walk
///   comes back to its beginning; else a straight line; else as many chips of a
///   walk as are needed, a line.
///
/// An axis of which only a part is taken is a line, since its last chip is no
/// neighbour of the first. What is more than a host is whole hosts.
MeshOnMachine layMesh(const Machine &machine,
                      const std::vector<int64_t> &shape);

} // namespace ring::machine

#endif // RING_MACHINE_MESHONMACHINE_H
