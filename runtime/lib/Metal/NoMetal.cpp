// SPDX-License-Identifier: Apache-2.0
//
// Stands in for the machine where there is no TT-Metalium.

#include "ring-runtime/MetalMachine.h"

namespace ring::rt {

struct MetalMachine::Devices {};

bool metalIsBuiltIn() { return false; }

Result<uint32_t> MetalMachine::devicesThere() {
  return error("expects a runtime with TT-Metalium to run device programs, but "
               "this one was built without; install TT-Metalium, configure "
               "with -DRING_ENABLE_METAL=ON and its prefix in "
               "CMAKE_PREFIX_PATH, and build again");
}

Result<std::unique_ptr<MetalMachine>> MetalMachine::open(uint32_t, uint32_t,
                                                         bool) {
  return devicesThere().status();
}

MetalMachine::~MetalMachine() = default;

uint32_t MetalMachine::rows() const { return 0; }
uint32_t MetalMachine::columns() const { return 0; }
uint64_t MetalMachine::dramBytesInUse() const { return 0; }

Result<MetalResult> MetalMachine::run(const DeviceProgram &, MeshMemory &,
                                      const std::vector<uint32_t> &,
                                      const MetalOptions &) {
  return error("expects an open machine");
}

} // namespace ring::rt
