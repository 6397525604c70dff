// SPDX-License-Identifier: Apache-2.0
// From a launch to the program of all devices.

#include "LaunchProgram.h"
#include "ring/Target/Program.h"

namespace mlir::ring {

/// The axis that transfers and positions of a launch name; there is at most
/// one, which describeLaunch sees to.
static AxisAttr axisOf(LaunchOp launch) {
  AxisAttr found;
  launch.getBody().walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](AxisAttr axis) { found = axis; });
  });
  return found;
}

const char *nameOf(rt::MathFidelity fidelity) {
  switch (fidelity) {
  case rt::MathFidelity::LoFi:
    return "lofi";
  case rt::MathFidelity::HiFi2:
    return "hifi2";
  case rt::MathFidelity::HiFi3:
    return "hifi3";
  case rt::MathFidelity::HiFi4:
    return "hifi4";
  }
  llvm_unreachable("unknown fidelity");
}

bool LaunchProgram::closesRings() const {
  const auto &schedules = description.schedule.devices;
  return !schedules.back().sends[0].empty() ||
         !schedules.front().sends[1].empty();
}

const char *LaunchProgram::topology() const {
  return moves() && closesRings() && mesh[*axis] > 2 ? "ring" : "linear";
}

LogicalResult verifyRoutes(LaunchOp launch, const LaunchProgram &program) {
  if (StringRef(program.topology()) != "ring" ||
      !llvm::is_contained(program.mesh, 2))
    return success();
  return launch.emitOpError(
             "expects no axis of two devices beside rings that close, whose "
             "links tt-mlir's runtime then asks for both ways, but got a mesh "
             "of ")
         << program.mesh[0] << "x" << program.mesh[1];
}

/// Neighbours of a ring are neighbours of the mesh if rank r has place r on the
/// axis.
static LogicalResult expectWholeAxes(LaunchOp launch, AxisAttr axis,
                                     ArrayRef<int64_t> mesh) {
  if (mesh.size() != 2)
    return launch.emitOpError("expects a mesh of two axes, but got ")
           << mesh.size();
  if (axis.getRanks() != mesh[axis.getIndex()])
    return launch.emitOpError("expects rings of all ")
           << mesh[axis.getIndex()] << " devices of axis " << axis.getIndex()
           << ", but got rings of " << axis.getRanks();
  return success();
}

FailureOr<LaunchProgram> programOf(LaunchOp launch, uint32_t mostPageTiles,
                                   bool scarceSemaphores) {
  LaunchProgram program;
  FailureOr<rt::LaunchDescription> description = describeLaunch(launch);
  if (failed(description))
    return failure();
  program.description = std::move(*description);
  if (program.description.mask != rt::kAbsent)
    return launch.emitOpError("expects masks that follow from positions for "
                              "tt-mlir, which makes no tiles of masks as the "
                              "kernels read them, but got a tensor");
  program.mesh = {1, 1};
  if (AxisAttr axis = axisOf(launch)) {
    program.mesh.assign(axis.getMesh().begin(), axis.getMesh().end());
    if (failed(expectWholeAxes(launch, axis, program.mesh)))
      return failure();
    program.axis = axis.getIndex();
  }
  rt::AttentionOptions &options = program.description.options;
  options.mostPageTiles = mostPageTiles;
  if (scarceSemaphores && program.mesh[0] * program.mesh[1] > 2)
    options.handOn = false;
  rt::Result<rt::AttentionProgram> attention = rt::attentionProgram(
      program.description.schedule, program.description.sizes, options);
  if (!attention)
    return launch.emitOpError(attention.message());
  program.attention = std::move(*attention);
  rt::Result<rt::DeviceProgram> devices =
      rt::sideBySide(program.attention.program, program.description.rings,
                     program.mesh[0] * program.mesh[1]);
  if (!devices)
    return launch.emitOpError(devices.message());
  program.devices = std::move(*devices);
  return program;
}

} // namespace mlir::ring
