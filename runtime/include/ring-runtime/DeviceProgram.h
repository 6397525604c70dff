// SPDX-License-Identifier: Apache-2.0
//
// What runs on the cores of a mesh of Tenstorrent devices: buffers in DRAM,
// circular buffers, semaphores, kernels with their arguments, and connections
// to the fabric. One description serves whoever executes it: the tile machine
// of this runtime, TT-Metalium, or an op of another compiler's IR that carries
// kernels. It is data; nothing in it needs a device.

#ifndef RING_RUNTIME_DEVICEPROGRAM_H
#define RING_RUNTIME_DEVICEPROGRAM_H

#include "ring-runtime/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ring::rt {

/// How the numbers of a tile are stored. A tile is 32 x 32 numbers in four
/// faces of 16 x 16.
enum class TileFormat : uint8_t { BF16, F32 };

inline constexpr uint32_t tileBytes(TileFormat format) {
  return format == TileFormat::F32 ? 4096 : 2048;
}

/// A worker core, by its logical place.
struct DeviceCore {
  uint32_t x = 0;
  uint32_t y = 0;

  bool operator==(const DeviceCore &other) const {
    return x == other.x && y == other.y;
  }
};

/// A word, or what becomes words when the program is set up.
struct DeviceArgument {
  enum class Kind : uint8_t {
    Scalar,          ///< `value` itself
    BufferAddress,   ///< of buffer `value`
    BufferAccessor,  ///< of buffer `value`; compile-time, several words
    GlobalSemaphore, ///< address of global semaphore `value`
    LocalSemaphore,  ///< number of semaphore `value` of the device
    CoreOnNoc        ///< core x = value & 0xffff, y = value >> 16, on the NoC
  };
  Kind kind = Kind::Scalar;
  uint32_t value = 0;

  DeviceArgument() = default;
  DeviceArgument(uint32_t scalar) : value(scalar) {}
  DeviceArgument(Kind kind, uint32_t value) : kind(kind), value(value) {}
  static DeviceArgument onNoc(DeviceCore core) {
    return {Kind::CoreOnNoc, core.x | core.y << 16};
  }
};

/// Words that an accessor of interleaved pages in DRAM has.
inline constexpr uint32_t kAccessorWords = 2;

/// Pages in DRAM, at the same address on every device.
struct DeviceBuffer {
  std::string name;
  uint32_t pageBytes = 0;
  uint32_t pages = 0;
};

/// A circular buffer in L1, whose pages are tiles.
struct CircularBuffer {
  uint32_t index = 0;
  TileFormat format = TileFormat::BF16;
  uint32_t pages = 0;
  std::vector<DeviceCore> cores;
  /// Its one group of pages is given up and reserved again with what it holds.
  bool inPlace = false;
};

/// A counter in L1 that is set anew with every launch. Its number is its place
/// in the list.
struct LocalSemaphore {
  std::vector<DeviceCore> cores;
  uint32_t initial = 0;
};

/// A counter in L1 that other devices raise too. Nobody resets it between
/// launches, so programs leave it at 0.
struct GlobalSemaphore {
  std::string name;
};

/// The processors of a core that run kernels. The data movement ones use NoC 0
/// and NoC 1.
enum class Processor : uint8_t { DataMovement0, DataMovement1, Compute };

/// How many passes the matrix unit makes over the mantissas. Four take in all
/// of bf16.
enum class MathFidelity : uint8_t { LoFi, HiFi2, HiFi3, HiFi4 };

/// How the math unit is set for a compute kernel.
struct ComputeSettings {
  MathFidelity fidelity = MathFidelity::HiFi4;
  bool f32Destination = true;
  bool fullSync = false;

  /// Tiles that the destination registers hold.
  uint32_t destinationTiles() const {
    return (f32Destination ? 4u : 8u) * (fullSync ? 2u : 1u);
  }
};

/// A way to a neighbour. Its arguments follow the core's own.
struct FabricConnection {
  uint32_t neighbour = 0; ///< device
  uint32_t link = 0;
};

/// A kernel's share of one core.
struct KernelOnCore {
  DeviceCore core;
  std::vector<DeviceArgument> arguments;
  std::vector<FabricConnection> connections;
};

/// One source, on some cores.
struct DeviceKernel {
  std::string source; ///< file name in runtime/device
  Processor processor = Processor::DataMovement0;
  ComputeSettings compute;
  std::vector<std::string> defines;
  std::vector<DeviceArgument> compileTime;
  std::vector<DeviceArgument> common;
  std::vector<KernelOnCore> cores;
};

/// What one device of the mesh runs.
struct OneDevice {
  std::vector<CircularBuffer> circularBuffers;
  std::vector<LocalSemaphore> semaphores;
  std::vector<DeviceKernel> kernels;
};

/// One launch on all devices of a mesh.
struct DeviceProgram {
  std::string name;
  std::vector<DeviceBuffer> buffers;
  std::vector<GlobalSemaphore> globalSemaphores;
  std::vector<OneDevice> devices;
};

/// What a chip and its fabric allow.
struct ChipLimits {
  uint32_t l1Bytes = 1464 * 1024;   ///< of a core
  uint32_t reservedL1 = 104 * 1024; ///< firmware, kernels, arguments
  uint32_t packetBytes = 4352;
  uint32_t packetSlots = 8; ///< of a router, for one worker
  uint32_t arguments = 341; ///< of a kernel on a core, common ones apart
  uint32_t semaphores = 16; ///< of a core
  uint32_t connectionSemaphores = 2; ///< that a connection takes of them
  uint32_t circularBuffers = 32;
};

/// Bytes of L1 that a core's circular buffers and semaphores take.
uint64_t l1BytesOf(const DeviceProgram &program, const OneDevice &device,
                   DeviceCore core, const ChipLimits &limits);

/// Whether a program keeps to the limits: L1, arguments, semaphores, buffers,
/// one worker for each router. What only shows when it runs is not checked
/// here.
Status verify(const DeviceProgram &program, const ChipLimits &limits);

/// The same program several times on a mesh of `devices`: `groups[g][d]` does
/// in group g what device d does in the program. Devices in no group have
/// nothing to do. Two rings of four in the halves of a 2 x 4 mesh, whose rows
/// alone have no links that close them, are {{0, 1, 5, 4}, {2, 3, 7, 6}}.
Result<DeviceProgram>
sideBySide(const DeviceProgram &program,
           const std::vector<std::vector<uint32_t>> &groups, uint32_t devices);

} // namespace ring::rt

#endif // RING_RUNTIME_DEVICEPROGRAM_H
