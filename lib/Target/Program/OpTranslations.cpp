// SPDX-License-Identifier: Apache-2.0
// The table of translations, and how attributes are written.

#include "OpTranslations.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "ring/Dialect/Ring/IR/RingAttrs.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::ring {

const OpTranslations &OpTranslations::get() {
  static const OpTranslations translations;
  return translations;
}

OpTranslations::OpTranslations() {
  addRingTranslations(*this);
  addTTIRTranslations(*this);
  addTTNNTranslations(*this);
  addCallTranslations(*this);
}

const OpTranslation *OpTranslations::find(Operation *op) const {
  auto found = translations.find(op->getName().getStringRef());
  return found == translations.end() ? nullptr : &found->second;
}

void OpTranslations::add(
    StringRef name,
    std::function<LogicalResult(Operation *, ProgramWriter &)> translate,
    std::function<Runs(Operation *)> runs) {
  translations[name] = {std::move(translate), std::move(runs)};
}

void OpTranslations::add(
    StringRef name,
    std::function<LogicalResult(Operation *, ProgramWriter &)> translate,
    Runs runs) {
  add(name, std::move(translate), [runs](Operation *) { return runs; });
}

void OpTranslations::addDirect(
    StringRef name, StringRef instruction,
    ArrayRef<std::pair<StringRef, StringRef>> attributes, Runs runs) {
  auto translate = [instruction = instruction.str(),
                    names = SmallVector<std::pair<StringRef, StringRef>>(
                        attributes)](Operation *op, ProgramWriter &writer) {
    FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
    if (failed(inputs))
      return LogicalResult(failure());
    rt::Attributes written;
    for (auto [from, to] : names)
      if (Attribute attribute = op->getAttr(from))
        if (failed(writeAttribute(op, to, attribute, written)))
          return LogicalResult(failure());
    return writer.write(op, instruction, std::move(*inputs),
                        std::move(written));
  };
  add(name, translate, runs);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static std::vector<int64_t> layoutInts(LayoutAttr layout) {
  return rt::encode::Layout{
      static_cast<rt::encode::LayoutKind>(layout.getKind()), layout.getLength(),
      layout.getRanks(), layout.getOffset(), layout.getBlock()}
      .ints();
}

static void writeAxis(AxisAttr axis, rt::Attributes &attributes) {
  attributes["axis"] = axis.getIndex();
  if (!axis.getSize() && !axis.getStride())
    return;
  attributes["axis_size"] = axis.getRanks();
  attributes["axis_stride"] = axis.getStride().value_or(1);
}

/// In a program a band reaches 0 or more to either side and -1 is unbounded.
/// One that lies wholly to one side becomes so by moving the keys: 4 to 1
/// before the query is 3 to 0 before it, once all keys have moved up by one.
static void writeBand(const Band &band, rt::Attributes &attributes) {
  constexpr int64_t kUnbounded = -1;
  int64_t shift = 0;
  if (band.before && *band.before < 0)
    shift = *band.before;
  else if (band.after && *band.after < 0)
    shift = -*band.after;
  attributes["before"] = band.before ? *band.before - shift : kUnbounded;
  attributes["after"] = band.after ? *band.after + shift : kUnbounded;
  if (shift != 0)
    attributes["key_shift"] = shift;
}

/// For every device, how many ranges it has, and the ranges.
static std::vector<int64_t> placesInts(PlacesAttr places) {
  std::vector<int64_t> ints;
  for (int64_t device = 0, e = places.getCounts().size(); device < e;
       ++device) {
    ints.push_back(places.getCounts()[device]);
    for (const PositionRange &range : places.positionsOn(device))
      llvm::append_values(ints, range.begin, range.size, range.stride);
  }
  return ints;
}

/// A block without a layout of its queries still needs one in a program; any
/// of the right size does, since their positions do not matter.
static void writeBlock(Operation *op, BlockAttr block,
                       rt::Attributes &attributes) {
  writeAxis(block.getAxis(), attributes);
  if (block.getKeyPlaces()) {
    attributes["query_places"] = placesInts(block.getQueryPlaces());
    attributes["key_places"] = placesInts(block.getKeyPlaces());
    return;
  }
  LayoutAttr queries = block.getQueries();
  if (!queries) {
    auto rows = cast<RankedTensorType>(op->getOperand(0).getType());
    int64_t ranks = block.getRanks();
    queries = LayoutAttr::get(op->getContext(), LayoutKind::Contiguous,
                              rows.getDimSize(2) * ranks, ranks, /*offset=*/0);
  }
  attributes["queries"] = layoutInts(queries);
  attributes["keys"] = layoutInts(block.getKeys());
  attributes["source"] = block.getSource();
  if (block.getFirstKey() != 0)
    attributes["first_key"] = block.getFirstKey();
  if (AxisAttr outer = block.getOuter()) {
    attributes["outer_source"] = block.getOuterSource();
    attributes["outer"] = std::vector<int64_t>{
        outer.getIndex(), outer.getRanks(), outer.getStride().value_or(1)};
  }
}

static void writeSharding(ShardingAttr sharding, rt::Attributes &attributes) {
  attributes["axes"] = std::vector<int64_t>(sharding.getAxes().begin(),
                                            sharding.getAxes().end());
  if (!sharding.getSequence())
    return;
  attributes["sequence"] = *sharding.getSequence();
  attributes["layout"] = layoutInts(sharding.getLayout());
  if (sharding.getOuter())
    attributes["outer"] = *sharding.getOuter();
}

static void writeDilated(DilatedAttr dilated, rt::Attributes &attributes) {
  auto list = [](ArrayRef<int64_t> values) {
    return std::vector<int64_t>(values.begin(), values.end());
  };
  attributes["segments"] = list(dilated.getSegments());
  attributes["rates"] = list(dilated.getRates());
  attributes["segmentation"] = int64_t(dilated.getSegmentation());
  attributes["chunks"] = dilated.getChunks();
  attributes["phase"] = int64_t(dilated.getPhase());
  attributes["mix"] = int64_t(dilated.getMix());
  attributes["extra"] = int64_t(dilated.getExtra());
  attributes["norm"] = int64_t(dilated.getNorm());
  attributes["shorter"] = int64_t(dilated.getShorter());
  attributes["causal"] = int64_t(dilated.getCausal());
}

/// A list of integers, of parts, or of lists of legs, each with its length.
static LogicalResult writeList(Operation *op, StringRef name, ArrayAttr list,
                               rt::Attributes &attributes) {
  std::vector<int64_t> values;
  for (Attribute element : list) {
    if (auto legs = dyn_cast<ArrayAttr>(element)) {
      values.push_back(legs.size());
      for (Attribute inner : legs) {
        auto leg = dyn_cast<LegAttr>(inner);
        if (!leg)
          return op->emitOpError("cannot run: a program has no form for ")
                 << inner;
        llvm::append_values(values, leg.getSource(), leg.getOffset(),
                            leg.getSize(), leg.getStride(), leg.getAt(),
                            leg.getStep());
      }
      continue;
    }
    if (auto integer = dyn_cast<IntegerAttr>(element))
      values.push_back(integer.getValue().getSExtValue());
    else if (auto part = dyn_cast<PartAttr>(element))
      llvm::append_values(values, part.getSource(), part.getOffset(),
                          part.getSize(), part.getStride());
    else
      return op->emitOpError("cannot run: a program has no form for ")
             << element;
  }
  attributes[name.str()] = values;
  return success();
}

LogicalResult writeAttribute(Operation *op, StringRef name, Attribute attribute,
                             rt::Attributes &attributes) {
  auto ints = [&](auto range) {
    attributes[name.str()] = std::vector<int64_t>(range.begin(), range.end());
    return success();
  };
  return TypeSwitch<Attribute, LogicalResult>(attribute)
      .Case([&](BoolAttr flag) {
        attributes[name.str()] = int64_t(flag.getValue());
        return success();
      })
      .Case([&](IntegerAttr integer) {
        attributes[name.str()] = integer.getType().isUnsignedInteger()
                                     ? int64_t(integer.getUInt())
                                     : integer.getValue().getSExtValue();
        return success();
      })
      .Case([&](FloatAttr number) {
        attributes[name.str()] = number.getValueAsDouble();
        return success();
      })
      .Case([&](StringAttr text) {
        attributes[name.str()] = text.str();
        return success();
      })
      .Case([&](DenseI32ArrayAttr list) { return ints(list.asArrayRef()); })
      .Case([&](DenseI64ArrayAttr list) { return ints(list.asArrayRef()); })
      .Case([&](DenseBoolArrayAttr list) {
        attributes[name.str()] = std::vector<bool>(list.asArrayRef().begin(),
                                                   list.asArrayRef().end());
        return success();
      })
      .Case(
          [&](ArrayAttr list) { return writeList(op, name, list, attributes); })
      .Case([&](AxisAttr axis) {
        writeAxis(axis, attributes);
        return success();
      })
      .Case([&](LayoutAttr layout) {
        attributes[name.str()] = layoutInts(layout);
        return success();
      })
      .Case([&](BlockAttr block) {
        writeBlock(op, block, attributes);
        return success();
      })
      .Case([&](ShardingAttr sharding) {
        writeSharding(sharding, attributes);
        return success();
      })
      .Case([&](DilatedAttr dilated) {
        writeDilated(dilated, attributes);
        return success();
      })
      .Case([&](DocumentsAttr documents) {
        attributes["causal"] = int64_t(documents.getCausal());
        attributes["ends"] = std::vector<int64_t>(documents.getEnds().begin(),
                                                  documents.getEnds().end());
        return success();
      })
      .Case([&](PatternAttrInterface pattern) -> LogicalResult {
        std::optional<Band> band = pattern.getBand();
        if (!band)
          return op->emitOpError("cannot run: a program has no form for ")
                 << attribute;
        writeBand(*band, attributes);
        return success();
      })
      .Default([&](Attribute) {
        return op->emitOpError("cannot run: a program has no form for ")
               << attribute;
      });
}

} // namespace mlir::ring
