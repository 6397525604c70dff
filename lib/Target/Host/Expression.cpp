// SPDX-License-Identifier: Apache-2.0
// Values of a host program.

#include "Expression.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.h"

namespace mlir::ring::host {

namespace ttcore = mlir::tt::ttcore;
namespace ttnn = mlir::tt::ttnn;

static Expression withText(Expression::Kind kind, const Twine &text) {
  Expression made;
  made.kind = kind;
  made.text = text.str();
  return made;
}

static Expression withNumbers(Expression::Kind kind,
                              ArrayRef<int64_t> numbers) {
  Expression made;
  made.kind = kind;
  made.numbers.assign(numbers.begin(), numbers.end());
  return made;
}

Expression Expression::name(const Twine &text) {
  return withText(Kind::Name, text);
}

Expression Expression::device() { return withText(Kind::Device, ""); }

Expression Expression::method(StringRef text) {
  return withText(Kind::Method, text);
}

Expression Expression::member(StringRef variable, StringRef text) {
  Expression made = withText(Kind::Member, text);
  made.parts.push_back(name(variable));
  return made;
}

Expression Expression::flag(bool value) {
  return withNumbers(Kind::Flag, {value ? 1 : 0});
}

Expression Expression::integer(int64_t value) {
  return withNumbers(Kind::Integer, {value});
}

Expression Expression::realNumber(double value) {
  Expression made;
  made.kind = Kind::Real;
  made.real = value;
  return made;
}

Expression Expression::string(StringRef text) {
  return withText(Kind::Text, text);
}

Expression Expression::enumerator(StringRef text) {
  return withText(Kind::Enumerator, text);
}

Expression Expression::list(ArrayRef<int64_t> numbers) {
  return withNumbers(Kind::Numbers, numbers);
}

Expression Expression::list(std::vector<Expression> parts) {
  Expression made;
  made.kind = Kind::List;
  made.parts = std::move(parts);
  return made;
}

Expression Expression::pairs(ArrayRef<int64_t> numbers) {
  return withNumbers(Kind::Pairs, numbers);
}

Expression Expression::first(Expression list) {
  Expression made;
  made.kind = Kind::First;
  made.parts.push_back(std::move(list));
  return made;
}

std::optional<Expression> Expression::of(Attribute attribute) {
  if (auto value = dyn_cast<BoolAttr>(attribute))
    return flag(value.getValue());
  if (auto value = dyn_cast<IntegerAttr>(attribute))
    return integer(value.getType().isUnsignedInteger()
                       ? static_cast<int64_t>(value.getValue().getZExtValue())
                       : value.getValue().getSExtValue());
  if (auto value = dyn_cast<FloatAttr>(attribute))
    return realNumber(value.getValueAsDouble());
  if (auto value = dyn_cast<StringAttr>(attribute))
    return string(value.getValue());
  if (auto value = dyn_cast<ttcore::TopologyAttr>(attribute))
    return enumerator(value.getValue() == ttcore::Topology::Ring ? "ring"
                                                                 : "linear");
  if (auto value = dyn_cast<ttnn::ShapeAttr>(attribute))
    return list(value.getShape());
  if (auto value = dyn_cast<DenseI64ArrayAttr>(attribute))
    return list(value.asArrayRef());
  if (auto value = dyn_cast<DenseI32ArrayAttr>(attribute))
    return list(SmallVector<int64_t>(value.asArrayRef()));
  if (auto value = dyn_cast<ArrayAttr>(attribute)) {
    SmallVector<int64_t> numbers;
    for (Attribute entry : value) {
      auto number = dyn_cast<IntegerAttr>(entry);
      if (!number)
        return std::nullopt;
      numbers.push_back(number.getValue().getSExtValue());
    }
    return list(numbers);
  }
  return std::nullopt;
}

} // namespace mlir::ring::host
