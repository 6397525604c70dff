// SPDX-License-Identifier: Apache-2.0
// Numbers as element types and constants have them.

#include "ElementNumbers.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace mlir::ring {

using Axis = MaskGrid::Axis;

static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// The number as its element type has it; unknown where the type cannot.
double rounded(double number, Type type) {
  if (auto floats = dyn_cast<FloatType>(type)) {
    bool losesInfo = false;
    APFloat exact(number);
    exact.convert(floats.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return exact.convertToDouble();
  }
  auto integers = dyn_cast<IntegerType>(type);
  if (!integers || number != std::trunc(number))
    return kUnknown;
  if (integers.getWidth() == 1)
    return number == 0 || number == 1 ? number : kUnknown;
  // Whether the type has a sign or not, half its range is safe; beyond 2^53
  // doubles are no integers one by one.
  double most = std::ldexp(1.0, std::min<int>(integers.getWidth() - 1, 53));
  bool fits = number < most && number >= (integers.isUnsigned() ? 0 : -most);
  return fits ? number : kUnknown;
}

std::optional<double> numberOf(Attribute attr) {
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValueAsDouble();
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return static_cast<double>(number.getType().isUnsignedInteger()
                                   ? number.getUInt()
                                   : number.getValue().getSExtValue());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {

/// Reads a constant by its bytes: neighbours are compared as they lie, and only
/// the first of a run becomes a number.
class ConstantReader {
public:
  explicit ConstantReader(DenseElementsAttr elements)
      : type(elements.getElementType()), bytes(elements.getRawData()) {
    width = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
    if (width == 1) {
      // Bits are packed; they are compared as bytes.
      for (bool bit : elements.getValues<bool>())
        bits.push_back(bit);
      bytes = bits;
      size = 1;
    } else {
      size = width / 8;
    }
  }

  bool isReadable() const {
    return width == 1 || width == 8 || width == 16 || width == 32 ||
           width == 64;
  }
  bool areEqual(int64_t first, int64_t second, int64_t count) const {
    return std::memcmp(bytes.data() + first * size,
                       bytes.data() + second * size, count * size) == 0;
  }
  double numberAt(int64_t index) const {
    uint64_t raw = 0;
    std::memcpy(&raw, bytes.data() + index * size, size);
    if (width == 1)
      return raw != 0;
    APInt number(width, raw);
    if (auto floats = dyn_cast<FloatType>(type))
      return APFloat(floats.getFloatSemantics(), number).convertToDouble();
    return rounded(type.isUnsignedInteger()
                       ? static_cast<double>(number.getZExtValue())
                       : static_cast<double>(number.getSExtValue()),
                   type);
  }

private:
  Type type;
  ArrayRef<char> bytes;
  SmallVector<char> bits;
  int64_t width = 0, size = 0;
};

} // namespace

std::optional<MaskGrid> numbersOf(Attribute value) {
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements)
    return std::nullopt;
  if (elements.isSplat()) {
    std::optional<double> number =
        numberOf(elements.getSplatValue<Attribute>());
    return number ? std::optional(MaskGrid::uniform(*number)) : std::nullopt;
  }
  ConstantReader reader(elements);
  if (!reader.isReadable() || elements.getNumElements() == 0)
    return std::nullopt;
  // The last two dimensions that are more than 1; all before them repeat.
  ArrayRef<int64_t> shape = elements.getType().getShape();
  SmallVector<Axis, 2> axes;
  for (int64_t dim = -1; dim >= -static_cast<int64_t>(shape.size()); --dim)
    if (axes.size() < 2 && shape.end()[dim] > 1)
      axes.push_back({dim, shape.end()[dim]});
  Axis inner = axes.front();
  int64_t keys = inner.size, rows = axes.size() == 2 ? axes[1].size : 1;
  for (int64_t at = rows * keys; at < elements.getNumElements();
       at += rows * keys)
    if (!reader.areEqual(0, at, rows * keys))
      return std::nullopt;
  if (rows == 1)
    return MaskGrid::along(
        inner, [&](int64_t index) { return reader.numberAt(index); });
  int64_t left = 1024 + 8 * (rows + keys);
  std::vector<MaskGrid::Band> bands;
  for (int64_t row = 0; row < rows; ++row) {
    if (row && reader.areEqual((row - 1) * keys, row * keys, keys)) {
      bands.back().end = row + 1;
      continue;
    }
    MaskGrid::Band band{row + 1, {}};
    for (int64_t key = 0; key < keys; ++key) {
      int64_t at = row * keys + key;
      if (key && reader.areEqual(at - 1, at, 1)) {
        band.runs.back().end = key + 1;
        continue;
      }
      double number = reader.numberAt(at);
      // Numbers may be equal and lie in other bytes, as 0 and -0.
      if (key && band.runs.back().number == number)
        band.runs.back().end = key + 1;
      else if (--left >= 0)
        band.runs.push_back({key + 1, number});
      else
        return std::nullopt;
    }
    bands.push_back(std::move(band));
  }
  return MaskGrid::bands(axes[1], inner, std::move(bands));
}

} // namespace mlir::ring
