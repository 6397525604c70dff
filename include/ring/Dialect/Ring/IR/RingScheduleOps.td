// SPDX-License-Identifier: Apache-2.0
// Stage WHEN: the same transfers with a start, a wait and a buffer.

#ifndef RING_DIALECT_RING_IR_RINGSCHEDULEOPS_TD
#define RING_DIALECT_RING_IR_RINGSCHEDULEOPS_TD

include "ring/Dialect/Ring/IR/RingOpBase.td"

def Ring_BufferOp : Ring_Op<"buffer", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory for transfers to arrive in";
  let description = [{
    Allocated once, before the first use, and kept for the whole function.

    ```mlir
    func.func @landing() -> !ring.buffer<1x2x512x64xbf16> {
      %0 = ring.buffer : !ring.buffer<1x2x512x64xbf16>
      return %0 : !ring.buffer<1x2x512x64xbf16>
    }
    ```
  }];
  let results = (outs Ring_BufferType:$buffer);
  let assemblyFormat = "attr-dict `:` qualified(type($buffer))";
}

/// A transfer that goes on in the background from its start to its wait.
class Ring_StartOp<string mnemonic, list<Trait> traits = []>
    : Ring_Op<"start_" # mnemonic, traits # [
        DeclareOpInterfaceMethods<Ring_TransferOpInterface, ["getTransfers"]>,
        DeclareOpInterfaceMethods<Ring_StartOpInterface, ["getLandings"]>]> {
  let hasVerifier = 1;
}

def Ring_StartShiftOp : Ring_StartOp<"shift", [AttrSizedOperandSegments]> {
  let summary = "starts to pass tensors on round the ring";
  let description = [{
    `ring.shift` that does not wait. The operands may be read but not
    overwritten, and the buffers not touched, until the `ring.wait`.

    ```mlir
    func.func @overlap(%k: tensor<1x2x512x64xbf16>) -> tensor<1x2x512x64xbf16> {
      %buffer = ring.buffer : !ring.buffer<1x2x512x64xbf16>
      %token = ring.start_shift %k into %buffer by 1 on <0 in 8x4>
          : tensor<1x2x512x64xbf16> into !ring.buffer<1x2x512x64xbf16>
      %next = ring.wait %token : tensor<1x2x512x64xbf16>
      return %next : tensor<1x2x512x64xbf16>
    }
    ```

    Constraints:
    - (C1) there is at least one tensor, and each has a buffer of its own type.
    - (C2) no buffer is named twice.
    - (C3) the first rank that is reached is one of the axis, and not 0.
  }];
  let arguments = (ins Variadic<Ring_Tensor>:$inputs, Variadic<Ring_BufferType>:$buffers,
                       I64Attr:$by, Ring_AxisAttr:$axis, OptionalAttr<I64Attr>:$reaching);
  let results = (outs Ring_TokenType:$token);
  let assemblyFormat = [{
    $inputs `into` $buffers `by` $by `on` $axis (`reaching` $reaching^)? attr-dict
    `:` type($inputs) `into` type($buffers)
  }];
}

def Ring_StartAllGatherOp : Ring_StartOp<"all_gather"> {
  let summary = "starts to collect all shards";
  let description = [{
    `ring.all_gather` that does not wait.

    ```mlir
    func.func @overlap(%k: tensor<1x2x512x64xbf16>) -> tensor<1x2x4096x64xbf16> {
      %buffer = ring.buffer : !ring.buffer<1x2x4096x64xbf16>
      %token = ring.start_all_gather %k into %buffer dim 2 on <0 in 8x4>
          : tensor<1x2x512x64xbf16> into !ring.buffer<1x2x4096x64xbf16>
      %all = ring.wait %token : tensor<1x2x4096x64xbf16>
      return %all : tensor<1x2x4096x64xbf16>
    }
    ```

    Constraints:
    - (C1) the dimension exists.
    - (C2) the buffer is the operand with that dimension times the ranks.
  }];
  let arguments = (ins Ring_Tensor:$input, Ring_BufferType:$buffer, I64Attr:$dim, Ring_AxisAttr:$axis);
  let results = (outs Ring_TokenType:$token);
  let assemblyFormat = [{
    $input `into` $buffer `dim` $dim `on` $axis attr-dict
    `:` type($input) `into` qualified(type($buffer))
  }];
}

def Ring_StartAllToAllOp : Ring_StartOp<"all_to_all"> {
  let summary = "starts to trade one split for another";
  let description = [{
    `ring.all_to_all` that does not wait.

    ```mlir
    func.func @overlap(%q: tensor<1x8x512x64xbf16>) -> tensor<1x1x4096x64xbf16> {
      %buffer = ring.buffer : !ring.buffer<1x1x4096x64xbf16>
      %token = ring.start_all_to_all %q into %buffer split 1 concat 2 on <0 in 8x4>
          : tensor<1x8x512x64xbf16> into !ring.buffer<1x1x4096x64xbf16>
      %heads = ring.wait %token : tensor<1x1x4096x64xbf16>
      return %heads : tensor<1x1x4096x64xbf16>
    }
    ```

    Constraints:
    - (C1) both dimensions exist and differ.
    - (C2) the ranks divide the split dimension.
    - (C3) the buffer has the split dimension divided and the other multiplied by the ranks.
  }];
  let arguments = (ins Ring_Tensor:$input, Ring_BufferType:$buffer, I64Attr:$split,
                       I64Attr:$concat, Ring_AxisAttr:$axis);
  let results = (outs Ring_TokenType:$token);
  let assemblyFormat = [{
    $input `into` $buffer `split` $split `concat` $concat `on` $axis attr-dict
    `:` type($input) `into` qualified(type($buffer))
  }];
}

def Ring_StartGatherOp : Ring_StartOp<"gather"> {
  let summary = "starts to fetch some rows of some ranks";
  let description = [{
    `ring.gather` that does not wait.

    ```mlir
    func.func @overlap(%k: tensor<1x2x512x64xbf16>) -> tensor<1x2x64x64xbf16> {
      %buffer = ring.buffer : !ring.buffer<1x2x64x64xbf16>
      %token = ring.start_gather %k into %buffer dim 2 parts [<source = -1, offset = 448, size = 64>] on <0 in 8x4>
          : tensor<1x2x512x64xbf16> into !ring.buffer<1x2x64x64xbf16>
      %halo = ring.wait %token : tensor<1x2x64x64xbf16>
      return %halo : tensor<1x2x64x64xbf16>
    }
    ```

    Constraints:
    - (C1) the dimension exists.
    - (C2) there is at least one part, and each lies within the operand.
    - (C3) the buffer is the operand with that dimension the sum of the parts' sizes.
  }];
  let arguments = (ins Ring_Tensor:$input, Ring_BufferType:$buffer, I64Attr:$dim,
                       TypedArrayAttrBase<Ring_PartAttr, "parts">:$parts, Ring_AxisAttr:$axis);
  let results = (outs Ring_TokenType:$token);
  let assemblyFormat = [{
    $input `into` $buffer `dim` $dim `parts` custom<Parts>($parts) `on` $axis
    attr-dict `:` type($input) `into` qualified(type($buffer))
  }];
}

def Ring_StartRouteOp : Ring_StartOp<"route"> {
  let summary = "starts to fetch rows, differently on every device";
  let description = [{
    `ring.route` that does not wait.

    ```mlir
    func.func @overlap(%k: tensor<1x2x6x64xbf16>) -> tensor<1x2x1x64xbf16> {
      %buffer = ring.buffer : !ring.buffer<1x2x1x64xbf16>
      %token = ring.start_route %k into %buffer dim 2 legs [
          [#ring.leg<source = 1, offset = 4, size = 1>], []] on <0 in 2>
          : tensor<1x2x6x64xbf16> into !ring.buffer<1x2x1x64xbf16>
      %row = ring.wait %token : tensor<1x2x1x64xbf16>
      return %row : tensor<1x2x1x64xbf16>
    }
    ```

    Constraints:
    - (C1) the dimension exists.
    - (C2) there is one list of legs for every device of the mesh.
    - (C3) every leg lies within the operand and within the buffer.
    - (C4) no two legs of a device go to the same row.
    - (C5) the buffer is the operand but for that dimension, which is at most 2^24.
  }];
  let arguments = (ins Ring_Tensor:$input, Ring_BufferType:$buffer, I64Attr:$dim,
                       Ring_Legs:$legs, OptionalAttr<F32Attr>:$fill, Ring_AxisAttr:$axis);
  let results = (outs Ring_TokenType:$token);
  let assemblyFormat = [{
    $input `into` $buffer `dim` $dim `legs` $legs (`fill` `(` $fill^ `)`)? `on`
    $axis attr-dict `:` type($input) `into` qualified(type($buffer))
  }];
}

def Ring_WaitOp : Ring_Op<"wait"> {
  let summary = "the tensors of a transfer, once they have arrived";
  let description = [{
    Blocks until the transfer is done. The results live in the transfer's
    buffers: they are valid until another transfer into them is started.

    ```mlir
    func.func @arrived(%k: tensor<1x2x512x64xbf16>, %v: tensor<1x2x512x64xbf16>)
        -> (tensor<1x2x512x64xbf16>, tensor<1x2x512x64xbf16>) {
      %b0 = ring.buffer : !ring.buffer<1x2x512x64xbf16>
      %b1 = ring.buffer : !ring.buffer<1x2x512x64xbf16>
      %token = ring.start_shift %k, %v into %b0, %b1 by 1 on <0 in 8x4>
          : tensor<1x2x512x64xbf16>, tensor<1x2x512x64xbf16> into !ring.buffer<1x2x512x64xbf16>, !ring.buffer<1x2x512x64xbf16>
      %next:2 = ring.wait %token : tensor<1x2x512x64xbf16>, tensor<1x2x512x64xbf16>
      return %next#0, %next#1 : tensor<1x2x512x64xbf16>, tensor<1x2x512x64xbf16>
    }
    ```

    Constraints:
    - (C1) the token comes from a `ring.start_*` op.
    - (C2) the results have the types of that op's buffers, in order.
    - (C3) no other wait takes the token.
  }];
  let arguments = (ins Ring_TokenType:$token);
  let results = (outs Variadic<Ring_Tensor>:$results);
  let assemblyFormat = "$token attr-dict `:` type($results)";
  let hasVerifier = 1;
}

#endif // RING_DIALECT_RING_IR_RINGSCHEDULEOPS_TD
