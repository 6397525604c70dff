// SPDX-License-Identifier: Apache-2.0
//
// What a value of a program is: its kind, element type, place and shape.

#ifndef RING_RUNTIME_TYPES_H
#define RING_RUNTIME_TYPES_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ring::rt {

/// How numbers are stored. The numbering is that of the program file.
enum class ElementType : uint8_t {
  F32,
  BF16,
  BFP8B, ///< 16 numbers share an exponent; 8 bits each
  BFP4B, ///< 16 numbers share an exponent; 4 bits each
  I32,
  U32,
  U16,
  U8,
  I64,
  Bool
};

/// What a value is to the program.
enum class ValueKind : uint8_t {
  Tensor,
  State,  ///< an attention under way: output, maximum and sum, f32
  Buffer, ///< memory that a transfer arrives in
  Token   ///< a transfer under way
};

/// Where a value lives.
enum class Placement : uint8_t {
  Whole, ///< one value, on the host
  Local  ///< one value per device, all of the same shape
};

using Shape = std::vector<int64_t>;

/// The type of a value.
struct ValueType {
  ValueKind kind = ValueKind::Tensor;
  ElementType element = ElementType::F32;
  Placement placement = Placement::Local;
  Shape shape;

  bool operator==(const ValueType &other) const {
    return kind == other.kind && element == other.element &&
           placement == other.placement && shape == other.shape;
  }
  bool operator!=(const ValueType &other) const { return !(*this == other); }
};

/// A tensor on the host.
inline ValueType wholeTensor(ElementType element, Shape shape) {
  return {ValueKind::Tensor, element, Placement::Whole, std::move(shape)};
}
/// One tensor per device.
inline ValueType localTensor(ElementType element, Shape shape) {
  return {ValueKind::Tensor, element, Placement::Local, std::move(shape)};
}
/// The carried state of an attention whose output has this shape.
inline ValueType localState(Shape shape) {
  return {ValueKind::State, ElementType::F32, Placement::Local,
          std::move(shape)};
}
/// Memory for transfers of tensors of this type.
inline ValueType localBuffer(ElementType element, Shape shape) {
  return {ValueKind::Buffer, element, Placement::Local, std::move(shape)};
}
/// A transfer under way.
inline ValueType localToken() {
  return {ValueKind::Token, ElementType::F32, Placement::Local, {}};
}

/// "f32", "bfp8_b", ...
const char *nameOf(ElementType element);

/// The element type of that name; false if there is none.
bool parseElementType(const std::string &name, ElementType &element);

/// Whether the numbers are real: f32, bf16 and the block formats.
bool isFloat(ElementType element);

/// How many numbers a shape holds.
int64_t elementCount(const Shape &shape);

/// Whether 16 numbers share an exponent: bfp8_b and bfp4_b.
bool isBlockFormat(ElementType element);

/// Bytes of one element in row-major order. The block formats have no such
/// order in memory: where they are read element by element they are bf16, whose
/// 8 significant bits represent them exactly.
int64_t heldElementBytes(ElementType element);

/// Bytes that a value takes, which is what memory limits and transfers count.
/// The block formats are held as the device packs them, in tiles of 32 x 32
/// over the last two dimensions: 1088 bytes each for bfp8_b, 576 for bfp4_b.
int64_t heldBytes(const ValueType &type);

/// "tensor<1x8x512x64xbf16>", with a prefix for what is not a local tensor.
std::string describe(const ValueType &type);

/// "1x8x512x64".
std::string describe(const Shape &shape);

} // namespace ring::rt

#endif // RING_RUNTIME_TYPES_H
