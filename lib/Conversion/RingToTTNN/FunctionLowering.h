// SPDX-License-Identifier: Apache-2.0
// One function on its way from TTIR to TTNN: which TTNN value stands for which
// TTIR value, where it lives, and the device that it lives on.

#ifndef RING_LIB_CONVERSION_RINGTOTTNN_FUNCTIONLOWERING_H
#define RING_LIB_CONVERSION_RINGTOTTNN_FUNCTIONLOWERING_H

#include "LandingBuffers.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::ring {

/// What tt-mlir calls the attribute that says what a function is for: a program
/// of its own for the devices, or one that runs once, before.
inline constexpr StringLiteral kFunctionType = "tt.function_type";
inline constexpr StringLiteral kForwardDevice = "forward_device";
inline constexpr StringLiteral kConstEval = "const_eval";

/// Whether an argument is the host's: one of a function that the runtime calls,
/// and split over the mesh in it or in one that it runs once.
bool isHosts(BlockArgument argument);

class FunctionLowering {
public:
  FunctionLowering(func::FuncOp func, ArrayRef<int64_t> mesh);

  /// Rewrites the body and the type of the function. An op without a form in
  /// TTNN is an error.
  LogicalResult run();

  //===--------------------------------------------------------------------===//
  // What the lowering of one op uses
  //===--------------------------------------------------------------------===//

  OpBuilder &builder() { return opBuilder; }
  ArrayRef<int64_t> mesh() const { return meshShape; }
  /// The devices of the mesh, taken from the runtime once.
  Value device();
  /// The coordinates of a device in the mesh.
  SmallVector<int64_t> coordinatesOf(int64_t device) const;

  /// What stands for `value`, on the device; copied there if it is the host's.
  Value onDevice(Value value);
  /// What stands for `value` where the host has it, or no value.
  Value onHost(Value value);
  /// Says what stands for `value` from now on.
  void replace(Value value, Value lowered) { lowerings.map(value, lowered); }

  /// Memory for a transfer that every device receives.
  Value landing(Location loc, RankedTensorType type);
  /// All attributes of an op, whether its dialect defines it or not.
  static NamedAttrList attributesOf(Operation &op);
  /// Makes an op of that name. Attributes of an op that the dialect leaves open
  /// are printed as those of the others are, between `<{` and `}>`.
  Operation *create(Location loc, StringRef name, TypeRange results,
                    ValueRange operands, ArrayRef<NamedAttribute> attributes);
  /// Makes the op `name` with one result of `type`, on the device.
  Value create(Location loc, StringRef name, RankedTensorType type,
               ValueRange operands, ArrayRef<NamedAttribute> attributes = {});

  /// Makes `ttnn.<name>` with the operands of `op`, on the device, and lets its
  /// results stand for those of `op`.
  void replaceBySame(Operation &op, StringRef name,
                     ArrayRef<NamedAttribute> attributes);
  /// `input` in the shape of `type`; the same if it has it.
  Value reshape(Location loc, Value input, RankedTensorType type);
  /// `input` with numbers of another type; the same if they have it.
  Value typecast(Location loc, Value input, Type elementType);
  /// `input` row by row, and back in tiles: what some ops take or give.
  Value inRows(Location loc, Value input);
  Value inTiles(Location loc, Value input);

  /// `type` in tiles: in the device's DRAM, or in the host's memory.
  static RankedTensorType deviceType(Type type);
  static RankedTensorType hostType(Type type);
  /// `type` row by row in the device's DRAM.
  static RankedTensorType rowType(Type type);

private:
  LogicalResult lower(Operation &op);
  void convertArguments();
  void convertReturn(func::ReturnOp op);

  func::FuncOp func;
  SmallVector<int64_t> meshShape;
  OpBuilder opBuilder;
  IRMapping lowerings;
  Value openedDevice;
  LandingBuffers landings;
};

/// Frees each tensor of the function after its last use. Of several that lie in
/// one memory each is freed by itself: the runtime counts them.
void insertDeallocations(func::FuncOp func);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_RINGTOTTNN_FUNCTIONLOWERING_H
