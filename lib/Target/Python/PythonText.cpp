// SPDX-License-Identifier: Apache-2.0
// Attributes and types as Python writes them.

#include "PythonText.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;
namespace ttnn = mlir::tt::ttnn;

std::string pythonList(ArrayRef<int64_t> numbers) {
  return "[" +
         llvm::join(llvm::map_range(
                        numbers, [](int64_t x) { return std::to_string(x); }),
                    ", ") +
         "]";
}

std::optional<std::string> pythonValue(Attribute attribute) {
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return flag.getValue() ? "True" : "False";
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return llvm::toString(integer.getValue(), 10,
                          !integer.getType().isUnsignedInteger());
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    double value = number.getValueAsDouble();
    if (std::isinf(value))
      return value < 0 ? "float(\"-inf\")" : "float(\"inf\")";
    SmallString<24> digits;
    number.getValue().toString(digits);
    return digits.str().str();
  }
  if (auto text = dyn_cast<StringAttr>(attribute))
    return "\"" + text.str() + "\"";
  if (auto shape = dyn_cast<ttnn::ShapeAttr>(attribute))
    return pythonList(shape.getShape());
  if (auto topology = dyn_cast<ttcore::TopologyAttr>(attribute))
    return topology.getValue() == ttcore::Topology::Ring
               ? "ttnn.Topology.Ring"
               : "ttnn.Topology.Linear";
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute))
    return pythonList(numbers.asArrayRef());
  if (auto numbers = dyn_cast<DenseI32ArrayAttr>(attribute))
    return pythonList(SmallVector<int64_t>(numbers.asArrayRef()));
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    SmallVector<int64_t> numbers;
    for (Attribute entry : list) {
      auto number = dyn_cast<IntegerAttr>(entry);
      if (!number)
        return std::nullopt;
      numbers.push_back(number.getValue().getSExtValue());
    }
    return pythonList(numbers);
  }
  return std::nullopt;
}

std::optional<std::string> pythonType(Type element) {
  if (element.isBF16())
    return "ttnn.bfloat16";
  if (element.isF32())
    return "ttnn.float32";
  if (element.isInteger(32))
    return element.isUnsignedInteger() ? "ttnn.uint32" : "ttnn.int32";
  if (element.isInteger(16))
    return "ttnn.uint16";
  if (element.isInteger(8))
    return "ttnn.uint8";
  return std::nullopt;
}

} // namespace mlir::ring
