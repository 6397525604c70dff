// SPDX-License-Identifier: Apache-2.0
// ring-place-on-devices: between a function's arguments and its results all
// tensors are the devices'.

#include "ring/Strategies/DeviceProgram.h"
#include "ring/Transforms/Passes.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGPLACEONDEVICES
#include "ring/Transforms/Passes.h.inc"

namespace {

class RingPlaceOnDevicesPass
    : public impl::RingPlaceOnDevicesBase<RingPlaceOnDevicesPass> {
public:
  using RingPlaceOnDevicesBase::RingPlaceOnDevicesBase;

  void runOnOperation() override {
    if (failed(placeOnDevices(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::ring
