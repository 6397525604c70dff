// SPDX-License-Identifier: Apache-2.0
//
// Allocation of storage.

#include "Mesh/Storage.h"

#include <algorithm>
#include <cstdlib>

namespace ring::rt {

Bytes allocateBytes(int64_t size) {
  constexpr int64_t kAlignment = kernels::kBufferAlignment;
  int64_t rounded =
      (std::max<int64_t>(size, 1) + kAlignment - 1) / kAlignment * kAlignment;
  void *memory = std::aligned_alloc(kAlignment, rounded);
  if (!memory)
    return nullptr;
  return Bytes(static_cast<uint8_t *>(memory), std::free);
}

StorageRef Storage::allocate(int64_t size) {
  Bytes bytes = allocateBytes(size);
  return bytes ? std::make_shared<Storage>(std::move(bytes)) : nullptr;
}

StorageRef Storage::wrap(Bytes bytes) {
  return std::make_shared<Storage>(std::move(bytes));
}

bool Storage::PackedKey::operator==(const PackedKey &other) const {
  return value == other.value && shape.batch == other.shape.batch &&
         shape.keyValueHeads == other.shape.keyValueHeads &&
         shape.keys == other.shape.keys && shape.keyDim == other.shape.keyDim &&
         shape.valueDim == other.shape.valueDim && keyType == other.keyType &&
         valueType == other.valueType;
}

} // namespace ring::rt
