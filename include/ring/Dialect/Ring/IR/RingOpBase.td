// SPDX-License-Identifier: Apache-2.0
// Operand types and classes that the op files share.

#ifndef RING_DIALECT_RING_IR_RINGOPBASE_TD
#define RING_DIALECT_RING_IR_RINGOPBASE_TD

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "ring/Dialect/Ring/IR/RingAttrs.td"
include "ring/Dialect/Ring/IR/RingTypes.td"

/// A sequence without tokens has no layout, and nothing to attend to.
def Ring_NotEmptyPred : CPred<
    "!::llvm::is_contained(::llvm::cast<::mlir::ShapedType>($_self).getShape(), 0)">;

def Ring_Tensor : RankedTensorOf<[AnyType], [HasStaticShapePred],
                                 "statically shaped tensor">;
def Ring_Tensor4D : RankedTensorOf<[AnyType],
    [HasStaticShapePred, HasAnyRankOfPred<[4]>, Ring_NotEmptyPred],
    "non-empty, statically shaped 4-D tensor">;
def Ring_LseTensor : RankedTensorOf<[F32],
    [HasStaticShapePred, HasAnyRankOfPred<[4]>, Ring_NotEmptyPred],
    "4-D tensor of f32 log-sum-exps">;

/// For every device of the mesh, the legs of what it receives.
def Ring_Legs : TypedArrayAttrBase<TypedArrayAttrBase<Ring_LegAttr, "legs">,
                                   "lists of legs">;

def Ring_PatternAttr : Attr<
    CPred<"::llvm::isa<::mlir::ring::PatternAttrInterface>($_self)">,
    "attention pattern"> {
  let storageType = "::mlir::ring::PatternAttrInterface";
  let returnType = "::mlir::ring::PatternAttrInterface";
  let convertFromStorage = "$_self";
}

#endif // RING_DIALECT_RING_IR_RINGOPBASE_TD
