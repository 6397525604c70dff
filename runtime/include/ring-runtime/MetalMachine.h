// SPDX-License-Identifier: Apache-2.0
//
// Executes device programs on TT-Metalium: on Tenstorrent devices, or on the
// simulator that TT-Metalium is told to use (TT_METAL_SIMULATOR). The kernels
// are those that are part of this library; TT-Metalium compiles them when a
// program first runs.

#ifndef RING_RUNTIME_METALMACHINE_H
#define RING_RUNTIME_METALMACHINE_H

#include "ring-runtime/DeviceMemory.h"

#include <memory>

namespace ring::rt {

/// Whether this library was built with TT-Metalium. Without it, opening says
/// so.
bool metalIsBuiltIn();

struct MetalOptions {
  ChipLimits limits;
  /// Launches one after the other, of one set of inputs.
  uint32_t launches = 1;
};

struct MetalResult {
  /// What the program's buffers take of a device's DRAM, as its allocator
  /// counts: pages are dealt out to the banks evenly, so that a buffer takes as
  /// many of each bank as of the fullest.
  uint64_t dramBytes = 0;
};

/// A mesh of rows x columns devices, open for as long as this lives. Device d
/// of a program is the one in row d / columns and column d % columns. Every
/// run allocates and releases what it needs. One mesh can be open at a time.
class MetalMachine {
public:
  /// How many devices there are, simulated ones included; fails where there are
  /// none.
  static Result<uint32_t> devicesThere();

  /// Opens a mesh, and where it has several devices the fabric between them.
  /// `wraps`: with links that close rows and columns to rings, as tori have
  /// them; a line of eight that goes round a 2 x 4 mesh closes without. Fails
  /// with the reason where there are no devices and no simulator, or not as
  /// many.
  static Result<std::unique_ptr<MetalMachine>>
  open(uint32_t rows, uint32_t columns, bool wraps = false);
  ~MetalMachine();
  MetalMachine(const MetalMachine &) = delete;
  MetalMachine &operator=(const MetalMachine &) = delete;

  uint32_t rows() const;
  uint32_t columns() const;

  /// Runs a program. Buffers of `inputs` hold what the host has written there;
  /// all others start as NaNs. All buffers are read back into `memory`. A
  /// kernel that waits for ever is waited for.
  Result<MetalResult> run(const DeviceProgram &program, MeshMemory &memory,
                          const std::vector<uint32_t> &inputs,
                          const MetalOptions &options = {});

  /// What is taken of each device's DRAM now, by whomever.
  uint64_t dramBytesInUse() const;

private:
  struct Devices;
  explicit MetalMachine(std::unique_ptr<Devices> devices);

  std::unique_ptr<Devices> devices;
};

} // namespace ring::rt

#endif // RING_RUNTIME_METALMACHINE_H
