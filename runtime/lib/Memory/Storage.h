// SPDX-License-Identifier: Apache-2.0
//
// Memory that holds a value. It is written once, by the instruction that makes
// the value, and then shared by pointer: with the instructions that read it and
// with the devices it is sent to. A value that only moves elements of others is
// not written at all before somebody needs it in one place.

#ifndef RING_RUNTIME_MEMORY_STORAGE_H
#define RING_RUNTIME_MEMORY_STORAGE_H

#include "Kernels/Attention.h"
#include "Memory/TensorPieces.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace ring::rt {

/// Bytes at a fixed address, aligned for the kernels.
using Bytes = std::shared_ptr<uint8_t>;

/// Memory of that size, aligned for vectors; null if there is none.
Bytes allocateBytes(int64_t size);

/// Reference-counted bytes, and the packed form of keys or queries that
/// attention kernels read. The owner of keys packs them once; whoever receives
/// the storage finds them packed.
class Storage {
public:
  /// New memory; null if there is none.
  static StorageRef allocate(int64_t size);
  /// Memory that somebody else made. It is not written through this.
  static StorageRef wrap(Bytes bytes);

  /// A tensor in pieces: it has no bytes until `writtenDown`.
  static StorageRef inPieces(TensorPieces pieces);
  /// A tensor in pieces that was made of others. What was made of one tensor in
  /// pieces remembers it, and parts that meet again are that tensor: whoever
  /// packed it has packed this.
  static StorageRef inPieces(TensorPieces pieces,
                             const std::vector<StorageRef> &operands);

  explicit Storage(Bytes bytes, bool foreign = false)
      : bytes(std::move(bytes)), foreign(foreign) {}
  Storage(TensorPieces pieces, StorageRef whole)
      : parts(std::move(pieces)), whole(std::move(whole)) {}

  const uint8_t *data() const {
    assert(!parts && "a tensor in pieces is to be written down first");
    return bytes.get();
  }
  uint8_t *mutableData() {
    assert(!parts && "a tensor in pieces is to be written down first");
    return bytes.get();
  }
  const Bytes &share() const { return bytes; }
  /// Whether somebody else made the memory, so that it must stay as it is.
  bool isForeign() const { return foreign; }

  /// The pieces of a tensor that was not written down; null for all others.
  const TensorPieces *pieces() const { return parts ? &*parts : nullptr; }

  /// What `write` makes of the pieces the first time. Who comes meanwhile does
  /// what `help` finds to do.
  template <typename Help, typename Write>
  StorageRef writtenDown(Help help, Write write) {
    std::unique_lock<std::mutex> lock = lockHelping(help);
    if (!dense)
      dense = write();
    return dense;
  }

  /// What identifies a packed form besides the keys themselves.
  struct PackedKey {
    const Storage *value = nullptr;
    kernels::AttentionShape shape;
    float scale = 0;
    kernels::ElementType keyType = kernels::ElementType::F32;
    kernels::ElementType valueType = kernels::ElementType::F32;

    bool operator==(const PackedKey &other) const;
  };

  /// The packed form of these keys and the given values, in memory that
  /// `allocate` gives; `pack` prepares it the first time and says whether it
  /// could. Null if not, and if there is no memory for it. Who comes meanwhile
  /// does what `help` finds to do.
  template <typename Help, typename Allocate, typename Pack>
  Bytes packed(const PackedKey &key, const StorageRef &value, Help help,
               Allocate allocate, Pack pack) {
    std::unique_lock<std::mutex> lock = lockHelping(help);
    if (packedForm && key == packedAs && packedValue.lock() == value)
      return packedForm;
    Bytes form = allocate();
    if (!form || !pack(form.get()))
      return nullptr;
    packedForm = form;
    packedAs = key;
    packedValue = value;
    return form;
  }

  /// What identifies packed queries.
  struct QueryKey {
    kernels::AttentionShape shape;
    kernels::ElementType type = kernels::ElementType::F32;

    bool operator==(const QueryKey &other) const;
  };

  /// The packed form of these queries, from the second time on that it is asked
  /// for; `pack` fills it and says whether it could. Null the first time, and
  /// if there is no memory for it. Who comes meanwhile does what `help` finds
  /// to do.
  template <typename Help, typename Allocate, typename Pack>
  Bytes packedQuery(const QueryKey &key, Help help, Allocate allocate,
                    Pack pack) {
    std::unique_lock<std::mutex> lock = lockHelping(help);
    if (!(key == queryAs)) {
      queryAs = key;
      queryForm = nullptr;
    } else if (!queryForm) {
      if (Bytes form = allocate(); form && pack(form.get()))
        queryForm = form;
    }
    return queryForm;
  }

  /// For whoever has no use for packed queries any more.
  void forgetPackedQuery() {
    std::lock_guard<std::mutex> lock(packing);
    queryForm = nullptr;
    queryAs = {};
  }

  /// For whoever takes the memory over and changes what it holds.
  void forgetPacked() {
    forgetPackedQuery();
    std::lock_guard<std::mutex> lock(packing);
    packedForm = nullptr;
    packedAs = {};
  }

private:
  /// Takes the lock; until it is free, helps whoever has it.
  template <typename Help>
  std::unique_lock<std::mutex> lockHelping(Help help) {
    std::unique_lock<std::mutex> lock(packing, std::try_to_lock);
    while (!lock.owns_lock() && !lock.try_lock())
      if (!help())
        std::this_thread::yield();
    return lock;
  }

  Bytes bytes;
  bool foreign = false;
  std::optional<TensorPieces> parts;
  StorageRef whole;
  StorageRef dense; ///< of the pieces
  std::mutex packing;
  Bytes packedForm;
  PackedKey packedAs;
  std::weak_ptr<Storage> packedValue;
  Bytes queryForm;
  QueryKey queryAs;
};

} // namespace ring::rt

#endif // RING_RUNTIME_MEMORY_STORAGE_H
