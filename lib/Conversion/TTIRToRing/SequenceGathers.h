// SPDX-License-Identifier: Apache-2.0
// The collectives that bring a sharded sequence to an attention.

#ifndef RING_LIB_CONVERSION_TTIRTORING_SEQUENCEGATHERS_H
#define RING_LIB_CONVERSION_TTIRTORING_SEQUENCEGATHERS_H

#include "RowwiseOps.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <optional>
#include <string>

namespace mlir::ring {

/// The rows of `[batch, heads, rows, dim]`.
inline constexpr int64_t kRowsDim = 2;

/// A tensor of all rows, or of the first of them, that this device's shard was
/// made into: by an `all_gather` of the rows, with rowwise ops behind it, or by
/// an `all_to_all` that traded rows for heads.
///
///   k [1, 64, 8, 16] -> all_gather [1, 256, 8, 16] -> slice [1, 250, 8, 16]
///     -> permute [1, 8, 250, 16]
///
/// has the shard [1, 8, 64, 16] on 4 ranks, and the first 250 of 256 rows.
class GatheredRows {
public:
  /// Looks through rowwise ops and an `all_gather` of the rows of `tensor`.
  static std::optional<GatheredRows> ofGather(Value tensor);

  /// Looks through an `all_to_all` that traded rows for heads.
  static std::optional<GatheredRows> ofHeadTrade(Value tensor);

  /// What keeps `tensor` from being that, where rows are gathered but changed
  /// in a way that no shard can be; empty if nothing is gathered.
  static std::string obstacleTo(Value tensor);

  /// The mesh axis that carries the sequence, and its devices.
  int64_t axis() const { return meshAxis; }
  int64_t ranks() const { return devices; }
  /// Rows of all shards, of which the tensor has the first `kept`.
  int64_t rows() const { return devices * Rows{local, trace.from.dim}.size(); }
  int64_t kept() const { return Rows{tensor, kRowsDim}.size(); }
  bool isCut() const { return kept() < rows(); }

  /// This device's rows in the form that the tensor has.
  Value shard(OpBuilder &builder) const;
  /// All rows in that form, gathered last: the tensor itself if that is it.
  Value whole(OpBuilder &builder, Location loc) const;

private:
  GatheredRows(Value tensor, Value local, RowTrace trace, int64_t axis,
               int64_t devices)
      : tensor(tensor), local(local), trace(std::move(trace)), meshAxis(axis),
        devices(devices) {}

  Value tensor;
  /// The shard before it was gathered, which the trace is from.
  Value local;
  RowTrace trace;
  int64_t meshAxis, devices;
};

/// Whether `user` trades the heads of an attention's result back for rows.
bool isTradeBack(Operation *user, int64_t axis);

/// Whether `user` takes this device's part of `rows` on mesh axis `axis`.
bool isPartitionOf(Operation *user, Rows rows, int64_t axis);

/// Lets every `mesh_partition` that takes this device's rows from what rowwise
/// ops make of `whole` take them from `whole` itself, before those ops, so that
/// nobody needs all rows for them.
void partitionFirst(OpBuilder &builder, Rows whole, int64_t axis,
                    int64_t ranks);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_SEQUENCEGATHERS_H
