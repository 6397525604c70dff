// SPDX-License-Identifier: Apache-2.0
//
// Attention over keys and values that are kept in pages, and masks that say
// what to keep.

#ifndef RING_RUNTIME_OPS_PAGEDCACHE_H
#define RING_RUNTIME_OPS_PAGEDCACHE_H

#include "Ops/AttentionBlock.h"

namespace ring::rt {

/// What a query over a paged cache brings besides its operands.
struct PagedQuery {
  Band band;
  std::vector<float> sinks;
  float *lse = nullptr; ///< dense, or nullptr
};

/// Keys and values as pages `[pages, heads, rows, dim]` at the two operands
/// after the query; row b of a table lists the pages of batch entry b.
namespace PagedCache {

/// Checks query, pages, table and chunk start. The batch is dimension
/// `batchDim` of the query.
Status verify(const OpTypes &types, size_t query, size_t table, size_t start,
              size_t batchDim);

/// Which pages the table may name, each once, and where the queries may start,
/// `queries` of them, for all to stand within the cache.
std::optional<IndexRange> indices(const OpTypes &types, size_t query,
                                  size_t table, size_t start, size_t queries,
                                  size_t i);

/// The shape of the attention: keys are those of all pages in a row of the
/// table.
kernels::AttentionShape shape(const OpTypes &types, size_t query, size_t table);
/// Its useful operations and the shape of its work under a band, with the
/// queries at the end of a full cache: where they start only the running
/// program knows.
double flops(const OpTypes &types, size_t query, size_t table,
             const Band &band);
AttentionWork work(const OpTypes &types, size_t query, size_t table,
                   const Band &band);

/// Memory of one batch entry's keys and values put together.
int64_t scratchBytes(const OpTypes &types, size_t query, size_t table,
                     int threads);

/// Puts together the pages of one batch entry of operand `pages` as
/// `[1, heads, rows, dim]`. Fails where the table names a page that is not
/// there.
Result<StorageRef> gather(OpRun &run, size_t pages, size_t table,
                          int64_t entry);

/// The queries from chunk start on, over the cache, into result 0.
Status attend(OpRun &run, size_t query, size_t table, size_t start,
              const PagedQuery &how);

} // namespace PagedCache

/// Checks `mask_type` and the mask that goes with it: 1 keeps, 0 hides.
Status verifyMaskType(const OpTypes &types, size_t mask, size_t query,
                      size_t key);

/// The additive form of a mask of ones and zeros. A mask of ones alone is no
/// mask.
struct KeepMask {
  kernels::AdditiveMask view;
  std::vector<float> terms;

  static Result<KeepMask> make(OpRun &run, size_t mask);
};

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_PAGEDCACHE_H
