// SPDX-License-Identifier: Apache-2.0
//
// Memory that holds a value. It is written once, by the instruction that makes
// the value, and then shared by pointer: with the instructions that read it and
// with the devices it is sent to.

#ifndef RING_RUNTIME_MESH_STORAGE_H
#define RING_RUNTIME_MESH_STORAGE_H

#include "Kernels/Attention.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace ring::rt {

class Storage;
using StorageRef = std::shared_ptr<Storage>;

/// Bytes at a fixed address, aligned for the kernels.
using Bytes = std::shared_ptr<uint8_t>;

/// Memory of that size, aligned for vectors; null if there is none.
Bytes allocateBytes(int64_t size);

/// A part of a storage: `length` bytes from `begin` on of every `period` bytes,
/// `count` times. Example: rows 512 to 1023 of a 4 x 1024 x 128 tensor of f32
/// are 4 times 256 KiB from 256 KiB on of every 512 KiB.
struct StoragePart {
  StorageRef whole;
  int64_t count = 0;
  int64_t period = 0;
  int64_t begin = 0;
  int64_t length = 0;

  int64_t end() const { return begin + length; }
};

/// Reference-counted bytes, and the packed form of keys that attention kernels
/// read. The owner of the keys packs them once; whoever receives the storage
/// finds them packed.
class Storage {
public:
  /// New memory; null if there is none.
  static StorageRef allocate(int64_t size);
  /// Memory that somebody else made. It is not written through this.
  static StorageRef wrap(Bytes bytes);

  explicit Storage(Bytes bytes) : bytes(std::move(bytes)) {}

  const uint8_t *data() const { return share().get(); }
  uint8_t *mutableData() { return share().get(); }
  const Bytes &share() const {
    if (isPart.load(std::memory_order_acquire))
      copyPart();
    return bytes;
  }

  /// Makes this new storage, of as many bytes, a part of another, which is not
  /// written any more. It is copied when somebody reads it. A ring that sends
  /// the last block in halves, one each way, so copies nothing: the halves meet
  /// again unread.
  void setPart(StoragePart part);
  /// What this is a part of; nothing if it is none or was copied.
  StoragePart part() const;

  /// What identifies a packed form besides the keys themselves.
  struct PackedKey {
    const Storage *value = nullptr;
    kernels::AttentionShape shape;
    kernels::ElementType keyType = kernels::ElementType::F32;
    kernels::ElementType valueType = kernels::ElementType::F32;

    bool operator==(const PackedKey &other) const;
  };

  /// The packed form of these keys and the given values. `pack` fills it the
  /// first time. Null if there is no memory for it.
  template <typename Pack>
  Bytes packed(const PackedKey &key, const StorageRef &value, int64_t size,
               Pack pack) {
    std::lock_guard<std::mutex> lock(packing);
    if (packedForm && key == packedAs && packedValue.lock() == value)
      return packedForm;
    Bytes form = allocateBytes(size);
    if (!form)
      return nullptr;
    pack(form.get());
    packedForm = form;
    packedAs = key;
    packedValue = value;
    return form;
  }

private:
  void copyPart() const;

  Bytes bytes;
  mutable std::atomic<bool> isPart{false};
  mutable std::mutex parting;
  mutable StoragePart unread; ///< guarded by `parting`
  std::mutex packing;
  Bytes packedForm;
  PackedKey packedAs;
  std::weak_ptr<Storage> packedValue;
};

} // namespace ring::rt

#endif // RING_RUNTIME_MESH_STORAGE_H
