// SPDX-License-Identifier: Apache-2.0
// Types of the ring dialect: the carried softmax state, transfer buffers and
// the tokens of transfers under way.

#ifndef RING_DIALECT_RING_IR_RINGTYPES_TD
#define RING_DIALECT_RING_IR_RINGTYPES_TD

include "ring/Dialect/Ring/IR/RingDialect.td"

def Ring_StateType : Ring_Type<"State", "state"> {
  let summary = "an attention under way: unnormalised output, maximum and sum";
  let description = [{
    The state that blocks of keys are accumulated into, for every row of the
    output: the unnormalised output `o`, the largest score so far `m` and the
    sum of exponentials `l`, all f32, natural base. The shape is the output's.

    ```mlir
    func.func private @carry(!ring.state<1x10x9472x128>)
    ```

    Constraints:
    - (C1) the shape is `[batch, heads, queries, value dim]`, all positive.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = "`<` custom<Dimensions>($shape) `>`";
  let genVerifyDecl = 1;
}

def Ring_BufferType : Ring_Type<"Buffer", "buffer"> {
  let summary = "memory of one device that a transfer writes to";
  let description = [{
    Allocated once per function by `ring.buffer` and reused by later
    transfers, so that no ring step allocates.

    ```mlir
    func.func private @landing(!ring.buffer<1x8x64x64xbf16>)
    ```

    Constraints:
    - (C1) the shape is static and positive.
    - (C2) the element type is one that a tensor may have.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` custom<ShapeAndElement>($shape, $elementType) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The tensor type that a `ring.wait` gives for this buffer.
    ::mlir::RankedTensorType getTensorType() const;
  }];
}

def Ring_TokenType : Ring_Type<"Token", "token"> {
  let summary = "a transfer that has been started";
  let description = [{
    Made by a `ring.start_*` op and consumed by exactly one `ring.wait`.

    ```mlir
    func.func private @under_way(!ring.token)
    ```
  }];
}

#endif // RING_DIALECT_RING_IR_RINGTYPES_TD
