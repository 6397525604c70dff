// SPDX-License-Identifier: Apache-2.0
//
// Tensors of tt-metal in another type, layout or shape. On devices every tensor
// of ours is in tiles; a call that wants rows is given them here.

#ifndef RING_RUNTIME_TTNN_TTNNCONVERT_H
#define RING_RUNTIME_TTNN_TTNNCONVERT_H

#include "Ttnn/TtnnHeaders.h"
#include "ring-runtime/Types.h"

namespace ring::rt {

/// A tile has so many rows, and columns.
constexpr int64_t kTile = 32;

/// What numbers of a type are held as on devices. Truth values are 1 and 0 in
/// bf16. tt-metal has no integers of 64 bits: they are held in 32, and sending
/// one that does not fit is an error.
::ttnn::DataType heldAs(ElementType element);

bool isInteger(::ttnn::DataType type);

/// The type that holds the numbers of both; f32 where only one is an integer.
::ttnn::DataType widest(::ttnn::DataType a, ::ttnn::DataType b);

/// The type that ops compute in: few take integers of less than 32 bits.
::ttnn::DataType computedAs(::ttnn::DataType type);

/// Sizes as tt-metal holds them.
::ttnn::Shape shapeOf(const Shape &shape);

/// The tensor in a type; itself if it has it. Between the two kinds of integers
/// of 32 bits tt-metal has no conversion; their bits are kept, which is right
/// for all numbers that both have.
::ttnn::Tensor inType(const ::ttnn::Tensor &tensor, ::ttnn::DataType type);

/// The tensor in tiles; itself if it is.
::ttnn::Tensor inTiles(const ::ttnn::Tensor &tensor);

/// The tensor row by row. Block formats, which exist in tiles only, become
/// bf16, which has all their bits.
::ttnn::Tensor inRows(const ::ttnn::Tensor &tensor);

/// 1 where a number is not 0, and 0 elsewhere.
::ttnn::Tensor truthOf(const ::ttnn::Tensor &tensor);

/// The tensor of shape `from` repeated to `to`, as NumPy broadcasts.
::ttnn::Tensor expanded(const ::ttnn::Tensor &tensor, const Shape &from,
                        const Shape &to);

/// The tensor in a type that is as exact as a real result, so that a call does
/// not round on the way. Integers that are to become real go by f32.
::ttnn::Tensor asExactAs(const ::ttnn::Tensor &tensor, ElementType result);

} // namespace ring::rt

#endif // RING_RUNTIME_TTNN_TTNNCONVERT_H
