// SPDX-License-Identifier: Apache-2.0
// The attentions of TTIR, read into one form.

#include "SourceAttention.h"
#include "../DilatedComposite.h"
#include "RaiseSteps.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {
namespace {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;

constexpr int64_t kRows = 2;
constexpr StringLiteral kJointAttention = "joint_scaled_dot_product_attention";
constexpr StringLiteral kPackedAttention =
    "packed_scaled_dot_product_attention";

bool read(ttir::ScaledDotProductAttentionOp op, SourceAttention &source) {
  source.op = op;
  source.query = op.getQuery();
  source.key = op.getKey();
  source.value = op.getValue();
  source.mask = op.getAttentionMask();
  source.sink = op.getAttentionSink();
  source.scale = op.getScaleAttr();
  source.output = op.getResult();
  MLIRContext *context = op.getContext();
  if (std::optional<uint32_t> window = op.getSlidingWindowSize()) {
    if (!op.getIsCausal())
      return leaveAsItIs(op, "a sliding window without is_causal");
    if (*window == 0)
      return leaveAsItIs(op, "a sliding window of size 0");
    source.pattern = WindowAttr::get(context, *window - 1, 0);
  } else if (op.getIsCausal()) {
    source.pattern = CausalAttr::get(context);
  }
  return true;
}

bool read(ttir::SDPAForwardOp op, SourceAttention &source) {
  if (!op.getDropoutProbability().isZero())
    return leaveAsItIs(op, "a dropout probability other than 0");
  source.op = op;
  source.query = op.getQuery();
  source.key = op.getKey();
  source.value = op.getValue();
  source.mask = op.getAttentionMask();
  source.maskKeeps = true;
  source.output = op.getOutput();
  source.intermediates = op.getIntermediates();
  if (source.intermediates && source.intermediates.use_empty())
    source.intermediates = {};
  if (op.getMaskType() == ttcore::AttentionMaskType::Causal)
    source.pattern = CausalAttr::get(op.getContext());
  return true;
}

bool readJoint(ttcore::CompositeOp op, SourceAttention &source) {
  if (op.getInputs().size() != 6 || op.getResults().size() != 2)
    return leaveAsItIs(op,
                       "a joint attention without 6 operands and 2 results");
  if (!haveFourDimensions(op, op.getInputs()))
    return false;
  // Joint tokens are like the sequence in all but their number.
  for (int64_t index : {0, 1, 2}) {
    RankedTensorType own = TTIRBuilder::typeOf(op.getInputs()[3 + index]);
    SmallVector<int64_t> shape(
        TTIRBuilder::typeOf(op.getInputs()[index]).getShape());
    shape[kRows] = own.getDimSize(kRows);
    if (own.getShape() != ArrayRef<int64_t>(shape))
      return leaveAsItIs(
          op, "joint tokens of other batches, heads or dims than the "
              "sequence");
  }
  source.op = op;
  source.query = op.getInputs()[0];
  source.key = op.getInputs()[1];
  source.value = op.getInputs()[2];
  source.jointQuery = op.getInputs()[3];
  source.jointKey = op.getInputs()[4];
  source.jointValue = op.getInputs()[5];
  source.output = op.getResults()[0];
  source.jointOutput = op.getResults()[1];
  DictionaryAttr parameters = op.getCompositeAttributesAttr();
  if (!parameters)
    return true;
  for (NamedAttribute parameter : parameters) {
    StringRef name = parameter.getName();
    auto rear = dyn_cast<StringAttr>(parameter.getValue());
    if (name == "scale" && isa<FloatAttr>(parameter.getValue()))
      source.scale = cast<FloatAttr>(parameter.getValue());
    else if (name != "joint_strategy" || !rear || rear.getValue() != "rear")
      return leaveAsItIs(op, "the parameter " + name + " of a joint attention");
  }
  return true;
}

bool readDilated(ttcore::CompositeOp op, SourceAttention &source) {
  std::string problem;
  auto parameters =
      DilatedParameters::read(op.getCompositeAttributesAttr(), problem);
  if (!parameters)
    return leaveAsItIs(op, problem);
  if (op.getInputs().size() != 3 || op.getNumResults() < 1 ||
      op.getNumResults() > 2)
    return leaveAsItIs(op, "other operands than query, key and value, or other "
                           "results than output and log-sum-exp");
  if (!haveFourDimensions(op, op.getInputs()))
    return false;
  source.op = op;
  source.query = op.getInputs()[0];
  source.key = op.getInputs()[1];
  source.value = op.getInputs()[2];
  source.pattern = parameters->pattern;
  source.scale = parameters->scale;
  source.length = parameters->length;
  source.output = op.getResult(0);
  if (op.getNumResults() == 2)
    source.lse = op.getResult(1);
  return true;
}

/// Boundaries of documents as frontends have them: from 0 to the last end.
DocumentsAttr documentsOf(DenseI64ArrayAttr boundaries, bool causal,
                          std::string &problem) {
  ArrayRef<int64_t> all = boundaries.asArrayRef();
  if (all.empty() || all.front() != 0) {
    problem = "a packed attention whose cu_seqlens do not start with 0";
    return {};
  }
  MLIRContext *context = boundaries.getContext();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    problem = "documents that make a pattern that " + diagnostic.str();
    return success();
  });
  return DocumentsAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context,
      all.drop_front(), causal);
}

bool readPacked(ttcore::CompositeOp op, SourceAttention &source) {
  if (op.getInputs().size() != 3 || op.getNumResults() != 1)
    return leaveAsItIs(op, "a packed attention of other operands than query, "
                           "key and value, or other results than the output");
  if (!haveFourDimensions(op, op.getInputs()))
    return false;
  DenseI64ArrayAttr boundaries;
  bool causal = false;
  if (DictionaryAttr parameters = op.getCompositeAttributesAttr())
    for (NamedAttribute parameter : parameters) {
      StringRef name = parameter.getName();
      Attribute value = parameter.getValue();
      if (name == "cu_seqlens" && isa<DenseI64ArrayAttr>(value))
        boundaries = cast<DenseI64ArrayAttr>(value);
      else if (name == "is_causal" && isa<BoolAttr>(value))
        causal = cast<BoolAttr>(value).getValue();
      else if (name == "scale" && isa<FloatAttr>(value))
        source.scale = cast<FloatAttr>(value);
      else
        return leaveAsItIs(op,
                           "the parameter " + name + " of a packed attention");
    }
  if (!boundaries)
    return leaveAsItIs(op, "a packed attention without cu_seqlens");
  std::string problem;
  source.pattern = documentsOf(boundaries, causal, problem);
  if (!source.pattern)
    return leaveAsItIs(op, problem);
  source.op = op;
  source.query = op.getInputs()[0];
  source.key = op.getInputs()[1];
  source.value = op.getInputs()[2];
  source.output = op.getResult(0);
  return true;
}

/// Whether the tensors of a latent attention fit together; `columns` are those
/// of its values.
bool fitTogether(ttcore::CompositeOp op, const SourceAttention &source,
                 int64_t columns) {
  RankedTensorType query = TTIRBuilder::typeOf(source.query),
                   key = TTIRBuilder::typeOf(source.key);
  SmallVector<int64_t> values(key.getShape()), output(query.getShape());
  values.back() = output.back() = columns;
  bool fits = query.getDimSize(0) == key.getDimSize(0) &&
              query.getDimSize(1) % key.getDimSize(1) == 0 &&
              query.getDimSize(3) == key.getDimSize(3) &&
              TTIRBuilder::typeOf(source.output).getShape() ==
                  ArrayRef<int64_t>(output);
  if (source.value)
    fits &= TTIRBuilder::typeOf(source.value).getShape() ==
            ArrayRef<int64_t>(values);
  return fits || leaveAsItIs(op, "tensors of a latent attention that do not "
                                 "fit together");
}

/// Keys of a latent attention are one head that all query heads share, and
/// their first columns the values, unless these come as a tensor of their own.
bool readLatent(ttcore::CompositeOp op, SourceAttention &source) {
  DictionaryAttr parameters = op.getCompositeAttributesAttr();
  IntegerAttr columns;
  BoolAttr isCausal, hasValue, hasMask;
  for (NamedAttribute parameter :
       parameters ? parameters.getValue() : ArrayRef<NamedAttribute>()) {
    StringRef name = parameter.getName();
    Attribute value = parameter.getValue();
    bool isKnown =
        (name == "head_dim_v" && (columns = dyn_cast<IntegerAttr>(value))) ||
        (name == "is_causal" && (isCausal = dyn_cast<BoolAttr>(value))) ||
        (name == "has_value" && (hasValue = dyn_cast<BoolAttr>(value))) ||
        (name == "has_attention_mask" &&
         (hasMask = dyn_cast<BoolAttr>(value))) ||
        (name == "scale" && (source.scale = dyn_cast<FloatAttr>(value)));
    if (!isKnown)
      return leaveAsItIs(op,
                         "the parameter " + name + " of a latent attention");
  }
  if (!columns || !isCausal)
    return leaveAsItIs(op,
                       "a latent attention without head_dim_v or is_causal");
  bool withValue = hasValue && hasValue.getValue();
  bool withMask = hasMask && hasMask.getValue();
  if (op.getInputs().size() != 2u + withValue + withMask ||
      op.getNumResults() != 1)
    return leaveAsItIs(op, "a latent attention of other operands or results "
                           "than its parameters say");
  if (withMask && isCausal.getValue())
    return leaveAsItIs(op, "a mask beside is_causal");
  if (!haveFourDimensions(op, op.getInputs()))
    return false;
  source.op = op;
  source.query = op.getInputs()[0];
  source.key = op.getInputs()[1];
  source.output = op.getResult(0);
  int64_t width = TTIRBuilder::typeOf(source.key).getDimSize(3);
  int64_t wanted = columns.getValue().getZExtValue();
  if (wanted < 1 || (!withValue && wanted > width))
    return leaveAsItIs(op, "values of " + Twine(wanted) +
                               " columns in keys of " + Twine(width));
  if (withValue)
    source.value = op.getInputs()[2];
  else
    source.valueColumns = wanted;
  if (withMask)
    source.mask = op.getInputs().back();
  if (isCausal.getValue()) {
    // Nothing says which rows of the keys fewer queries belong to.
    if (TTIRBuilder::typeOf(source.query).getDimSize(kRows) !=
        TTIRBuilder::typeOf(source.key).getDimSize(kRows))
      return leaveAsItIs(op, "is_causal over other queries than keys");
    source.pattern = CausalAttr::get(op.getContext());
  }
  return fitTogether(op, source, wanted);
}

/// A composite that is an attention, and what reads it.
struct KnownComposite {
  StringLiteral name;
  bool (*read)(ttcore::CompositeOp, SourceAttention &);
};
constexpr KnownComposite kComposites[] = {{kJointAttention, readJoint},
                                          {kDilatedComposite, readDilated},
                                          {kPackedAttention, readPacked},
                                          {"flash_mla_prefill", readLatent}};

const KnownComposite *findComposite(ttcore::CompositeOp op) {
  const auto *found =
      llvm::find_if(kComposites, [&](const KnownComposite &known) {
        return known.name == op.getCompositeName();
      });
  return found == std::end(kComposites) ? nullptr : found;
}

} // namespace

bool isAttention(Operation *op) {
  if (auto composite = dyn_cast<ttcore::CompositeOp>(op))
    return findComposite(composite);
  return isa<ttir::ScaledDotProductAttentionOp, ttir::SDPAForwardOp>(op);
}

bool canBeRaised(const SourceAttention &source) {
  SmallVector<Value> tensors{source.query, source.key};
  for (Value optional : {source.value, source.mask, source.sink})
    if (optional)
      tensors.push_back(optional);
  if (!haveFourDimensions(source.op, tensors))
    return false;
  RankedTensorType query = TTIRBuilder::typeOf(source.query);
  if (TTIRBuilder::typeOf(source.output).getElementType() !=
      query.getElementType())
    return leaveAsItIs(source.op, "an output of another type than the query");
  if (source.sink && TTIRBuilder::typeOf(source.sink).getShape() !=
                         ArrayRef<int64_t>({1, query.getDimSize(1), 1, 1}))
    return leaveAsItIs(source.op, "a sink that is not one logit for each head");
  return true;
}

bool readAttention(Operation *op, SourceAttention &source) {
  if (auto attention = dyn_cast<ttir::ScaledDotProductAttentionOp>(op))
    return read(attention, source);
  if (auto forward = dyn_cast<ttir::SDPAForwardOp>(op))
    return read(forward, source);
  auto composite = cast<ttcore::CompositeOp>(op);
  return findComposite(composite)->read(composite, source);
}

} // namespace mlir::ring
