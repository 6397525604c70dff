// SPDX-License-Identifier: Apache-2.0
// Ops of TTIR and their siblings of the same name in TTNN.

#include "OpTranslations.h"
#include "TensorTranslations.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {
namespace {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;

/// `value` of a constant: its numbers in row-major order.
LogicalResult writeConstant(Operation *op, ProgramWriter &writer) {
  auto elements = op->getAttrOfType<DenseElementsAttr>("value");
  if (!elements)
    return op->emitOpError("cannot run: expects dense elements, but got ")
           << op->getAttr("value");
  auto type = writer.typeOf(op, op->getResult(0).getType(), writer.placement());
  if (failed(type))
    return failure();
  std::vector<double> numbers;
  if (isa<FloatType>(elements.getElementType())) {
    for (const APFloat &number : elements.getValues<APFloat>())
      numbers.push_back(number.convertToDouble());
  } else {
    bool isSigned = !elements.getElementType().isUnsignedInteger() &&
                    !elements.getElementType().isInteger(1);
    for (const APInt &number : elements.getValues<APInt>())
      numbers.push_back(isSigned ? double(number.getSExtValue())
                                 : double(number.getZExtValue()));
  }
  writer.bind(op->getResult(0), writer.program().addConstant(*type, numbers));
  return success();
}

LogicalResult writeFill(Operation *op, ProgramWriter &writer, double value) {
  return writer.write(op, "full", {}, {{"value", value}});
}

LogicalResult writeFull(Operation *op, ProgramWriter &writer) {
  Attribute value = op->getAttr("fill_value");
  if (auto number = dyn_cast_if_present<FloatAttr>(value))
    return writeFill(op, writer, number.getValueAsDouble());
  return writeFill(op, writer, cast<IntegerAttr>(value).getInt());
}

LogicalResult writeClamp(Operation *op, ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  rt::Attributes attributes;
  if (failed(inputs) ||
      failed(writeAttribute(op, "min", op->getAttr("min"), attributes)) ||
      failed(writeAttribute(op, "max", op->getAttr("max"), attributes)))
    return failure();
  return writer.write(op, "clamp", *inputs, std::move(attributes));
}

LogicalResult writeTranspose(Operation *op, ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  if (failed(inputs))
    return failure();
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  std::vector<int64_t> permutation(rank);
  for (int64_t i = 0; i < rank; ++i)
    permutation[i] = i;
  auto dim = [&](StringRef name) {
    int64_t value =
        op->getAttrOfType<IntegerAttr>(name).getValue().getSExtValue();
    return value < 0 ? value + rank : value;
  };
  std::swap(permutation[dim("dim0")], permutation[dim("dim1")]);
  return writer.write(op, "permute", *inputs, {{"permutation", permutation}});
}

/// TTNN leaves the number of normalised dimensions at one; TTIR names them.
LogicalResult writeNorm(Operation *op, ProgramWriter &writer, StringRef name) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  if (failed(inputs))
    return failure();
  rt::Attributes attributes;
  if (auto epsilon = op->getAttrOfType<FloatAttr>("epsilon"))
    attributes["epsilon"] = epsilon.getValueAsDouble();
  if (auto shape = op->getAttrOfType<DenseI64ArrayAttr>("normalized_shape"))
    attributes["normalized_rank"] = int64_t(shape.size());
  return writer.write(op, name, *inputs, std::move(attributes));
}

LogicalResult writeForward(Operation *op, ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  if (failed(inputs))
    return failure();
  if (auto dropout = op->getAttrOfType<FloatAttr>("dropout_probability"))
    if (!dropout.getValue().isZero())
      return op->emitOpError("cannot run: expects no dropout, but got ")
             << dropout;
  auto mask = op->getAttrOfType<ttcore::AttentionMaskTypeAttr>("mask_type");
  return writer.write(
      op, op->getName().stripDialect(), *inputs,
      {{"mask_type",
        ttcore::stringifyAttentionMaskType(mask.getValue()).str()}});
}

LogicalResult writePermute(Operation *op, ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  auto pairs =
      dyn_cast<DenseIntElementsAttr>(op->getAttr("source_target_pairs"));
  if (failed(inputs) || !pairs)
    return failure();
  std::vector<int64_t> flat;
  for (const APInt &device : pairs.getValues<APInt>())
    flat.push_back(device.getSExtValue());
  return writer.write(op, "collective_permute", *inputs, {{"pairs", flat}});
}

LogicalResult writeAllToAll(Operation *op, ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  auto groups = dyn_cast<DenseIntElementsAttr>(op->getAttr("replica_groups"));
  if (failed(inputs) || !groups)
    return failure();
  std::vector<int64_t> flat;
  for (const APInt &device : groups.getValues<APInt>())
    flat.push_back(device.getSExtValue());
  rt::Attributes attributes = {
      {"groups", flat},
      {"group_size", cast<ShapedType>(groups.getType()).getShape().back()}};
  if (failed(
          writeAttribute(op, "split", op->getAttr("split_dim"), attributes)) ||
      failed(
          writeAttribute(op, "concat", op->getAttr("concat_dim"), attributes)))
    return failure();
  return writer.write(op, "all_to_all", *inputs, std::move(attributes));
}

LogicalResult writeMeshShard(Operation *op, ProgramWriter &writer) {
  auto shard = cast<ttir::MeshShardOp>(op);
  bool toDevices =
      shard.getShardDirection() == ttcore::MeshShardDirection::FullToShard;
  auto from = toDevices ? rt::Placement::Whole : rt::Placement::Local;
  FailureOr<int32_t> input = writer.operand(op, shard.getInput(), from);
  rt::Attributes attributes = {
      {"shard_type",
       ttcore::stringifyMeshShardType(shard.getShardType()).str()},
      {"direction",
       ttcore::stringifyMeshShardDirection(shard.getShardDirection()).str()}};
  if (failed(input) ||
      failed(writeAttribute(op, "shard_dims", shard.getShardDimsAttr(),
                            attributes)) ||
      failed(writeAttribute(op, "shard_shape", shard.getShardShapeAttr(),
                            attributes)))
    return failure();
  return writer.writeAcross(op, "mesh_shard", *input, std::move(attributes),
                            toDevices ? rt::Placement::Local
                                      : rt::Placement::Whole);
}

/// The collectives that name a reduction.
LogicalResult writeReduction(Operation *op, ProgramWriter &writer,
                             StringRef name) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  auto kind = op->getAttrOfType<ttcore::ReduceTypeAttr>("reduce_type");
  rt::Attributes attributes = {
      {"reduce", ttcore::stringifyReduceType(kind.getValue()).str()}};
  if (failed(inputs) ||
      failed(
          writeAttribute(op, "axis", op->getAttr("cluster_axis"), attributes)))
    return failure();
  if (Attribute dim = op->getAttr("scatter_dim"))
    if (failed(writeAttribute(op, "dim", dim, attributes)))
      return failure();
  return writer.write(op, name, *inputs, std::move(attributes));
}

/// Whether any or all of a dimension are true, by the extremum of 0 and 1.
LogicalResult writeTruth(Operation *op, ProgramWriter &writer,
                         StringRef extremum) {
  if (!getElementTypeOrSelf(op->getOperand(0)).isInteger(1))
    return op->emitOpError("cannot run: expects i1, but got ")
           << op->getOperand(0).getType();
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  if (failed(inputs))
    return failure();
  rt::Attributes attributes;
  for (auto [from, to] :
       {std::pair("dim_arg", "dims"), {"keep_dim", "keep_dim"}})
    if (Attribute attribute = op->getAttr(from))
      if (failed(writeAttribute(op, to, attribute, attributes)))
        return failure();
  return writer.write(op, extremum, *inputs, std::move(attributes));
}

} // namespace

void addTensorTranslations(OpTranslations &translations, StringRef dialect) {
  auto name = [&](StringRef op) { return (dialect + "." + op).str(); };
  for (StringRef op :
       {"add",        "subtract",    "multiply",    "maximum",    "minimum",
        "pow",        "eq",          "gt",          "ge",         "lt",
        "le",         "ne",          "logical_and", "logical_or", "neg",
        "abs",        "exp",         "log",         "sqrt",       "rsqrt",
        "reciprocal", "sigmoid",     "silu",        "tanh",       "relu",
        "sin",        "cos",         "erf",         "floor",      "ceil",
        "sign",       "logical_not", "gelu",        "typecast",   "where",
        "broadcast",  "reshape",     "embedding"})
    translations.addDirect(name(op), op);
  translations.addDirect(name("div"), "divide");
  translations.addDirect(name("divide"), "divide");
  translations.addDirect(name("squeeze"), "reshape");
  translations.addDirect(name("unsqueeze"), "reshape");
  translations.addDirect(
      name("slice_static"), "slice",
      {{"begins", "begins"}, {"ends", "ends"}, {"step", "steps"}});
  translations.addDirect(name("concat"), "concat", {{"dim", "dim"}});
  translations.addDirect(name("pad"), "pad",
                         {{"padding", "padding"}, {"value", "value"}});
  translations.addDirect(name("permute"), "permute",
                         {{"permutation", "permutation"}});
  translations.add(name("transpose"), writeTranspose);
  translations.addDirect(name("repeat_interleave"), "repeat_interleave",
                         {{"repeats", "repeats"}, {"dim", "dim"}});
  for (StringRef op : {"matmul", "linear"})
    translations.addDirect(
        name(op), op,
        {{"transpose_a", "transpose_a"}, {"transpose_b", "transpose_b"}});
  for (StringRef op : {"sum", "max", "min", "mean"})
    translations.addDirect(name(op), op,
                           {{"dim_arg", "dims"}, {"keep_dim", "keep_dim"}});
  translations.add(name("reduce_or"), [](Operation *op, ProgramWriter &writer) {
    return writeTruth(op, writer, "max");
  });
  translations.add(name("reduce_and"),
                   [](Operation *op, ProgramWriter &writer) {
                     return writeTruth(op, writer, "min");
                   });
  translations.addDirect(name("softmax"), "softmax", {{"dimension", "dim"}});
  translations.addDirect(name("cumsum"), "cumsum", {{"dim", "dim"}});
  translations.addDirect(name("pow_tensor"), "pow");
  translations.addDirect(name("rotary_embedding"), "rotary_embedding",
                         {{"token_index", "token_index"}});
  for (StringRef norm : {"rms_norm", "layer_norm"})
    translations.add(name(norm), [norm](Operation *op, ProgramWriter &writer) {
      return writeNorm(op, writer, norm);
    });
  translations.add(name("constant"), writeConstant);
  translations.add(name("full"), writeFull);
  translations.add(name("zeros"), [](Operation *op, ProgramWriter &writer) {
    return writeFill(op, writer, 0);
  });
  translations.add(name("ones"), [](Operation *op, ProgramWriter &writer) {
    return writeFill(op, writer, 1);
  });
  translations.add(name("clamp_scalar"), writeClamp);
  addCacheTranslations(translations, dialect);

  translations.addDirect(name("scaled_dot_product_attention"), "sdpa",
                         {{"is_causal", "causal"},
                          {"scale", "scale"},
                          {"sliding_window_size", "window"}});
  translations.addDirect(name("scaled_dot_product_attention_decode"),
                         "sdpa_decode",
                         {{"is_causal", "causal"}, {"scale", "scale"}});
  translations.add(name("sdpa_fw"), writeForward);
  translations.add(name("sdpa_bw"), writeForward);

  translations.addDirect(name("all_gather"), "all_gather",
                         {{"all_gather_dim", "dim"}, {"cluster_axis", "axis"}},
                         Runs::OnDevices);
  translations.addDirect(name("mesh_partition"), "mesh_partition",
                         {{"dim", "dim"}, {"cluster_axis", "axis"}},
                         Runs::OnDevices);
  for (StringRef reduction : {"all_reduce", "reduce_scatter"})
    translations.add(
        name(reduction),
        [reduction](Operation *op, ProgramWriter &writer) {
          return writeReduction(op, writer, reduction);
        },
        Runs::OnDevices);
}

/// An op whose operand number `output` is the tensor that it would write into:
/// programs have results.
static std::function<LogicalResult(Operation *, ProgramWriter &)>
withoutOutput(StringRef instruction, unsigned output,
              SmallVector<std::pair<StringRef, StringRef>> attributes) {
  return [=, attributes = std::move(attributes)](
             Operation *op, ProgramWriter &writer) -> LogicalResult {
    FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
    if (failed(inputs))
      return failure();
    inputs->erase(inputs->begin() + output);
    rt::Attributes written;
    for (auto [from, to] : attributes)
      if (Attribute attribute = op->getAttr(from))
        if (failed(writeAttribute(op, to, attribute, written)))
          return failure();
    return writer.write(op, instruction, std::move(*inputs),
                        std::move(written));
  };
}

/// A step of latent attention is one of any other, whose values are cut out of
/// the keys where there are none.
static LogicalResult writeLatentStep(Operation *op, ProgramWriter &writer) {
  auto step = cast<ttir::PagedFlashMultiLatentAttentionDecodeOp>(op);
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  if (failed(inputs))
    return failure();
  constexpr size_t kKey = 1, kValue = 2;
  if (!step.getValue()) {
    RankedTensorType key = step.getKey().getType();
    std::vector<int64_t> ends(key.getShape().begin(), key.getShape().end());
    ends.back() = step.getHeadDimV();
    FailureOr<int32_t> value =
        writer.step(op, "slice", {(*inputs)[kKey]},
                    RankedTensorType::get(ends, key.getElementType()),
                    {{"begins", std::vector<int64_t>(ends.size(), 0)},
                     {"ends", ends},
                     {"steps", std::vector<int64_t>(ends.size(), 1)}});
    if (failed(value))
      return failure();
    (*inputs)[kValue] = *value;
  }
  rt::Attributes attributes{{"causal", int64_t(step.getIsCausal())}};
  if (FloatAttr scale = step.getScaleAttr())
    attributes["scale"] = scale.getValueAsDouble();
  return writer.write(op, "paged_sdpa_decode", std::move(*inputs),
                      std::move(attributes));
}

void addTTIRTranslations(OpTranslations &translations) {
  addTensorTranslations(translations, "ttir");
  translations.add("ttir.empty", [](Operation *op, ProgramWriter &writer) {
    return writeFill(op, writer, 0);
  });
  translations.add("ttir.paged_scaled_dot_product_attention_decode",
                   withoutOutput("paged_sdpa_decode", /*output=*/4,
                                 {{"is_causal", "causal"},
                                  {"scale", "scale"},
                                  {"sliding_window_size", "window"}}));
  translations.add("ttir.paged_flash_multi_latent_attention_decode",
                   writeLatentStep);
  translations.add(
      "ttir.chunked_scaled_dot_product_attention",
      withoutOutput("chunked_sdpa", /*output=*/5, {{"scale", "scale"}}));
  translations.addDirect("ttir.arange", "arange",
                         {{"start", "start"},
                          {"end", "end"},
                          {"step", "step"},
                          {"arange_dimension", "dim"}});
  translations.addDirect("ttir.repeat", "repeat",
                         {{"repeat_dimensions", "repeats"}});
  translations.addDirect("ttir.dot_general", "dot_general",
                         {{"batch_dims_lhs", "batch_a"},
                          {"contract_dims_lhs", "contract_a"},
                          {"batch_dims_rhs", "batch_b"},
                          {"contract_dims_rhs", "contract_b"}});
  translations.add("ttir.collective_permute", writePermute, Runs::OnDevices);
  translations.add("ttir.all_to_all", writeAllToAll, Runs::OnDevices);
  translations.add("ttir.mesh_shard", writeMeshShard, [](Operation *op) {
    auto shard = cast<ttir::MeshShardOp>(op);
    return shard.getShardDirection() == ttcore::MeshShardDirection::FullToShard
               ? Runs::FromHost
               : Runs::ToHost;
  });
}

} // namespace mlir::ring
