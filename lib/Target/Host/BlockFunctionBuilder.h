// SPDX-License-Identifier: Apache-2.0
// What functions of blocks are written with.

#ifndef RING_LIB_TARGET_HOST_BLOCKFUNCTIONBUILDER_H
#define RING_LIB_TARGET_HOST_BLOCKFUNCTIONBUILDER_H

#include "BlockFunctions.h"

namespace mlir::ring::host {

/// The dimensions of queries, keys and values.
constexpr int64_t kBatch = 0, kHeads = 1, kRows = 2, kDim = 3;

inline SmallVector<int64_t> withSize(ArrayRef<int64_t> shape, int64_t dim,
                                     int64_t size) {
  SmallVector<int64_t> other(shape);
  other[dim] = size;
  return other;
}

class BlockFunctionBuilder {
protected:
  BlockFunctionBuilder(const Block &block, StringRef name, StringRef comment)
      : block(block) {
    made.name = name.str();
    made.comment = comment.str();
  }

  Expression parameter(StringRef name) {
    made.parameters.push_back({name.str(), {}, ""});
    return Expression::name(name);
  }
  Expression assign(const Twine &name, Expression value) {
    made.body.push_back(
        {Statement::Kind::Assign, {name.str()}, std::move(value)});
    return Expression::name(name);
  }
  void assignAll(std::vector<std::string> names, Expression value) {
    made.body.push_back(
        {Statement::Kind::Assign, std::move(names), std::move(value)});
  }
  void free(const Twine &name) {
    made.body.push_back({Statement::Kind::Assign,
                         {},
                         call("deallocate", {Expression::name(name)},
                              {{"force", Expression::flag(false)}})});
  }
  void giveBack(ArrayRef<StringRef> names) {
    Statement end{Statement::Kind::Return, {}, {}};
    for (StringRef name : names) {
      made.results.push_back({name.str(), {}, ""});
      end.results.push_back(name.str());
    }
    made.body.push_back(std::move(end));
  }

  void configureCompute() {
    compute = assign("compute",
                     call("init_device_compute_kernel_config",
                          {{"arch", Expression::method("arch")},
                           {"math_fidelity", Expression::enumerator("hifi4")},
                           {"math_approx_mode", Expression::flag(false)},
                           {"fp32_dest_acc_en", Expression::flag(true)},
                           {"packer_l1_acc", Expression::flag(true)}}));
  }
  Expression sumOver(Expression value, int64_t dim) {
    return call("sum", {std::move(value)},
                {{"dim", Expression::list(ArrayRef<int64_t>{dim})},
                 {"keepdim", Expression::flag(true)},
                 {"compute_kernel_config", compute}});
  }
  /// `value` in the type of the block's operands.
  Expression narrowed(StringRef name, Expression value) {
    if (!block.isHalf())
      return value;
    return assign(name, call("typecast", {std::move(value),
                                          Expression::enumerator("bfloat16")}));
  }
  /// Key heads as many as query heads.
  Expression spread(StringRef name, Expression value) {
    if (block.groups() == 1)
      return value;
    return assign(name, call("repeat_interleave", {std::move(value)},
                             {{"repeats", Expression::integer(block.groups())},
                              {"dim", Expression::integer(kHeads)}}));
  }
  /// Ones of `rows` by all keys.
  Expression onesOf(int64_t rows) {
    return call(
        "ones",
        {{"shape", Expression::list({1, 1, rows, block.key.getDimSize(kRows)})},
         {"dtype", Expression::enumerator("bfloat16")},
         {"layout", Expression::enumerator("tile")},
         {"device", Expression::device()}});
  }
  /// The sum of a gradient over the query heads that share a key head, in the
  /// type of the operands:
  /// [B, H, S, D] -> [B Hkv, G, S, D] -> [B Hkv, 1, S, D] -> [B, Hkv, S, D].
  void finishGradient(StringRef name, RankedTensorType type) {
    Expression value = Expression::name(name);
    if (block.groups() > 1) {
      SmallVector<int64_t> apart{
          type.getDimSize(kBatch) * type.getDimSize(kHeads), block.groups(),
          type.getDimSize(kRows), type.getDimSize(kDim)};
      value = assign(name, call("reshape", {value, Expression::list(apart)}));
      value = assign(name, sumOver(value, kHeads));
      value = assign(
          name, call("reshape", {value, Expression::list(type.getShape())}));
    }
    narrowed(name, value);
  }

  const Block &block;
  Function made;
  /// The variable with the precision of sums; none before configureCompute.
  Expression compute;
};

/// All queries at once.
Function wholeForward(const Block &block, StringRef name, StringRef comment,
                      bool givesLse);
/// With `isPart` the gradients of keys and values are sums to be continued: in
/// f32, with a head for each query head.
Function wholeBackward(const Block &block, StringRef name, StringRef comment,
                       bool isPart);

/// `rows` queries at a time, each by a call of `part`.
Function forwardInParts(const Block &block, int64_t rows, StringRef part,
                        StringRef name, StringRef comment, bool givesLse);
Function backwardInParts(const Block &block, int64_t rows, StringRef part,
                         StringRef name, StringRef comment);

} // namespace mlir::ring::host

#endif // RING_LIB_TARGET_HOST_BLOCKFUNCTIONBUILDER_H
