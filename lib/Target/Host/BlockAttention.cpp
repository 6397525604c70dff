// SPDX-License-Identifier: Apache-2.0
// Attention of one block in ttnn's own ops. sdpa_fw and sdpa_bw are ops of
// tt-train that neither ttnn nor tt-train's Python module offers, and ttnn's
// attention takes neither f32 nor every head dimension. So the program gets
// functions of its own, which hold the scores of a block in memory.

#include "FunctionDescriber.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

#include <cmath>

namespace mlir::ring::host {

namespace ttcore = mlir::tt::ttcore;
namespace ttnn = mlir::tt::ttnn;

namespace {

constexpr int64_t kHeads = 1, kRows = 2, kDim = 3, kTile = 32;
/// What the kernels of tt-train add where a mask hides a key.
constexpr double kHidden = 1e9;

enum class Mask {
  None,
  Causal,
  Kept, ///< 1 where a key counts, 0 where it does not
  Added ///< added to the scores
};

/// The types of a block decide what its function does.
struct Block {
  RankedTensorType query, key, value;
  Mask mask = Mask::None;
  double scale = 0;

  Block(Value query, Value key, Value value, Mask mask,
        std::optional<double> scale)
      : query(cast<RankedTensorType>(query.getType())),
        key(cast<RankedTensorType>(key.getType())),
        value(cast<RankedTensorType>(value.getType())), mask(mask),
        scale(scale.value_or(
            1 / std::sqrt(static_cast<double>(this->query.getDimSize(kDim))))) {
  }

  int64_t groups() const {
    return query.getDimSize(kHeads) / key.getDimSize(kHeads);
  }
  Expression type() const {
    return Expression::enumerator(typeConstant(query.getElementType()));
  }
  bool isHalf() const { return query.getElementType().isBF16(); }

  /// Blocks of the same key have the same function.
  std::string keyText(StringRef what) const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << what << ' ' << query.getShape().size();
    for (RankedTensorType type : {query, key, value}) {
      stream << ' ' << type.getElementType();
      for (int64_t size : type.getShape())
        stream << 'x' << size;
    }
    stream << ' ' << static_cast<int>(mask) << ' ' << scale;
    return text;
  }
};

/// Writes such a function.
class BlockFunction {
public:
  BlockFunction(const Block &block, StringRef name, StringRef comment)
      : block(block) {
    made.name = name.str();
    made.comment = comment.str();
    compute = assign("compute",
                     call("init_device_compute_kernel_config",
                          {{"arch", Expression::method("arch")},
                           {"math_fidelity", Expression::enumerator("hifi4")},
                           {"math_approx_mode", Expression::flag(false)},
                           {"fp32_dest_acc_en", Expression::flag(true)},
                           {"packer_l1_acc", Expression::flag(true)}}));
  }

  Function forward(bool givesLse);
  Function backward();

private:
  Expression parameter(StringRef name) {
    made.parameters.push_back({name.str(), {}, ""});
    return Expression::name(name);
  }
  Expression assign(StringRef name, Expression value) {
    made.body.push_back(
        {Statement::Kind::Assign, {name.str()}, std::move(value)});
    return Expression::name(name);
  }
  void free(ArrayRef<StringRef> names) {
    for (StringRef name : names)
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

  Expression product(Expression a, Expression b, bool transposeA,
                     bool transposeB, StringRef type) {
    return call("matmul", {std::move(a), std::move(b)},
                {{"transpose_a", Expression::flag(transposeA)},
                 {"transpose_b", Expression::flag(transposeB)},
                 {"dtype", Expression::enumerator(type)},
                 {"compute_kernel_config", compute}});
  }
  Expression alongKeys(StringRef name, Expression value) {
    return call(name, {std::move(value)},
                {{"dim", Expression::list(ArrayRef<int64_t>{kDim})},
                 {"keepdim", Expression::flag(true)},
                 {"compute_kernel_config", compute}});
  }
  /// `value` in the type of the block's operands.
  Expression narrowed(StringRef name, Expression value) {
    if (!block.isHalf())
      return value;
    return assign(name, call("typecast", {std::move(value), block.type()}));
  }
  Expression widened(StringRef name, Expression value) {
    if (!block.isHalf())
      return value;
    return assign(name, call("typecast", {std::move(value),
                                          Expression::enumerator("float32")}));
  }
  /// Key heads as many as query heads.
  Expression spread(StringRef name, Expression value) {
    if (block.groups() == 1)
      return value;
    return assign(name, call("repeat_interleave", {std::move(value)},
                             {{"repeats", Expression::integer(block.groups())},
                              {"dim", Expression::integer(kHeads)}}));
  }
  Expression maskedScores(Expression query, Expression keys);
  /// The sum over the query heads that share a key head.
  Expression grouped(StringRef name, Expression value, RankedTensorType type);

  const Block &block;
  Function made;
  Expression compute;
};

/// Scaled products in f32, with `-1e9` added where the mask hides.
Expression BlockFunction::maskedScores(Expression query, Expression keys) {
  assign("scores", product(query, keys, false, true, "float32"));
  Expression scores =
      assign("scores", call("multiply", {Expression::name("scores"),
                                         Expression::realNumber(block.scale)}));
  if (block.mask == Mask::None)
    return scores;
  if (block.mask == Mask::Added)
    return assign("scores", call("add", {scores, parameter("mask")}));
  Expression kept;
  if (block.mask == Mask::Kept) {
    kept = parameter("mask");
  } else {
    assign("ones",
           call("ones", {{"shape",
                          Expression::list({1, 1, block.query.getDimSize(kRows),
                                            block.key.getDimSize(kRows)})},
                         {"dtype", Expression::enumerator("bfloat16")},
                         {"layout", Expression::enumerator("tile")},
                         {"device", Expression::device()}}));
    kept = assign("kept", call("tril", {Expression::name("ones")}));
  }
  Expression hidden =
      assign("hidden", call("subtract", {kept, Expression::realNumber(1)}));
  hidden = assign("hidden",
                  call("multiply", {hidden, Expression::realNumber(kHidden)}));
  return assign("scores", call("add", {scores, hidden}));
}

/// output = softmax(scores) V, lse = max + log(sum) in every column.
Function BlockFunction::forward(bool givesLse) {
  Expression query = parameter("query"), key = parameter("key"),
             value = parameter("value");
  Expression scores = maskedScores(query, spread("keys", key));
  Expression top = assign("top", alongKeys("max", scores));
  Expression weights = assign("weights", call("subtract", {scores, top}));
  free({"scores"});
  weights = assign("weights", call("exp", {weights}));
  Expression total = assign("total", alongKeys("sum", weights));
  Expression halves = narrowed("halves", weights);
  assign("output",
         product(halves, spread("values", value), false, false, "float32"));
  free({"weights"});
  Expression output =
      assign("output", call("divide", {Expression::name("output"), total}));
  if (block.isHalf())
    assign("output", call("typecast", {output, block.type()}));
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

Expression BlockFunction::grouped(StringRef name, Expression value,
                                  RankedTensorType type) {
  if (block.groups() == 1)
    return value;
  // [B, H, S, D] -> [B Hkv, G, S, D] -> [B Hkv, 1, S, D] -> [B, Hkv, S, D].
  SmallVector<int64_t> apart{type.getDimSize(0) * type.getDimSize(kHeads),
                             block.groups(), type.getDimSize(kRows),
                             type.getDimSize(kDim)};
  Expression split =
      assign(name, call("reshape", {value, Expression::list(apart)}));
  Expression sum =
      assign(name, call("sum", {split},
                        {{"dim", Expression::list(ArrayRef<int64_t>{1})},
                         {"keepdim", Expression::flag(true)},
                         {"compute_kernel_config", compute}}));
  return assign(name,
                call("reshape", {sum, Expression::list(type.getShape())}));
}

/// With P = exp(scores - lse): dV = P' dO, dS = P (dO V' - rows of dO O),
/// dQ = scale dS K, dK = scale dS' Q.
Function BlockFunction::backward() {
  Expression gradient = parameter("gradient"), output = parameter("output"),
             query = parameter("query"), key = parameter("key"),
             value = parameter("value"), lse = parameter("lse");
  Expression keys = spread("keys", key), values = spread("values", value);
  Expression scores = maskedScores(query, keys);
  Expression shift = assign(
      "shift",
      call("slice", {lse, Expression::list({0, 0, 0, 0}),
                     Expression::list({block.query.getDimSize(0),
                                       block.query.getDimSize(kHeads),
                                       block.query.getDimSize(kRows), 1}),
                     Expression::list({1, 1, 1, 1})}));
  Expression weights = assign("weights", call("subtract", {scores, shift}));
  free({"scores"});
  weights = assign("weights", call("exp", {weights}));
  Expression halves = narrowed("halves", weights);
  assign("value_gradient", product(halves, gradient, true, false, "float32"));

  Expression rows =
      assign("rows", call("multiply", {widened("gradient_f32", gradient),
                                       widened("output_f32", output)}));
  rows = assign("rows", alongKeys("sum", rows));
  Expression slopes =
      assign("slopes", product(gradient, values, false, true, "float32"));
  slopes = assign("slopes", call("subtract", {slopes, rows}));
  slopes = assign("slopes", call("multiply", {slopes, weights}));
  free({"weights"});
  slopes =
      assign("slopes",
             call("multiply", {slopes, Expression::realNumber(block.scale)}));
  Expression halfSlopes = narrowed("half_slopes", slopes);
  assign("query_gradient", product(halfSlopes, keys, false, false, "float32"));
  assign("key_gradient", product(halfSlopes, query, true, false, "float32"));
  grouped("key_gradient", Expression::name("key_gradient"), block.key);
  grouped("value_gradient", Expression::name("value_gradient"), block.value);
  for (StringRef name : {"query_gradient", "key_gradient", "value_gradient"})
    narrowed(name, Expression::name(name));
  giveBack({"query_gradient", "key_gradient", "value_gradient"});
  return std::move(made);
}

LogicalResult assignOwn(Operation *op, FunctionDescriber &function,
                        StringRef name, std::vector<Expression> operands,
                        int64_t more = 0) {
  Expression value;
  value.kind = Expression::Kind::Own;
  value.text = name.str();
  value.parts = std::move(operands);
  return function.assign(op, std::move(value), more);
}

FailureOr<Mask> maskOf(Operation *op, FunctionDescriber &function,
                       ttcore::AttentionMaskType type) {
  if (auto dropout = op->getAttrOfType<FloatAttr>("dropout_probability");
      dropout && !dropout.getValue().isZero()) {
    function.refuse(op) << "expects no dropout, but got " << dropout;
    return failure();
  }
  switch (type) {
  case ttcore::AttentionMaskType::None:
    return Mask::None;
  case ttcore::AttentionMaskType::Causal:
    return Mask::Causal;
  case ttcore::AttentionMaskType::Arbitrary:
    return Mask::Kept;
  }
  llvm_unreachable("all kinds of masks are there");
}

} // namespace

LogicalResult describeForward(Operation *any, FunctionDescriber &function) {
  auto op = cast<ttnn::SDPAForwardOp>(any);
  FailureOr<Mask> mask = maskOf(any, function, op.getMaskType());
  if (failed(mask))
    return failure();
  Block block(op.getQuery(), op.getKey(), op.getValue(), *mask, std::nullopt);
  bool givesLse = any->getNumResults() == 2;
  std::string name = function.program().helper(
      block.keyText(givesLse ? "forward with lse" : "forward"),
      "attention_block", [&](StringRef name) {
        return BlockFunction(
                   block, name,
                   givesLse ? "A block's attention and log-sum-exp, in ttnn's "
                              "own ops: its scores are in memory."
                            : "A block's attention, in ttnn's own ops: its "
                              "scores are in memory.")
            .forward(givesLse);
      });
  return assignOwn(any, function, name, function.operandsOf(any));
}

LogicalResult describeBackward(Operation *any, FunctionDescriber &function) {
  auto op = cast<ttnn::SDPABackwardOp>(any);
  FailureOr<Mask> mask = maskOf(any, function, op.getMaskType());
  if (failed(mask))
    return failure();
  Block block(op.getQuery(), op.getKey(), op.getValue(), *mask, std::nullopt);
  std::string name = function.program().helper(
      block.keyText("backward"), "attention_block_gradients",
      [&](StringRef name) {
        return BlockFunction(block, name,
                             "The gradients of a block's attention, in ttnn's "
                             "own ops: its scores are in memory.")
            .backward();
      });
  return assignOwn(any, function, name, function.operandsOf(any));
}

/// What the device's attention takes: bf16, whole tiles of a head, values as
/// wide as keys.
static bool fitsDevice(ttnn::ScaledDotProductAttentionOp op) {
  auto key = cast<RankedTensorType>(op.getKey().getType());
  auto value = cast<RankedTensorType>(op.getValue().getType());
  return key.getElementType().isBF16() && key.getDimSize(kDim) % kTile == 0 &&
         value.getDimSize(kDim) == key.getDimSize(kDim);
}

LogicalResult describeAttention(Operation *any, FunctionDescriber &function) {
  auto op = cast<ttnn::ScaledDotProductAttentionOp>(any);
  std::vector<Expression> operands{function.nameOf(op.getQuery()),
                                   function.nameOf(op.getKey()),
                                   function.nameOf(op.getValue())};
  if (fitsDevice(op)) {
    std::vector<Argument> arguments;
    if (op.getAttentionMask())
      arguments.push_back(
          {"attn_mask", function.nameOf(op.getAttentionMask())});
    arguments.push_back({"is_causal", Expression::flag(op.getIsCausal())});
    if (op.getScaleAttr())
      arguments.push_back({"scale", *Expression::of(op.getScaleAttr())});
    if (op.getSlidingWindowSizeAttr())
      arguments.push_back({"sliding_window_size",
                           *Expression::of(op.getSlidingWindowSizeAttr())});
    if (op.getAttentionSink())
      arguments.push_back(
          {"attention_sink", function.nameOf(op.getAttentionSink())});
    return function.assign(any, call("scaled_dot_product_attention", operands,
                                     std::move(arguments)));
  }
  if (op.getSlidingWindowSizeAttr() || op.getAttentionSink())
    return function.refuse(any)
           << "expects bf16 and a head dimension of whole tiles with a window "
              "or a sink, which is what the device's attention takes";
  Mask mask = op.getAttentionMask() ? Mask::Added
              : op.getIsCausal()    ? Mask::Causal
                                    : Mask::None;
  std::optional<double> scale;
  if (op.getScaleAttr())
    scale = op.getScaleAttr().getValueAsDouble();
  Block block(op.getQuery(), op.getKey(), op.getValue(), mask, scale);
  std::string name = function.program().helper(
      block.keyText("forward"), "attention_block", [&](StringRef name) {
        return BlockFunction(block, name,
                             "A block's attention, in ttnn's own ops: its "
                             "scores are in memory.")
            .forward(/*givesLse=*/false);
      });
  if (op.getAttentionMask())
    operands.push_back(function.nameOf(op.getAttentionMask()));
  return assignOwn(any, function, name, std::move(operands));
}

} // namespace mlir::ring::host
