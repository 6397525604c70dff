// SPDX-License-Identifier: Apache-2.0
//
// Executes device programs on the host, at tile level: the kernels' own
// sources, compiled against an implementation of the kernel API. Cores are
// cooperative tasks; a seed chooses who runs when and how late transactions
// land, within what the hardware allows. What would be a silent fault on a
// device is a report that names the device, the core, the kernel and the line.

#ifndef RING_RUNTIME_TILEMACHINE_H
#define RING_RUNTIME_TILEMACHINE_H

#include "ring-runtime/DeviceMemory.h"

#include <functional>
#include <map>
#include <vector>

namespace ring::rt {

/// What a device did.
struct TileCounters {
  uint64_t tileProducts = 0; ///< of 32 x 32 x 32
  uint64_t exponentialTiles = 0;
  uint64_t tileOperations = 0; ///< others, on registers or into them
  uint64_t packedBytes = 0;
  uint64_t addedBytes = 0; ///< packed by adding onto what is there
  uint64_t unpacks = 0;
  uint64_t dramBytes = 0;
  uint64_t nocBytes = 0;
  uint64_t fabricBytes = 0; ///< that it sent
};

/// A kernel's entry, compiled for the host.
using KernelEntry = void (*)();

/// Entries by source and defines: "Reader.cpp", or "Reader.cpp DEFINE ...".
using KernelTable = std::map<std::string, KernelEntry>;

/// The kernels of runtime/device.
const KernelTable &tileKernels();

struct TileOptions {
  ChipLimits limits;
  uint64_t seed = 0;
  /// Launches one after the other. A device starts the next one when it has
  /// finished the one before, whatever the others do.
  uint32_t launches = 1;
  /// Kernels beside those of runtime/device; they come first.
  KernelTable kernels;
};

struct TileResult {
  /// What went wrong first; empty if nothing did.
  std::string fault;
  std::vector<TileCounters> devices;
  uint64_t switches = 0; ///< from task to task

  bool passed() const { return fault.empty(); }
};

/// Runs a program. Buffers of `inputs` hold what the host has written there;
/// all others are unwritten. Outputs are left in `memory`.
TileResult runOnTiles(const DeviceProgram &program, MeshMemory &memory,
                      const std::vector<uint32_t> &inputs,
                      const TileOptions &options);

} // namespace ring::rt

#endif // RING_RUNTIME_TILEMACHINE_H
