// SPDX-License-Identifier: Apache-2.0
//
// Which query rows a forward work item covers, and where they are.

#ifndef RING_RUNTIME_KERNELS_ITEMROWS_H
#define RING_RUNTIME_KERNELS_ITEMROWS_H

#include "Kernels/AttentionLayout.h"

namespace ring::rt::kernels {

/// The query rows of one item: consecutive rows of its unit (see ItemLayout).
struct ItemRows {
  int64_t item;
  int64_t batch;
  int64_t keyValueHead;
  int64_t firstHead; ///< query head of the unit's row 0
  int64_t begin;     ///< first row within the unit
  int64_t count;
};

inline ItemRows itemRows(const AttentionShape &shape, int64_t item) {
  const ItemLayout layout = itemLayout(shape);
  const int64_t unit = item / layout.itemsPerUnit;
  const int64_t head = unit * layout.headsPerUnit;
  ItemRows rows;
  rows.item = item;
  rows.batch = head / shape.queryHeads;
  rows.firstHead = head % shape.queryHeads;
  rows.keyValueHead = rows.firstHead / (shape.queryHeads / shape.keyValueHeads);
  rows.begin = item % layout.itemsPerUnit * kItemRows;
  rows.count = std::min(kItemRows, layout.rowsPerUnit - rows.begin);
  return rows;
}

/// The query head and the query row of row `row` of an item.
struct HeadRow {
  int64_t head, query;
};

inline HeadRow headRow(const AttentionShape &shape, const ItemRows &rows,
                       int64_t row) {
  const int64_t unitRow = rows.begin + row;
  if (unitRow < shape.queries)
    return {rows.firstHead, unitRow};
  return {rows.firstHead + unitRow / shape.queries, unitRow % shape.queries};
}

/// The row of the carried state.
inline int64_t stateRow(const AttentionShape &shape,
                        const AttentionState &state, const ItemRows &rows,
                        int64_t row) {
  const HeadRow at = headRow(shape, rows, row);
  const int64_t headRows =
      state.rowsPerHead ? state.rowsPerHead : shape.queries;
  return (rows.batch * shape.queryHeads + at.head) * headRows + at.query;
}

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_ITEMROWS_H
