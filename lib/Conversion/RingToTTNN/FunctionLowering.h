// SPDX-License-Identifier: Apache-2.0
// One function on its way from TTIR to TTNN: which TTNN value stands for which
// TTIR value, where it lives, and the device that it lives on.

#ifndef RING_LIB_CONVERSION_RINGTOTTNN_FUNCTIONLOWERING_H
#define RING_LIB_CONVERSION_RINGTOTTNN_FUNCTIONLOWERING_H

#include "LandingBuffers.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::ring {

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
  /// What stands for `value`, on the host; copied there if it is the device's.
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

  /// `type` in tiles: in the device's DRAM, or in the host's memory.
  static RankedTensorType deviceType(Type type);
  static RankedTensorType hostType(Type type);

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

/// Frees each tensor of the function after its last use, and the buffers that
/// transfers share at its end.
void insertDeallocations(func::FuncOp func, const LandingBuffers &landings);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_RINGTOTTNN_FUNCTIONLOWERING_H
