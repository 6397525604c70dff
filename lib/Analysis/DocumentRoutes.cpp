// SPDX-License-Identifier: Apache-2.0
// From packed documents to the rows that each device works on and fetches.

#include "ring/Analysis/DocumentRoutes.h"

namespace mlir::ring {

WindowAttr windowOf(DocumentsAttr documents) {
  Band band = documents.getValue().band();
  return WindowAttr::get(documents.getContext(), *band.before, *band.after);
}

std::vector<Positions> rowsByRank(DocumentsAttr documents, const HeldRows &held,
                                  bool balanced) {
  int64_t ranks = held.axis.getRanks();
  if (balanced)
    return dealDocuments(documents.getValue(), ranks, held.shard);
  std::vector<Positions> rows;
  for (int64_t rank = 0; rank < ranks; ++rank)
    rows.push_back({{rank * held.shard, held.shard}});
  return rows;
}

/// Adds the rows of one document that a rank has, with the keys that they see.
static void addDocument(DeviceRows &device, const Positions &rows,
                        int64_t begin, int64_t end, int64_t moved, bool causal,
                        std::optional<int64_t> keyLimit) {
  int64_t last = -1;
  for (const PositionRange &range : rows) {
    int64_t first = std::max(range.begin, begin);
    int64_t size = std::min(range.last() + 1, end) - first;
    if (size <= 0)
      continue;
    device.addQueries(first, size, /*rate=*/1, first + moved);
    last = first + size - 1;
  }
  if (last < 0)
    return;
  int64_t keysEnd = causal ? last + 1 : end;
  if (keyLimit)
    keysEnd = std::min(keysEnd, *keyLimit);
  if (keysEnd > begin)
    device.addKeys(begin, keysEnd - begin, /*rate=*/1, begin + moved);
}

RowRoutes documentRoutes(DocumentsAttr documents, const HeldRows &held,
                         ArrayRef<Positions> rows,
                         std::optional<int64_t> keyLimit) {
  int64_t gap = documents.getValue().longest();
  std::vector<DeviceRows> devices;
  for (int64_t i = 0; i < held.axis.getNumDevices(); ++i) {
    DeviceRows &device = devices.emplace_back(held, i);
    const Positions &own = rows[held.axis.rankOf(i)];
    int64_t begin = 0, moved = 0;
    for (int64_t end : documents.getEnds()) {
      if (end == begin)
        continue;
      if (own.back().last() >= begin)
        addDocument(device, own, begin, end, moved, documents.getCausal(),
                    keyLimit);
      begin = end;
      moved += gap;
    }
  }
  // The first row is in a document, and sees itself.
  return *joinRoutes(devices, held, windowOf(documents), held.shard);
}

} // namespace mlir::ring
