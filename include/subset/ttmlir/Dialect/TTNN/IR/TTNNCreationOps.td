// SPDX-License-Identifier: Apache-2.0
// Calls that make a tensor from nothing but attributes.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNCREATIONOPS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNCREATIONOPS_TD

include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.td"
include "ttmlir/Dialect/TTNN/IR/TTNNOpsTypes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Constraint of every op with a `shape`:
/// - (C1) it is the shape of the result
class TTNN_FilledOp<string mnemonic, string what> : TTNN_TensorOp<mnemonic> {
  let summary = what;
  let arguments = (ins Optional<TTNN_Device>:$device, TTNN_ShapeAttr:$shape);
  let hasVerifier = 1;
}

def TTNN_ZerosOp : TTNN_FilledOp<"zeros", "tensor of zeros">;
def TTNN_OnesOp : TTNN_FilledOp<"ones", "tensor of ones">;

def TTNN_EmptyOp
    : Op<TTNN_Dialect, "empty", [TTNN_CheckTileType]> {
  let summary = "tensor without content";
  let description = [{
    Each one is an allocation of its own, so two of them are never merged: they
    may be the two halves of a double buffer.
  }];
  let arguments = (ins TTNN_Device:$device, TTNN_ShapeAttr:$shape);
  let results = (outs Res<AnyRankedTensor, "", [MemAlloc]>:$result);
  let hasVerifier = 1;
}

def TTNN_FullOp : TTNN_TensorOp<"full"> {
  let summary = "tensor of one repeated number";
  let arguments = (ins Optional<TTNN_Device>:$device,
                       TTNN_ShapeAttr:$shape,
                       TTNN_ScalarAttr:$fill_value);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$resultType, "::mlir::Attribute":$fillValue,
                   "::mlir::Value":$device)>
  ];
  let hasVerifier = 1;
}

def TTNN_ConstantOp
    : TTNN_TensorOp<"constant", [AllShapesMatch<["value", "result"]>]> {
  let summary = "tensor of given numbers";
  let description = [{
    Constraints:
    - (C1) `value` has the shape of the result
    - (C2) `value` is dense, in the text or as a resource
  }];
  let arguments = (ins Optional<TTNN_Device>:$device, ElementsAttr:$value);
  let hasVerifier = 1;
}

def TTNN_ArangeOp : TTNN_TensorOp<"arange"> {
  let summary = "start, start + step, ... up to end";
  let description = [{
    Constraints:
    - (C1) `step` is not 0
    - (C2) (end - start) / step is positive
    - (C3) the result holds that many numbers, in one dimension
  }];
  let arguments = (ins Optional<TTNN_Device>:$device,
                       SI64Attr:$start,
                       SI64Attr:$end,
                       SI64Attr:$step);
  let hasVerifier = 1;
}

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNCREATIONOPS_TD
