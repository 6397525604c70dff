// SPDX-License-Identifier: Apache-2.0
//
// Allocation of storage.

#include "Memory/Storage.h"

#include <algorithm>
#include <cstdlib>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ring::rt {

namespace {

/// Large memory in large pages, where the system has them: a first touch costs
/// more than the arithmetic on a number, and one for 2 MiB replaces 512. What
/// is beyond whole pages stays small: the maxima and sums of a state would
/// otherwise have 2 MiB cleared for some KiB.
void preferLargePages(void *memory, int64_t size) {
#ifdef MADV_HUGEPAGE
  // Only a wish: without it the memory is the same.
  (void)madvise(memory, static_cast<size_t>(size), MADV_HUGEPAGE);
#else
  (void)memory;
  (void)size;
#endif
}

} // namespace

Bytes allocateBytes(int64_t size) {
  constexpr int64_t kLargePage = int64_t(2) << 20;
  const bool large = size >= kLargePage;
  const int64_t alignment =
      large ? kLargePage : static_cast<int64_t>(kernels::kBufferAlignment);
  const int64_t rounded =
      (std::max<int64_t>(size, 1) + alignment - 1) / alignment * alignment;
  void *memory = std::aligned_alloc(alignment, rounded);
  if (!memory)
    return nullptr;
  if (large)
    preferLargePages(memory, size / kLargePage * kLargePage);
  return Bytes(static_cast<uint8_t *>(memory), std::free);
}

StorageRef Storage::allocate(int64_t size) {
  Bytes bytes = allocateBytes(size);
  return bytes ? std::make_shared<Storage>(std::move(bytes)) : nullptr;
}

StorageRef Storage::wrap(Bytes bytes) {
  return std::make_shared<Storage>(std::move(bytes), /*foreign=*/true);
}

StorageRef Storage::inPieces(TensorPieces pieces) {
  return std::make_shared<Storage>(std::move(pieces), /*whole=*/nullptr);
}

StorageRef Storage::inPieces(TensorPieces pieces,
                             const std::vector<StorageRef> &operands) {
  for (const StorageRef &operand : operands)
    if (operand && operand->whole && *operand->whole->parts == pieces)
      return operand->whole;
  bool isPart = operands.size() == 1 && operands[0] && operands[0]->parts;
  return std::make_shared<Storage>(std::move(pieces),
                                   isPart ? operands[0] : nullptr);
}

bool Storage::PackedKey::operator==(const PackedKey &other) const {
  return value == other.value && shape.batch == other.shape.batch &&
         shape.keyValueHeads == other.shape.keyValueHeads &&
         shape.keys == other.shape.keys && shape.keyDim == other.shape.keyDim &&
         shape.valueDim == other.shape.valueDim && scale == other.scale &&
         keyType == other.keyType && valueType == other.valueType;
}

bool Storage::QueryKey::operator==(const QueryKey &other) const {
  return shape.batch == other.shape.batch &&
         shape.queryHeads == other.shape.queryHeads &&
         shape.keyValueHeads == other.shape.keyValueHeads &&
         shape.queries == other.shape.queries &&
         shape.keyDim == other.shape.keyDim && type == other.type;
}

} // namespace ring::rt
