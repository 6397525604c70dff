// SPDX-License-Identifier: Apache-2.0
// Rules about attention over whole sequences, for inference.

#include "ttmlir/Dialect/TTCore/Verify/AttentionVerifiers.h"

#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"

using namespace mlir;
using namespace mlir::tt;

/// Positions of [B, H, S, D] in the tensors of most attention ops.
enum : unsigned { batchDim = 0, headDim = 1, sequenceDim = 2, widthDim = 3 };

/// Compares `found`, called `name`, with `expected`, called `other`.
static LogicalResult sameSize(Operation *op, StringRef name, int64_t found,
                              StringRef other, int64_t expected) {
  if (found != expected)
    return op->emitOpError() << "expects " << name << " to be " << other << " "
                             << expected << ", but got " << found;
  return success();
}

static LogicalResult hasRank(Operation *op, StringRef name, int64_t rank,
                             RankedTensorType type) {
  return sameSize(op, (name + "'s rank").str(), type.getRank(), "exactly",
                  rank);
}

static LogicalResult sameType(Operation *op, StringRef name,
                              RankedTensorType found, StringRef other,
                              RankedTensorType expected,
                              const verify::AttentionRules &rules) {
  bool same = rules.compareEncodings
                  ? found == expected
                  : found.getShape() == expected.getShape() &&
                        found.getElementType() == expected.getElementType();
  if (!same)
    return op->emitOpError() << "expects " << name << " to have the " << other
                             << "'s type " << expected << ", but got " << found;
  return success();
}

static LogicalResult divides(Operation *op, int64_t keyHeads,
                             int64_t queryHeads) {
  if (keyHeads == 0 || queryHeads % keyHeads != 0) // C5
    return op->emitOpError() << "expects the number of key heads to divide "
                             << queryHeads << ", but got " << keyHeads;
  return success();
}

/// A mask of 4 dimensions, each of which is 1 or `full`, or only `full` where
/// `mayBroadcast` is false; and no causality beside it.
static LogicalResult checkMask(Operation *op, const verify::Attention &types,
                               ArrayRef<int64_t> full,
                               ArrayRef<bool> mayBroadcast) {
  if (!types.mask)
    return success();
  if (types.isCausal) // C6
    return op->emitOpError() << "expects is_causal to be false with a mask, "
                                "but got true";
  if (failed(hasRank(op, "the mask", 4, types.mask)))
    return failure();
  for (auto [d, size] : llvm::enumerate(types.mask.getShape())) { // C7
    if (size == full[d] || (mayBroadcast[d] && size == 1))
      continue;
    return op->emitOpError()
           << "expects dimension " << d << " of the mask to be "
           << (mayBroadcast[d] && full[d] != 1 ? "1 or " : "") << full[d]
           << ", but got " << size;
  }
  return success();
}

LogicalResult mlir::tt::verify::attention(Operation *op, const Attention &types,
                                          const AttentionRules &rules) {
  if (failed(hasRank(op, "query", 4, types.query)) || // C1
      failed(hasRank(op, "key", 4, types.key)) ||
      failed(sameType(op, "the result", types.result, "query", types.query,
                      rules)) ||                                           // C2
      failed(sameType(op, "value", types.value, "key", types.key, rules))) // C3
    return failure();

  ArrayRef<int64_t> query = types.query.getShape();
  ArrayRef<int64_t> key = types.key.getShape();
  if (failed(sameSize(op, "key's batch", key[batchDim], "the query's",
                      query[batchDim])) || // C4
      failed(sameSize(op, "key's head size", key[widthDim], "the query's",
                      query[widthDim])) ||
      failed(divides(op, key[headDim], query[headDim]))) // C5
    return failure();

  int64_t full[] = {query[batchDim], query[headDim], query[sequenceDim],
                    key[sequenceDim]};
  bool mayBroadcast[] = {true, true, rules.maskRowsBroadcast, false};
  if (failed(checkMask(op, types, full, mayBroadcast))) // C6, C7
    return failure();
  if (types.isCausal) // C8
    return sameSize(op, "the causal key's length", key[sequenceDim],
                    "the query's", query[sequenceDim]);
  return success();
}

LogicalResult mlir::tt::verify::integerVector(Operation *op, StringRef name,
                                              int64_t count,
                                              RankedTensorType type) {
  if (!type.getElementType().isInteger() || type.getRank() != 1 ||
      type.getDimSize(0) != count)
    return op->emitOpError() << "expects " << name << " to hold " << count
                             << " integers, but got " << type;
  return success();
}

LogicalResult mlir::tt::verify::attentionDecode(Operation *op,
                                                const Attention &types,
                                                RankedTensorType position,
                                                const AttentionRules &rules) {
  if (failed(hasRank(op, "query", 4, types.query)) || // C1
      failed(hasRank(op, "key", 4, types.key)) ||
      failed(sameType(op, "the result", types.result, "query", types.query,
                      rules))) // C2
    return failure();
  if (types.value &&
      failed(sameType(op, "value", types.value, "key", types.key, rules))) // C3
    return failure();

  // The query is [1, B, Hq, D], unlike the cache.
  ArrayRef<int64_t> query = types.query.getShape();
  ArrayRef<int64_t> key = types.key.getShape();
  int64_t batch = query[1], heads = query[2];
  if (failed(sameSize(op, "query's dimension 0", query[0], "exactly", 1)) ||
      failed(sameSize(op, "key's batch", key[batchDim], "the query's",
                      batch)) || // C4
      failed(sameSize(op, "key's head size", key[widthDim], "the query's",
                      query[3])) ||
      failed(divides(op, key[headDim], heads))) // C5
    return failure();
  if (position &&
      failed(integerVector(op, "cur_pos_tensor", batch, position))) // C8
    return failure();

  int64_t full[] = {batch, 1, heads, key[sequenceDim]};
  bool mayBroadcast[] = {true, false, true, false};
  return checkMask(op, types, full, mayBroadcast); // C6, C7
}

LogicalResult mlir::tt::verify::pagedCache(Operation *op,
                                           const Attention &types,
                                           RankedTensorType pageTable,
                                           int64_t users, int64_t queryHeads) {
  if (failed(hasRank(op, "key", 4, types.key)) ||
      failed(hasRank(op, "the page table", 2, pageTable)))
    return failure();
  if (!pageTable.getElementType().isInteger())
    return op->emitOpError() << "expects a page table of integers, but got "
                             << pageTable.getElementType();
  ArrayRef<int64_t> key = types.key.getShape();
  if (failed(sameSize(op, "key's head size", key[widthDim], "the query's",
                      types.query.getDimSize(widthDim))) ||
      failed(divides(op, key[headDim], queryHeads)))
    return failure();
  if (key[sequenceDim] % 32 != 0)
    return op->emitOpError() << "expects 32 to divide the block size, but got "
                             << key[sequenceDim];
  return sameSize(op, "the page table's rows", pageTable.getDimSize(0),
                  "the number of users", users);
}
