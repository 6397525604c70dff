// SPDX-License-Identifier: Apache-2.0

#include "MetalTest.h"

#include <cmath>
#include <cstdio>

namespace ring::test {

using namespace ring::rt;

namespace {

std::unique_ptr<MetalMachine> current;

/// Closes before TT-Metalium's own objects are gone.
class ClosesAtTheEnd : public testing::Environment {
public:
  void TearDown() override { closeMesh(); }
};

[[maybe_unused]] testing::Environment *const closes =
    testing::AddGlobalTestEnvironment(new ClosesAtTheEnd);

} // namespace

std::string whyNot(MeshSize size) {
  const Result<uint32_t> found = MetalMachine::devicesThere();
  if (!found)
    return found.message();
  if (*found >= size.devices())
    return "";
  return "a mesh of " + size.name() + " has more devices than the " +
         std::to_string(*found) + " that are there";
}

MetalMachine *openMesh(MeshSize size) {
  if (current && current->rows() == size.rows &&
      current->columns() == size.columns)
    return current.get();
  closeMesh();
  Result<std::unique_ptr<MetalMachine>> opened =
      MetalMachine::open(size.rows, size.columns);
  if (!opened) {
    ADD_FAILURE() << opened.message();
    return nullptr;
  }
  current = std::move(*opened);
  return current.get();
}

void closeMesh() { current.reset(); }

Executor onMetal(MetalMachine &machine, uint32_t launches) {
  return [&machine, launches](const DeviceProgram &program, MeshMemory &memory,
                              const std::vector<uint32_t> &inputs) {
    MetalOptions options;
    options.launches = launches;
    const Result<MetalResult> result =
        machine.run(program, memory, inputs, options);
    return result ? std::string() : result.message();
  };
}

Differences differences(const std::vector<double> &some,
                        const std::vector<double> &others) {
  Differences result;
  result.numbers = some.size();
  for (size_t i = 0; i < some.size(); ++i) {
    if (some[i] == others[i])
      continue;
    ++result.differing;
    const double apart = std::fabs(some[i] - others[i]);
    // NaNs are as far from numbers as can be.
    result.largest =
        std::isnan(apart) ? INFINITY : std::max(result.largest, apart);
  }
  return result;
}

void report(const std::string &mesh, const std::string &name,
            const AttentionJudgement &judgement, const AttentionNumbers &found,
            const AttentionNumbers &onTiles) {
  const Differences outputs = differences(found.outputs, onTiles.outputs);
  const Differences logSums = differences(found.logSums, onTiles.logSums);
  std::printf("| %s | %s | %.2g, rms %.2g, %.0f%% of the bound | %.2g, %.0f%% "
              "| %zu of %zu, by %.2g | %zu of %zu, by %.2g |\n",
              mesh.c_str(), name.c_str(), judgement.outputs.comparison.maxError,
              judgement.outputs.comparison.rmse, 100 * judgement.outputs.worst,
              judgement.logSums.comparison.maxError,
              100 * judgement.logSums.worst, outputs.differing, outputs.numbers,
              outputs.largest, logSums.differing, logSums.numbers,
              logSums.largest);
  std::fflush(stdout);
}

std::string runBoth(const AttentionCase &what, MetalMachine &machine,
                    const std::string &name, uint32_t launches) {
  AttentionRun tiles(what), metal(what);
  if (std::string fault = tiles.run(0, launches); !fault.empty())
    return "on tiles: " + fault;
  const std::string fault = metal.runOn(onMetal(machine, launches));
  // Numbers that are wrong are worth a line too.
  if (fault.empty() || !metal.judge().fault().empty())
    report(MeshSize{machine.rows(), machine.columns()}.name(), name,
           metal.judge(), metal.found(), tiles.found());
  return fault;
}

} // namespace ring::test
