// SPDX-License-Identifier: Apache-2.0
// Attention of one block in products, maxima, exponentials and sums, whose
// scores are in memory.

#include "BlockFunctionBuilder.h"

namespace mlir::ring::host {

namespace {

constexpr int64_t kTile = 32;
/// What the kernels of tt-train add where a mask hides a key.
constexpr double kHidden = 1e9;

/// All queries at once.
class WholeBlock : BlockFunctionBuilder {
public:
  WholeBlock(const Block &block, StringRef name, StringRef comment)
      : BlockFunctionBuilder(block, name, comment) {
    configureCompute();
  }

  Function forward(bool givesLse);
  /// With `isPart` the gradients of keys and values are sums to be continued:
  /// in f32, with a head for each query head.
  Function backward(bool isPart);

private:
  Expression product(Expression a, Expression b, bool transposeA,
                     bool transposeB) {
    return call("matmul", {std::move(a), std::move(b)},
                {{"transpose_a", Expression::flag(transposeA)},
                 {"transpose_b", Expression::flag(transposeB)},
                 {"dtype", Expression::enumerator("float32")},
                 {"compute_kernel_config", compute}});
  }
  Expression widened(StringRef name, Expression value) {
    if (!block.isHalf())
      return value;
    return assign(name, call("typecast", {std::move(value),
                                          Expression::enumerator("float32")}));
  }
  Expression maskedScores(Expression query, Expression keys);
};

/// Scaled products in f32, with `-1e9` added where the mask hides.
Expression WholeBlock::maskedScores(Expression query, Expression keys) {
  Expression scores =
      assign("scores", product(std::move(query), std::move(keys), false, true));
  scores =
      assign("scores",
             call("multiply", {scores, Expression::realNumber(block.scale)}));
  if (block.mask == Mask::None)
    return scores;
  if (block.mask == Mask::Added)
    return assign("scores", call("add", {scores, parameter("mask")}));
  Expression kept;
  if (block.mask == Mask::Kept) {
    kept = parameter("mask");
  } else {
    Expression ones = assign("ones", onesOf(block.query.getDimSize(kRows)));
    kept = assign("kept", call("tril", {ones}));
  }
  Expression hidden =
      assign("hidden", call("subtract", {kept, Expression::realNumber(1)}));
  hidden = assign("hidden",
                  call("multiply", {hidden, Expression::realNumber(kHidden)}));
  return assign("scores", call("add", {scores, hidden}));
}

/// output = softmax(scores) V, lse = max + log(sum) in every column.
Function WholeBlock::forward(bool givesLse) {
  Expression query = parameter("query"), key = parameter("key"),
             value = parameter("value");
  Expression scores = maskedScores(query, spread("keys", key));
  Expression top =
      assign("top", call("max", {scores},
                         {{"dim", Expression::list(ArrayRef<int64_t>{kDim})},
                          {"keepdim", Expression::flag(true)},
                          {"compute_kernel_config", compute}}));
  Expression weights = assign("weights", call("subtract", {scores, top}));
  free("scores");
  weights = assign("weights", call("exp", {weights}));
  Expression total = assign("total", sumOver(weights, kDim));
  Expression halves = narrowed("halves", weights);
  Expression output =
      assign("output", product(halves, spread("values", value), false, false));
  free("weights");
  output = assign("output", call("divide", {output, total}));
  narrowed("output", output);
  if (!givesLse) {
    giveBack({"output"});
    return std::move(made);
  }
  Expression logarithm = assign("logarithm", call("log", {total}));
  Expression lse = assign("lse", call("add", {top, logarithm}));
  assign("lse", call("repeat", {lse, Expression::list({1, 1, 1, kTile})}));
  giveBack({"output", "lse"});
  return std::move(made);
}

/// With P = exp(scores - lse): dV = P' dO, dS = P (dO V' - rows of dO O),
/// dQ = scale dS K, dK = scale dS' Q.
Function WholeBlock::backward(bool isPart) {
  Expression gradient = parameter("gradient"), output = parameter("output"),
             query = parameter("query"), key = parameter("key"),
             value = parameter("value"), lse = parameter("lse");
  Expression keys = spread("keys", key), values = spread("values", value);
  Expression scores = maskedScores(query, keys);
  Expression shift =
      assign("shift",
             call("slice",
                  {lse, Expression::list({0, 0, 0, 0}),
                   Expression::list(withSize(block.query.getShape(), kDim, 1)),
                   Expression::list({1, 1, 1, 1})}));
  Expression weights = assign("weights", call("subtract", {scores, shift}));
  free("scores");
  weights = assign("weights", call("exp", {weights}));
  Expression halves = narrowed("halves", weights);
  assign("value_gradient", product(halves, gradient, true, false));

  Expression rows =
      assign("rows", call("multiply", {widened("gradient_f32", gradient),
                                       widened("output_f32", output)}));
  rows = assign("rows", sumOver(rows, kDim));
  Expression slopes = assign("slopes", product(gradient, values, false, true));
  slopes = assign("slopes", call("subtract", {slopes, rows}));
  slopes = assign("slopes", call("multiply", {slopes, weights}));
  free("weights");
  slopes =
      assign("slopes",
             call("multiply", {slopes, Expression::realNumber(block.scale)}));
  Expression halfSlopes = narrowed("half_slopes", slopes);
  Expression queryGradient =
      assign("query_gradient", product(halfSlopes, keys, false, false));
  assign("key_gradient", product(halfSlopes, query, true, false));
  narrowed("query_gradient", queryGradient);
  if (!isPart) {
    finishGradient("key_gradient", block.key);
    finishGradient("value_gradient", block.value);
  }
  giveBack({"query_gradient", "key_gradient", "value_gradient"});
  return std::move(made);
}

} // namespace

Function wholeForward(const Block &block, StringRef name, StringRef comment,
                      bool givesLse) {
  return WholeBlock(block, name, comment).forward(givesLse);
}

Function wholeBackward(const Block &block, StringRef name, StringRef comment,
                       bool isPart) {
  return WholeBlock(block, name, comment).backward(isPart);
}

} // namespace mlir::ring::host
