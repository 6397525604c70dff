// SPDX-License-Identifier: Apache-2.0
// ring-verify-launches: whether our kernels can run a launch, and are safe when
// they do.

#include "ring-runtime/AttentionWork.h"
#include "ring/Conversion/Launch/Passes.h"
#include "ring/Target/Program.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGVERIFYLAUNCHES
#include "ring/Conversion/Launch/Passes.h.inc"

namespace {

namespace rt = ::ring::rt;

/// The most L1 that a core takes.
uint64_t mostL1(const rt::DeviceProgram &program,
                const rt::ChipLimits &limits) {
  uint64_t most = 0;
  for (const rt::OneDevice &device : program.devices)
    for (const rt::DeviceKernel &kernel : device.kernels)
      for (const rt::KernelOnCore &core : kernel.cores)
        most =
            std::max(most, rt::l1BytesOf(program, device, core.core, limits));
  return most;
}

/// Writes the device program of a launch and proves its counts and credits; a
/// remark says what it takes.
LogicalResult verifyLaunch(LaunchOp launch) {
  FailureOr<rt::LaunchDescription> description = describeLaunch(launch);
  if (failed(description))
    return failure();
  const rt::AttentionOptions &options = description->options;
  rt::Result<rt::AttentionProgram> attention =
      rt::attentionProgram(description->schedule, description->sizes, options);
  if (!attention)
    return launch.emitOpError(attention.message());
  rt::Status proof =
      rt::proveTransfers(description->schedule, description->sizes, options);
  if (!proof)
    return launch.emitOpError(proof.message());

  const rt::DeviceProgram &program = attention->program;
  uint64_t keyValueBytes = 0;
  for (const auto *stores : {&attention->keys, &attention->values})
    for (uint32_t buffer : *stores)
      keyValueBytes += uint64_t{program.buffers[buffer].pageBytes} *
                       program.buffers[buffer].pages;
  size_t transfers = 0, cores = 0;
  uint64_t sent = 0;
  for (const rt::DeviceWork &work : rt::workOf(*attention, options))
    sent = std::max(sent, work.all.fabricBytes);
  for (const rt::DeviceSchedule &device : description->schedule.devices)
    for (const auto &sends : device.sends)
      transfers += sends.size();
  for (const rt::DeviceKernel &kernel : program.devices.front().kernels)
    cores = std::max(cores, kernel.cores.size());
  std::string mask;
  if (description->mask != rt::kAbsent) {
    const rt::DeviceBuffer &pages = program.buffers[attention->mask];
    mask = ", " + std::to_string(uint64_t{pages.pageBytes} * pages.pages) +
           " of a mask";
  }
  emitRemark(launch.getLoc(), "ring-verify-launches: a launch on ")
      << cores << " cores of a device, chunks " << 32 * options.queryChunk
      << "x" << 32 * options.keyChunk << ", " << mostL1(program, options.limits)
      << " of " << options.limits.l1Bytes << " bytes of L1, " << keyValueBytes
      << " bytes of keys and values in DRAM" << mask
      << "; a device sends at most " << sent << " bytes; counts and credits of "
      << transfers << " transfers are proven";
  return success();
}

class RingVerifyLaunchesPass
    : public impl::RingVerifyLaunchesBase<RingVerifyLaunchesPass> {
public:
  using RingVerifyLaunchesBase::RingVerifyLaunchesBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([](LaunchOp launch) {
      return failed(verifyLaunch(launch)) ? WalkResult::interrupt()
                                          : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace mlir::ring
