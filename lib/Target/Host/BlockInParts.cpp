// SPDX-License-Identifier: Apache-2.0
// Attention of a block whose scores would take too much memory: some of its
// queries at a time.

#include "BlockFunctionBuilder.h"

namespace mlir::ring::host {

namespace {

constexpr int64_t kTile = 32;

/// Some queries at a time, each by a call of `part`.
class BlockInParts : BlockFunctionBuilder {
public:
  BlockInParts(const Block &block, int64_t rows, StringRef part, StringRef name,
               StringRef comment)
      : BlockFunctionBuilder(block, name, comment), rows(rows), part(part) {}

  Function forward(bool givesLse);
  Function backward();

private:
  int64_t parts() const { return block.query.getDimSize(kRows) / rows; }
  /// The rows of a part.
  Expression cut(const Twine &name, Expression whole, ArrayRef<int64_t> shape,
                 int64_t index) {
    SmallVector<int64_t> begins(shape.size(), 0), ends(shape);
    begins[kRows] = index * rows;
    ends[kRows] = (index + 1) * rows;
    return assign(name,
                  call("slice", {std::move(whole), Expression::list(begins),
                                 Expression::list(ends),
                                 Expression::list({1, 1, 1, 1})}));
  }
  /// The mask of a part, if it has one: 4 queries, two at a time, see the keys
  /// `1... 11..` and `111. 1111`.
  void cutMask(int64_t index, std::vector<Expression> &operands) {
    if (block.mask == Mask::Causal)
      operands.push_back(assign(
          "kept", call("tril", {Expression::name("ones")},
                       {{"diagonal", Expression::integer(index * rows)}})));
    else if (block.mask != Mask::None)
      operands.push_back(cut("mask_rows", Expression::name("mask"),
                             block.maskType.getShape(), index));
  }
  void takeMask() {
    if (block.mask == Mask::Causal)
      assign("ones", onesOf(rows));
    else if (block.mask != Mask::None)
      parameter("mask");
  }
  Expression callPart(std::vector<Expression> operands) {
    Expression value;
    value.kind = Expression::Kind::Own;
    value.text = part.str();
    value.parts = std::move(operands);
    return value;
  }
  void join(StringRef name) {
    std::vector<Expression> pieces;
    for (int64_t i = 0; i < parts(); ++i)
      pieces.push_back(Expression::name(name + "_" + Twine(i)));
    assign(name, call("concat", {{"tensors", Expression::list(pieces)},
                                 {"dim", Expression::integer(kRows)}}));
  }

  int64_t rows;
  StringRef part;
};

Function BlockInParts::forward(bool givesLse) {
  Expression query = parameter("query"), key = parameter("key"),
             value = parameter("value");
  takeMask();
  key = spread("keys", key);
  value = spread("values", value);
  for (int64_t i = 0; i < parts(); ++i) {
    std::vector<Expression> operands{
        cut("query_rows", query, block.query.getShape(), i), key, value};
    cutMask(i, operands);
    std::vector<std::string> names{"output_" + std::to_string(i)};
    if (givesLse)
      names.push_back("lse_" + std::to_string(i));
    assignAll(std::move(names), callPart(std::move(operands)));
  }
  join("output");
  if (!givesLse) {
    giveBack({"output"});
    return std::move(made);
  }
  join("lse");
  giveBack({"output", "lse"});
  return std::move(made);
}

Function BlockInParts::backward() {
  Expression gradient = parameter("gradient"), output = parameter("output"),
             query = parameter("query"), key = parameter("key"),
             value = parameter("value"), lse = parameter("lse");
  configureCompute();
  takeMask();
  key = spread("keys", key);
  value = spread("values", value);
  SmallVector<int64_t> outputShape =
      withSize(block.query.getShape(), kDim, block.value.getDimSize(kDim));
  SmallVector<int64_t> lseShape = withSize(block.query.getShape(), kDim, kTile);
  for (int64_t i = 0; i < parts(); ++i) {
    std::vector<Expression> operands{
        cut("gradient_rows", gradient, outputShape, i),
        cut("output_rows", output, outputShape, i),
        cut("query_rows", query, block.query.getShape(), i),
        key,
        value,
        cut("lse_rows", lse, lseShape, i)};
    cutMask(i, operands);
    std::string number = "_" + std::to_string(i);
    assignAll(
        {"query_gradient" + number, "key_part" + number, "value_part" + number},
        callPart(std::move(operands)));
    for (StringRef name : {"key", "value"}) {
      Expression sum = Expression::name(name + "_gradient"),
                 more = Expression::name(name + "_part" + number);
      assign(name + "_gradient", i == 0 ? more : call("add", {sum, more}));
    }
  }
  join("query_gradient");
  finishGradient("key_gradient", block.key);
  finishGradient("value_gradient", block.value);
  giveBack({"query_gradient", "key_gradient", "value_gradient"});
  return std::move(made);
}

} // namespace

Function forwardInParts(const Block &block, int64_t rows, StringRef part,
                        StringRef name, StringRef comment, bool givesLse) {
  return BlockInParts(block, rows, part, name, comment).forward(givesLse);
}

Function backwardInParts(const Block &block, int64_t rows, StringRef part,
                         StringRef name, StringRef comment) {
  return BlockInParts(block, rows, part, name, comment).backward();
}

} // namespace mlir::ring::host
