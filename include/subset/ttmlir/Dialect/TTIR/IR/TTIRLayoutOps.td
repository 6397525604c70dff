// SPDX-License-Identifier: Apache-2.0
// Ops that change how a tensor lies in memory, not what it holds.
#ifndef TTMLIR_DIALECT_TTIR_IR_TTIRLAYOUTOPS_TD
#define TTMLIR_DIALECT_TTIR_IR_TTIRLAYOUTOPS_TD

include "ttmlir/Dialect/TTIR/IR/TTIRBase.td"

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTIR_ToLayoutOp
    : TTIR_Op<"to_layout",
              [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copies a tensor into another layout";
  let description = [{
    Without effects on tensors; on memrefs it reads the input and writes the
    output.

    ```mlir
    %1 = ttir.to_layout %a, %b : tensor<64x128xf32> into tensor<64x128xf32, #l>
           -> tensor<64x128xf32, #l>
    ```
  }];
  let arguments = (ins AnyRankedTensorOrMemRef:$input,
                       AnyRankedTensorOrMemRef:$output,
                       OptionalAttr<AnyAttr>:$layout);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $input `,` $output `:` type($input) `into` type($output)
    (`hostInfo` `=` $layout^)? attr-dict (`->` type($results)^)?
  }];
}

def TTIR_TTNNMetalLayoutCastOp : TTIR_Op<"ttnn_metal_layout_cast", [Pure]> {
  let summary = "the same data, seen by the other backend";
  let arguments = (ins AnyRankedTensorOrMemRef:$input,
                       OptionalAttr<AffineMapAttr>:
                           $virtual_grid_inverse_mapping,
                       OptionalAttr<AffineMapAttr>:
                           $virtual_grid_forward_mapping);
  let results = (outs AnyRankedTensorOrMemRef:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def TTIR_TTLangOp : TTIR_Op<"tt_lang_op"> {
  let summary = "call of a kernel written in tt-lang";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       StrAttr:$kernel_id,
                       StrAttr:$version_tag,
                       StrAttr:$arg_roles,
                       DefaultValuedStrAttr<StrAttr, "">:$shard_spec);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `(` $inputs `)` attr-dict `:` `(` type($inputs) `)` `->`
    `(` type($results) `)`
  }];
}

#endif // TTMLIR_DIALECT_TTIR_IR_TTIRLAYOUTOPS_TD
