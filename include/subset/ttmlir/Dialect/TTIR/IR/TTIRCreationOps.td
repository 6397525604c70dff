// SPDX-License-Identifier: Apache-2.0
// Ops that make a tensor from nothing but attributes.
#ifndef TTMLIR_DIALECT_TTIR_IR_TTIRCREATIONOPS_TD
#define TTMLIR_DIALECT_TTIR_IR_TTIRCREATIONOPS_TD

include "ttmlir/Dialect/TTIR/IR/TTIRBase.td"

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTIR_FullOp : TTIR_NamedOp<"full"> {
  let summary = "tensor of one repeated number";
  let description = [{
    Constraints:
    - (C1) `shape` is the shape of the result
  }];
  let arguments = (ins DenseI32ArrayAttr:$shape, TTIR_ScalarAttr:$fill_value);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$resultType,
                   "::mlir::Attribute":$fillValue)>
  ];
  let hasVerifier = 1;
}

class TTIR_NamedFullOp<string mnemonic, string what> : TTIR_NamedOp<mnemonic> {
  let summary = what;
  let arguments = (ins DenseI32ArrayAttr:$shape);
}

def TTIR_ZerosOp : TTIR_NamedFullOp<"zeros", "tensor of zeros">;
def TTIR_OnesOp : TTIR_NamedFullOp<"ones", "tensor of ones">;

def TTIR_ConstantOp
    : TTIR_NamedOp<"constant", [AllShapesMatch<["value", "result"]>]> {
  let summary = "tensor of given numbers";
  let description = [{
    Constraints:
    - (C1) `value` has the shape of the result
    - (C2) `value` is dense, in the text or as a resource
    - (C3) `value` holds integers or floats
  }];
  let arguments = (ins ElementsAttr:$value);
  let hasVerifier = 1;
}

def TTIR_ArangeOp : TTIR_NamedOp<"arange"> {
  let summary = "start, start + step, ... up to end, along one dimension";
  let description = [{
    Constraints:
    - (C1) `step` is not 0
    - (C2) (end - start) / step is positive
    - (C3) it is the size of dimension `arange_dimension` of the result
  }];
  let arguments = (ins SI64Attr:$start,
                       SI64Attr:$end,
                       SI64Attr:$step,
                       I64Attr:$arange_dimension);
  let hasVerifier = 1;
}

def TTIR_EmptyOp
    : TTIR_Op<"empty", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "tensor without content, for another op to write into";
  let description = [{
    Each one is an allocation of its own, so two of them are never merged.

    ```mlir
    %0 = ttir.empty() : tensor<1x8x64x64xbf16>
    ```
  }];
  let results = (outs AnyRankedTensor:$result);
  let builders = [
    OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape,
                   "::mlir::Type":$elementType,
                   CArg<"::mlir::Attribute", "{}">:$encoding)>
  ];
  let assemblyFormat = "`(` `)` attr-dict `:` type($result)";
}

#endif // TTMLIR_DIALECT_TTIR_IR_TTIRCREATIONOPS_TD
