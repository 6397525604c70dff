// SPDX-License-Identifier: Apache-2.0
// The parameters of a dilated composite, written and read.

#include "DilatedComposite.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ring {

DictionaryAttr DilatedParameters::toDictionary() const {
  Builder builder(pattern.getContext());
  NamedAttrList list;
  auto text = [&](StringRef name, StringRef value) {
    list.append(name, builder.getStringAttr(value));
  };
  list.append("segment_lengths",
              builder.getDenseI64ArrayAttr(pattern.getSegments()));
  list.append("dilation_rates",
              builder.getDenseI64ArrayAttr(pattern.getRates()));
  text("segmentation", stringifySegmentation(pattern.getSegmentation()));
  list.append("chunks", builder.getI64IntegerAttr(pattern.getChunks()));
  text("phase", stringifyDilationPhase(pattern.getPhase()));
  text("mix", stringifyDilationMix(pattern.getMix()));
  text("extra_heads", stringifyExtraHeads(pattern.getExtra()));
  text("norm", stringifyDilationNorm(pattern.getNorm()));
  text("shorter", stringifyShortSequence(pattern.getShorter()));
  text("key_order", stringifyKeyOrder(pattern.getOrder()));
  list.append("is_causal", builder.getBoolAttr(pattern.getCausal()));
  if (scale)
    list.append("scale", scale);
  if (length)
    list.append("length", length);
  return list.getDictionary(pattern.getContext());
}

namespace {

/// Takes parameters out of a dictionary and notes what is wrong with them.
class Reader {
public:
  Reader(DictionaryAttr dictionary, std::string &problem)
      : dictionary(dictionary), problem(problem) {}

  template <typename Attr>
  Attr take(StringRef name) {
    known.insert(name);
    Attribute attribute = dictionary.get(name);
    auto typed = dyn_cast_if_present<Attr>(attribute);
    if (attribute && !typed)
      problem = "a parameter " + name.str() + " of another type";
    return typed;
  }

  template <typename Enum>
  Enum choice(StringRef name, std::optional<Enum> (*symbolize)(StringRef),
              Enum otherwise) {
    auto text = take<StringAttr>(name);
    if (!text)
      return otherwise;
    std::optional<Enum> value = symbolize(text.getValue());
    if (!value)
      problem = "an unknown " + name.str() + " '" + text.str() + "'";
    return value.value_or(otherwise);
  }

  void refuseOthers() {
    for (NamedAttribute attribute : dictionary)
      if (!known.contains(attribute.getName().getValue()))
        problem = "an unknown parameter " + attribute.getName().str();
  }

private:
  DictionaryAttr dictionary;
  std::string &problem;
  llvm::StringSet<> known;
};

} // namespace

std::optional<DilatedParameters>
DilatedParameters::read(DictionaryAttr dictionary, std::string &problem) {
  if (!dictionary) {
    problem = "a composite without parameters";
    return std::nullopt;
  }
  MLIRContext *context = dictionary.getContext();
  Reader reader(dictionary, problem);
  auto segments = reader.take<DenseI64ArrayAttr>("segment_lengths");
  auto rates = reader.take<DenseI64ArrayAttr>("dilation_rates");
  if (!segments || !rates) {
    problem = "a composite without segment_lengths and dilation_rates";
    return std::nullopt;
  }
  auto segmentation = reader.choice<Segmentation>(
      "segmentation", symbolizeSegmentation, Segmentation::Tiled);
  auto chunks = reader.take<IntegerAttr>("chunks");
  auto phase = reader.choice<DilationPhase>("phase", symbolizeDilationPhase,
                                            DilationPhase::Group);
  auto mix = reader.choice<DilationMix>("mix", symbolizeDilationMix,
                                        DilationMix::HeadPartition);
  auto extra = reader.choice<ExtraHeads>("extra_heads", symbolizeExtraHeads,
                                         ExtraHeads::First);
  auto norm = reader.choice<DilationNorm>("norm", symbolizeDilationNorm,
                                          DilationNorm::Groups);
  auto shorter = reader.choice<ShortSequence>("shorter", symbolizeShortSequence,
                                              ShortSequence::Error);
  auto order = reader.choice<KeyOrder>("key_order", symbolizeKeyOrder,
                                       KeyOrder::Identity);
  auto causal = reader.take<BoolAttr>("is_causal");
  DilatedParameters parameters;
  parameters.scale = reader.take<FloatAttr>("scale");
  parameters.length = reader.take<IntegerAttr>("length");
  reader.refuseOthers();
  if (!problem.empty())
    return std::nullopt;

  // What the attribute refuses, it says itself; here it becomes the reason.
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    problem = "a pattern that " + diagnostic.str();
    return success();
  });
  parameters.pattern = DilatedAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context,
      segments.asArrayRef(), rates.asArrayRef(), segmentation,
      chunks ? chunks.getInt() : 1, phase, mix, extra, norm, shorter, order,
      causal && causal.getValue());
  if (!parameters.pattern)
    return std::nullopt;
  return parameters;
}

} // namespace mlir::ring
