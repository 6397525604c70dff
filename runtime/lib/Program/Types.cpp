// SPDX-License-Identifier: Apache-2.0
//
// Names and sizes of value types.

#include "ring-runtime/Types.h"
#include "Kernels/BlockFloat.h"

#include <cstddef>

namespace ring::rt {

namespace {

/// Everything about an element type in one place, in the order of the enum.
struct ElementFacts {
  const char *name;
  int64_t heldBytes;
  bool real;
};

constexpr ElementFacts kElements[] = {
    {"f32", 4, true},    {"bf16", 2, true}, {"bfp8_b", 2, true},
    {"bfp4_b", 2, true}, {"i32", 4, false}, {"u32", 4, false},
    {"u16", 2, false},   {"u8", 1, false},  {"i64", 8, false},
    {"bool", 1, false},
};

const ElementFacts &factsOf(ElementType element) {
  return kElements[static_cast<size_t>(element)];
}

} // namespace

const char *nameOf(ElementType element) { return factsOf(element).name; }

bool parseElementType(const std::string &name, ElementType &element) {
  for (size_t i = 0; i < std::size(kElements); ++i) {
    if (name == kElements[i].name) {
      element = static_cast<ElementType>(i);
      return true;
    }
  }
  return false;
}

bool isFloat(ElementType element) { return factsOf(element).real; }

bool isBlockFormat(ElementType element) {
  return element == ElementType::BFP8B || element == ElementType::BFP4B;
}

int64_t elementCount(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

int64_t heldElementBytes(ElementType element) {
  return factsOf(element).heldBytes;
}

int64_t heldBytes(const ValueType &type) {
  if (type.kind == ValueKind::Token)
    return 0;
  int64_t count = elementCount(type.shape);
  if (type.kind == ValueKind::State) {
    // The output and, for each of its rows, a maximum and a sum.
    int64_t rows = count / type.shape.back();
    return (count + 2 * rows) * 4;
  }
  if (!isBlockFormat(type.element))
    return count * heldElementBytes(type.element);
  kernels::BlockFormat format = type.element == ElementType::BFP8B
                                    ? kernels::BlockFormat::Bfp8B
                                    : kernels::BlockFormat::Bfp4B;
  size_t rank = type.shape.size();
  int64_t columns = rank > 0 ? type.shape[rank - 1] : 1;
  int64_t rows = rank > 1 ? type.shape[rank - 2] : 1;
  return count / (rows * columns) *
         kernels::blockArrayBytes(format, rows, columns);
}

std::string describe(const Shape &shape) {
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "x" : "") + std::to_string(shape[i]);
  return text;
}

std::string describe(const ValueType &type) {
  std::string text = type.placement == Placement::Whole ? "whole " : "";
  switch (type.kind) {
  case ValueKind::Token:
    return text + "token";
  case ValueKind::State:
    return text + "state<" + describe(type.shape) + ">";
  case ValueKind::Buffer:
    text += "buffer<";
    break;
  case ValueKind::Tensor:
    text += "tensor<";
    break;
  }
  if (!type.shape.empty())
    text += describe(type.shape) + "x";
  return text + nameOf(type.element) + ">";
}

} // namespace ring::rt
