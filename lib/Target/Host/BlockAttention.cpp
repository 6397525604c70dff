// SPDX-License-Identifier: Apache-2.0
// Attention of blocks. sdpa_fw and sdpa_bw are ops of tt-train that neither
// ttnn nor tt-train's Python module offers, and ttnn's attention takes neither
// f32 nor every head dimension. So the program gets functions of its own.

#include "BlockFunctions.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

namespace mlir::ring::host {

namespace ttcore = mlir::tt::ttcore;
namespace ttnn = mlir::tt::ttnn;

static constexpr int64_t kDim = 3, kTile = 32;

static LogicalResult assignOwn(Operation *op, FunctionDescriber &function,
                               StringRef name,
                               std::vector<Expression> operands) {
  Expression value;
  value.kind = Expression::Kind::Own;
  value.text = name.str();
  value.parts = std::move(operands);
  return function.assign(op, std::move(value));
}

static FailureOr<Mask> maskOf(Operation *op, FunctionDescriber &function,
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

LogicalResult describeForward(Operation *any, FunctionDescriber &function) {
  auto op = cast<ttnn::SDPAForwardOp>(any);
  FailureOr<Mask> mask = maskOf(any, function, op.getMaskType());
  if (failed(mask))
    return failure();
  Block block(op.getQuery(), op.getKey(), op.getValue(), *mask,
              op.getAttentionMask(), std::nullopt);
  return assignOwn(any, function,
                   forwardBlock(function.program(), block,
                                /*givesLse=*/any->getNumResults() == 2),
                   function.operandsOf(any));
}

LogicalResult describeBackward(Operation *any, FunctionDescriber &function) {
  auto op = cast<ttnn::SDPABackwardOp>(any);
  FailureOr<Mask> mask = maskOf(any, function, op.getMaskType());
  if (failed(mask))
    return failure();
  Block block(op.getQuery(), op.getKey(), op.getValue(), *mask,
              op.getAttentionMask(), std::nullopt);
  return assignOwn(any, function, backwardBlock(function.program(), block),
                   function.operandsOf(any));
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
  Block block(op.getQuery(), op.getKey(), op.getValue(), mask,
              op.getAttentionMask(), scale);
  if (op.getAttentionMask())
    operands.push_back(function.nameOf(op.getAttentionMask()));
  return assignOwn(any, function,
                   forwardBlock(function.program(), block, /*givesLse=*/false),
                   std::move(operands));
}

} // namespace mlir::ring::host
