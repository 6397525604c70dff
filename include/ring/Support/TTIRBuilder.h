// SPDX-License-Identifier: Apache-2.0
// TTIR ops by what they do to a value: every pass that writes TTIR writes it
// through here, so that shapes, attribute types and spelling are decided once.

#ifndef RING_SUPPORT_TTIRBUILDER_H
#define RING_SUPPORT_TTIRBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

#include <tuple>

namespace mlir::ring {

/// Which factor of a product is transposed before it is multiplied.
enum class Transposed { None, First, Second };

class TTIRBuilder {
public:
  TTIRBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  static RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }

  Type f32() { return builder.getF32Type(); }
  Type bf16() { return builder.getBF16Type(); }

  /// Rows `[begin, end)` of one dimension, every `step`-th. The value itself if
  /// that is all of it.
  Value slice(Value input, int64_t dim, int64_t begin, int64_t end,
              int64_t step = 1);
  /// A part of several dimensions at once.
  Value slice(Value input, ArrayRef<int64_t> begins, ArrayRef<int64_t> ends,
              ArrayRef<int64_t> steps);
  /// Of another tensor, the part that the slice_static `like` takes.
  Value sliceLike(Operation *like, Value input);
  /// The values behind each other; a single one as it is.
  Value concat(ValueRange inputs, int64_t dim);
  /// Fills up the end of one dimension to `size`.
  Value padTo(Value input, int64_t dim, int64_t size, float value = 0.0f);
  /// Fills up one dimension before its start and behind its end.
  Value pad(Value input, int64_t dim, int64_t before, int64_t after,
            float value);
  Value typecast(Value input, Type elementType);
  Value reshape(Value input, ArrayRef<int64_t> shape);
  Value permute(Value input, ArrayRef<int64_t> permutation);
  /// Repeats dimensions of size 1 up to `shape`.
  Value broadcast(Value input, ArrayRef<int64_t> shape);
  /// Repeats each entry of one dimension `times` times in place.
  Value repeatInterleave(Value input, int64_t dim, int64_t times);
  /// Rows of `table`, 2-D, by number: the shape of the numbers, then a row's.
  Value embedding(Value numbers, Value table);
  Value full(ArrayRef<int64_t> shape, Type elementType, float value);
  Value constant(DenseElementsAttr value);
  /// `start, start + step, ...` in f32, `size` of them, along `dim` of a tensor
  /// with 4 dimensions.
  Value arange(int64_t start, int64_t size, int64_t step, int64_t dim);

  /// Elementwise ops; operands broadcast by hand to the result's shape.
  Value add(Value lhs, Value rhs);
  Value subtract(Value lhs, Value rhs);
  Value multiply(Value lhs, Value rhs);
  Value div(Value lhs, Value rhs);
  Value maximum(Value lhs, Value rhs);
  Value exp(Value input);
  Value log(Value input);
  Value sigmoid(Value input);
  Value where(Value condition, Value onTrue, Value onFalse);
  /// Comparisons: 1 where they hold, else 0, in the operands' type.
  Value equal(Value lhs, Value rhs);
  Value lessThan(Value lhs, Value rhs);
  Value lessEqual(Value lhs, Value rhs);
  Value greaterEqual(Value lhs, Value rhs);

  /// `a * b`, batched; one of them transposed on request.
  Value matmul(Value a, Value b, Transposed transposed = Transposed::None);
  /// Reductions over the last dimension, which stays with size 1.
  Value sumLast(Value input);
  Value maxLast(Value input);

  /// Attention of a whole sequence, without a log-sum-exp.
  Value sdpa(Value query, Value key, Value value, bool causal, FloatAttr scale);
  /// Attention with its log-sum-exp in column 0 of the second result. The mask
  /// is there exactly if the type is `arbitrary`.
  std::pair<Value, Value> sdpaForward(Value query, Value key, Value value,
                                      Value mask,
                                      tt::ttcore::AttentionMaskType maskType);

  /// The gradients of query, key and value, in their types, from the output and
  /// the intermediates of the whole attention.
  std::tuple<Value, Value, Value>
  sdpaBackward(Value gradOutput, Value output, Value query, Value key,
               Value value, Value intermediates, Value mask,
               tt::ttcore::AttentionMaskType maskType);

  /// Transfers. A pair is the source and the target of one piece, both linear
  /// numbers of devices in the mesh and on one line of it. Of the `devices` of
  /// the mesh, those that nobody sends to get what nobody may read.
  Value collectivePermute(Value input,
                          ArrayRef<std::pair<int64_t, int64_t>> pairs,
                          int64_t devices);
  /// Joins the pieces of the `devices` devices along mesh axis `axis`.
  Value allGather(Value input, int64_t dim, int64_t axis, int64_t devices);
  /// Leaves each of the `devices` devices along mesh axis `axis` its piece.
  Value meshPartition(Value input, int64_t dim, int64_t axis, int64_t devices);
  /// Sums the parts of the devices along mesh axis `axis`, for all of them.
  Value allReduce(Value input, int64_t axis);
  /// Trades pieces of `split` for pieces of `concat` within each row of
  /// `groups`, a table of device numbers with `groupSize` columns.
  Value allToAll(Value input, int64_t split, int64_t concat,
                 ArrayRef<int64_t> groups, int64_t groupSize);
  /// The step between the host's whole tensor and the devices' shards. `axes`
  /// has the mesh axis that splits each dimension, or -1.
  Value meshShard(Value input, RankedTensorType result, ArrayRef<int64_t> axes,
                  ArrayRef<int64_t> mesh,
                  tt::ttcore::MeshShardDirection direction);

private:
  OpBuilder &builder;
  Location loc;
};

} // namespace mlir::ring

#endif // RING_SUPPORT_TTIRBUILDER_H
