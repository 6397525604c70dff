// SPDX-License-Identifier: Apache-2.0
//
// What the tests on TT-Metalium share: meshes that are opened once, and the
// comparison with the tile machine.

#ifndef RING_TEST_METAL_METALTEST_H
#define RING_TEST_METAL_METALTEST_H

#include "AttentionRun.h"

#include "ring-runtime/MetalMachine.h"

#include <gtest/gtest.h>

#include <string>

namespace ring::test {

struct MeshSize {
  uint32_t rows = 1, columns = 1;

  uint32_t devices() const { return rows * columns; }
  std::string name() const {
    return std::to_string(rows) + "x" + std::to_string(columns);
  }
};

/// Why tests of a mesh are skipped: there are no devices, or fewer than it has.
/// Empty if there are enough.
std::string whyNot(MeshSize size);

/// The mesh, open. It stays open until another size is asked for, since opening
/// takes longer than most runs. Null, and a failure, if it does not open.
rt::MetalMachine *openMesh(MeshSize size);

/// Closes what is open.
void closeMesh();

/// Runs on a machine.
Executor onMetal(rt::MetalMachine &machine, uint32_t launches = 1);

/// How the numbers of a run differ from others.
struct Differences {
  size_t numbers = 0, differing = 0;
  double largest = 0;
};
Differences differences(const std::vector<double> &some,
                        const std::vector<double> &others);

/// Runs an attention on a mesh and on the tile machine, and prints how far it
/// is from the reference and from the tile machine. Gives what is wrong.
std::string runBoth(const AttentionCase &what, rt::MetalMachine &machine,
                    const std::string &name, uint32_t launches = 1);

/// Prints a line of the table that a whole run of the tests is.
void report(const std::string &mesh, const std::string &name,
            const AttentionJudgement &judgement, const AttentionNumbers &found,
            const AttentionNumbers &onTiles);

} // namespace ring::test

#endif // RING_TEST_METAL_METALTEST_H
