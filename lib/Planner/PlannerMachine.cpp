// SPDX-License-Identifier: Apache-2.0
// The machine that an attention is planned for.

#include "ring/Planner/PlannerMachine.h"
#include "ring/Machine/MachineFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace mlir::ring {
namespace {

/// Machines that a program's mesh may stand for, Wormhole before Blackhole.
constexpr const char *kByMesh[] = {"n150",
                                   "n300",
                                   "t3000",
                                   "wormhole-galaxy",
                                   "quiet-box",
                                   "blackhole-galaxy-4",
                                   "blackhole-galaxy-32"};

/// Wormhole chips on any mesh.
machine::Machine wormholesOn(const std::vector<int64_t> &mesh) {
  machine::Machine machine = *machine::loadMachine("t3000").machine;
  machine.name = machine::shapeText(mesh) + " Wormhole chips";
  machine.description = machine.name;
  machine.mesh = mesh;
  machine.topology.clear();
  for (int64_t size : mesh)
    machine.topology.push_back(size > 2 ? machine::Topology::Ring
                                        : machine::Topology::Line);
  machine.hosts.assign(mesh.size(), 1);
  machine.hostTopology.assign(mesh.size(), machine::Topology::Line);
  return machine;
}

std::optional<machine::Machine> machineWith(const std::vector<int64_t> &mesh) {
  std::vector<int64_t> turned(mesh.rbegin(), mesh.rend());
  for (const char *name : kByMesh) {
    machine::MachineOrError known = machine::loadMachine(name);
    if (known && (known->shape() == mesh || known->shape() == turned))
      return *known;
  }
  return std::nullopt;
}

} // namespace

PlannerMachine findPlannerMachine(llvm::StringRef nameOrPath,
                                  llvm::ArrayRef<int64_t> mesh) {
  PlannerMachine result;
  result.mesh = mesh.vec();
  if (nameOrPath.empty()) {
    std::optional<machine::Machine> known = machineWith(result.mesh);
    result.isMadeUp = !known;
    result.spec = known ? *known : wormholesOn(result.mesh);
  } else {
    machine::MachineOrError asked = machine::loadMachine(nameOrPath.str());
    if (!asked) {
      result.error = asked.error;
      return result;
    }
    result.spec = *asked;
  }
  return onMesh(std::move(result), mesh.vec());
}

PlannerMachine onMesh(PlannerMachine machine, std::vector<int64_t> mesh) {
  machine::MeshOnMachine laid = machine::layMesh(machine.spec, mesh);
  machine.mesh = std::move(mesh);
  machine.axes = std::move(laid.axes);
  machine.chips = std::move(laid.chips);
  machine.error = std::move(laid.error);
  return machine;
}

} // namespace mlir::ring
