// SPDX-License-Identifier: Apache-2.0
// Stage HOW: the border between whole tensors and one device's shards.

#ifndef RING_DIALECT_RING_IR_RINGSHARDOPS_TD
#define RING_DIALECT_RING_IR_RINGSHARDOPS_TD

include "ring/Dialect/Ring/IR/RingOpBase.td"

def Ring_ShardOp : Ring_Op<"shard", [Pure]> {
  let summary = "a device's shard of a whole tensor";
  let description = [{
    Pads the sequence with zeros to the length of its layout, deals it by the
    layout, and splits the other dimensions contiguously. With `replicated` the
    whole tensor is a value that every device has, else it is the host's.

    ```mlir
    func.func @split(%q: tensor<1x40x75600x128xbf16>) -> tensor<1x10x9472x128xbf16> {
      %0 = ring.shard %q as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 75776 over 8>>
          : tensor<1x40x75600x128xbf16> -> tensor<1x10x9472x128xbf16>
      return %0 : tensor<1x10x9472x128xbf16>
    }
    ```

    Constraints:
    - (C1) the sharding has one entry per dimension.
    - (C2) every split dimension other than the sequence divides by its axis.
    - (C3) the layout is at least as long as the sequence.
    - (C4) the result is the shard: same element type, shape by the sharding.
  }];
  let arguments = (ins Ring_Tensor:$input, Ring_ShardingAttr:$sharding,
                       UnitAttr:$replicated);
  let results = (outs Ring_Tensor:$result);
  let assemblyFormat = [{
    $input `as` $sharding (`replicated` $replicated^)? attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Ring_UnshardOp : Ring_Op<"unshard", [Pure]> {
  let summary = "the whole tensor of all devices' shards";
  let description = [{
    The inverse of `ring.shard`: puts the shards back in order and cuts the
    padding off. With `replicated` every device gets the whole tensor, else the
    host does.

    ```mlir
    func.func @join(%q: tensor<1x10x9472x128xbf16>) -> tensor<1x40x75600x128xbf16> {
      %0 = ring.unshard %q as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 75776 over 8>>
          : tensor<1x10x9472x128xbf16> -> tensor<1x40x75600x128xbf16>
      return %0 : tensor<1x40x75600x128xbf16>
    }
    ```

    Constraints:
    - (C1) the sharding has one entry per dimension.
    - (C2) every split dimension other than the sequence divides by its axis.
    - (C3) the layout is at least as long as the sequence.
    - (C4) the operand is the shard: same element type, shape by the sharding.
  }];
  let arguments = (ins Ring_Tensor:$input, Ring_ShardingAttr:$sharding,
                       UnitAttr:$replicated);
  let results = (outs Ring_Tensor:$result);
  let assemblyFormat = [{
    $input `as` $sharding (`replicated` $replicated^)? attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Ring_RelayoutOp : Ring_Op<"relayout", [Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<Ring_TransferOpInterface, ["getTransfers"]>]> {
  let summary = "deals the rows of all shards anew";
  let description = [{
    Moves rows between devices so that a tensor held in one sequence layout is
    held in another: how the contiguous shards of a local function reach
    zigzag and come back.

    ```mlir
    func.func @balance(%q: tensor<1x8x512x64xbf16>) -> tensor<1x8x512x64xbf16> {
      %0 = ring.relayout %q dim 2 from <contiguous, 4096 over 8> to <zigzag, 4096 over 8> on <0 in 8x4>
          : tensor<1x8x512x64xbf16>
      return %0 : tensor<1x8x512x64xbf16>
    }
    ```

    Constraints:
    - (C1) the dimension exists and has a shard's length.
    - (C2) both layouts hold the same positions over the ranks of the axis.
  }];
  let arguments = (ins Ring_Tensor:$input, I64Attr:$dim,
                       Ring_LayoutAttr:$from, Ring_LayoutAttr:$to, Ring_AxisAttr:$axis);
  let results = (outs Ring_Tensor:$result);
  let assemblyFormat = [{
    $input `dim` $dim `from` $from `to` $to `on` $axis attr-dict `:` type($input)
  }];
  let extraClassDeclaration = [{
    /// What one rank receives.
    ::llvm::SmallVector<::mlir::ring::Transfer> getTransfersTo(int64_t rank);
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // RING_DIALECT_RING_IR_RINGSHARDOPS_TD
