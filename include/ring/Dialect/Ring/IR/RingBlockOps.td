// SPDX-License-Identifier: Apache-2.0
// Stages HOW and WHEN: attention over one block of keys, and what joins blocks.

#ifndef RING_DIALECT_RING_IR_RINGBLOCKOPS_TD
#define RING_DIALECT_RING_IR_RINGBLOCKOPS_TD

include "ring/Dialect/Ring/IR/RingOpBase.td"

/// What `ring.partial` and `ring.accumulate` have in common: one block of
/// queries x keys on one device.
class Ring_BlockOp<string mnemonic, list<Trait> traits = []>
    : Ring_Op<mnemonic, traits # [Pure, AttrSizedOperandSegments,
        DeclareOpInterfaceMethods<Ring_AttendOpInterface, ["countPairs"]>]> {
  let hasVerifier = 1;
  code blockClassDeclaration = [{
    /// The band of the pattern; without a pattern it is unbounded.
    ::mlir::ring::Band getBand();
    /// How much of the block `device` has to compute.
    ::mlir::ring::Coverage getCoverage(int64_t device);
  }];
  let extraClassDeclaration = blockClassDeclaration;
}

def Ring_PartialOp : Ring_BlockOp<"partial"> {
  let summary = "attention over one block of keys, with its log-sum-exp";
  let description = [{
    The queries of a device against one block of keys, normalised within the
    block: `(out, lse)`. Parts of the same queries are joined by `ring.merge`.

    `block` says which positions the rows have in the whole sequence; the
    pattern and `length` are about those. Without it, rows count from 0 on both
    sides. Positions that only the running program knows are tensors in place of
    what the block says: `query_positions` and `key_positions`, of all batch
    entries or of each. Rows before position 0 take no part. The mask is the
    block's own, one column per key.

    A row that attends to no key of the block is 0 with lse = -inf.

    ```mlir
    func.func @diagonal(%q: tensor<1x8x512x64xbf16>, %k: tensor<1x2x512x64xbf16>, %v: tensor<1x2x512x64xbf16>)
        -> (tensor<1x8x512x64xf32>, tensor<1x8x512x1xf32>) {
      %out, %lse = ring.partial %q, %k, %v pattern(#ring.causal)
          block(<queries = <zigzag, 4096 over 8>, keys = <zigzag, 4096 over 8>, axis = <0 in 8x4>>)
          : tensor<1x8x512x64xbf16>, tensor<1x2x512x64xbf16>, tensor<1x2x512x64xbf16>
          -> tensor<1x8x512x64xf32>, tensor<1x8x512x1xf32>
      return %out, %lse : tensor<1x8x512x64xf32>, tensor<1x8x512x1xf32>
    }
    func.func @each_user_at_its_position(
        %q: tensor<32x8x1x64xbf16>, %k: tensor<32x2x512x64xbf16>, %v: tensor<32x2x512x64xbf16>, %at: tensor<32x1xi32>)
        -> (tensor<32x8x1x64xf32>, tensor<32x8x1x1xf32>) {
      %out, %lse = ring.partial %q, %k, %v query_positions(%at : tensor<32x1xi32>) pattern(#ring.causal)
          block(<keys = <block_cyclic, 4096 over 8 by 64>, axis = <0 in 8x4>>)
          : tensor<32x8x1x64xbf16>, tensor<32x2x512x64xbf16>, tensor<32x2x512x64xbf16>
          -> tensor<32x8x1x64xf32>, tensor<32x8x1x1xf32>
      return %out, %lse : tensor<32x8x1x64xf32>, tensor<32x8x1x1xf32>
    }
    ```

    Constraints:
    - (C1) query, key and value agree on batch and dim; key and value on heads and keys.
    - (C2) the key heads divide the query heads.
    - (C3) the output is `[batch, heads, queries, value dim]` and lse `[batch, heads, queries, 1]`.
    - (C4) the output's element type is the query's or f32.
    - (C5) the block's layouts or places have a position for every query and every key; beside
      a pattern the queries have one of them.
    - (C6) the mask is `[1 or batch, 1 or heads, 1 or queries, keys]`.
    - (C7) the pattern is one band; dilated attention is several partials.
    - (C8) the length is positive.
    - (C9) positions are integers, `[1 or batch, queries]` and `[1 or batch, keys]`,
      beside a pattern.
  }];
  let arguments = (ins
    Ring_Tensor4D:$query, Ring_Tensor4D:$key, Ring_Tensor4D:$value,
    Optional<Ring_Tensor4D>:$mask,
    Optional<Ring_Tensor>:$query_positions, Optional<Ring_Tensor>:$key_positions,
    OptionalAttr<Ring_PatternAttr>:$pattern,
    OptionalAttr<F32Attr>:$scale,
    OptionalAttr<I64Attr>:$length,
    OptionalAttr<Ring_BlockAttr>:$block);
  let results = (outs Ring_Tensor4D:$output, Ring_LseTensor:$lse);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`query_positions` `(` $query_positions^ `:` type($query_positions) `)`)?
    (`key_positions` `(` $key_positions^ `:` type($key_positions) `)`)?
    (`pattern` `(` $pattern^ `)`)? (`scale` `(` $scale^ `)`)?
    (`length` `(` $length^ `)`)? (`block` `(` $block^ `)`)? attr-dict
    `:` type($query) `,` type($key) `,` type($value)
    `->` type($output) `,` type($lse)
  }];
}

def Ring_EmptyOp : Ring_Op<"empty", [Pure]> {
  let summary = "the part of no keys: what merge leaves unchanged";
  let description = [{
    Output 0 and lse = -inf in every row. With a sink, lse is the sink's logit
    of the head: the softmax sees it, the values do not.

    ```mlir
    func.func @nothing_yet() -> (tensor<1x8x512x64xf32>, tensor<1x8x512x1xf32>) {
      %out, %lse = ring.empty : tensor<1x8x512x64xf32>, tensor<1x8x512x1xf32>
      return %out, %lse : tensor<1x8x512x64xf32>, tensor<1x8x512x1xf32>
    }
    ```

    Constraints:
    - (C1) output and lse agree on batch, heads and queries, and lse has one column.
    - (C2) the sink is `[1, heads, 1, 1]`.
  }];
  let arguments = (ins Optional<Ring_Tensor4D>:$sink);
  let results = (outs Ring_Tensor4D:$output, Ring_LseTensor:$lse);
  let assemblyFormat = [{
    (`sink` `(` $sink^ `:` type($sink) `)`)? attr-dict
    `:` type($output) `,` type($lse)
  }];
  let hasVerifier = 1;
}

def Ring_MergeOp : Ring_Op<"merge", [Pure,
    AllTypesMatch<["lhs", "rhs", "output"]>,
    AllTypesMatch<["lhs_lse", "rhs_lse", "lse"]>]> {
  let summary = "joins two parts of the same queries";
  let description = [{
    The attention over the keys of both parts:

    ```
    lse = ln(exp(lse_a) + exp(lse_b))
    out = out_a * exp(lse_a - lse) + out_b * exp(lse_b - lse)
    ```

    computed without overflow; two empty rows give an empty row. Merging with
    `ring.empty` folds away.

    ```mlir
    func.func @join(%o0: tensor<1x8x512x64xf32>, %l0: tensor<1x8x512x1xf32>,
                    %o1: tensor<1x8x512x64xf32>, %l1: tensor<1x8x512x1xf32>)
        -> (tensor<1x8x512x64xf32>, tensor<1x8x512x1xf32>) {
      %out, %lse = ring.merge %o0, %l0 with %o1, %l1 : tensor<1x8x512x64xf32>, tensor<1x8x512x1xf32>
      return %out, %lse : tensor<1x8x512x64xf32>, tensor<1x8x512x1xf32>
    }
    ```

    Constraints:
    - (C1) output and lse agree on batch, heads and queries, and lse has one column.
  }];
  let arguments = (ins Ring_Tensor4D:$lhs, Ring_LseTensor:$lhs_lse,
                       Ring_Tensor4D:$rhs, Ring_LseTensor:$rhs_lse);
  let results = (outs Ring_Tensor4D:$output, Ring_LseTensor:$lse);
  let assemblyFormat = [{
    $lhs `,` $lhs_lse `with` $rhs `,` $rhs_lse attr-dict
    `:` type($output) `,` type($lse)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Ring_InitOp : Ring_Op<"init", [Pure]> {
  let summary = "the state before any key";
  let description = [{
    Output 0, maximum -inf and sum 0; with a sink, maximum = the head's logit
    and sum = 1.

    ```mlir
    func.func @start() -> !ring.state<1x8x512x64> {
      %state = ring.init : !ring.state<1x8x512x64>
      return %state : !ring.state<1x8x512x64>
    }
    ```

    Constraints:
    - (C1) the sink is `[1, heads, 1, 1]`.
  }];
  let arguments = (ins Optional<Ring_Tensor4D>:$sink);
  let results = (outs Ring_StateType:$state);
  let assemblyFormat = [{
    (`sink` `(` $sink^ `:` type($sink) `)`)? attr-dict `:` qualified(type($state))
  }];
  let hasVerifier = 1;
}

def Ring_AccumulateOp : Ring_BlockOp<"accumulate", [
    TypesMatchWith<"the state keeps its type", "state", "result", "$_self">]> {
  let summary = "adds one block of keys to a state";
  let description = [{
    `ring.partial` and `ring.merge` in one, without normalising in between:
    what `ring-merge-lse` makes of a chain of them.

    ```mlir
    func.func @step(%state: !ring.state<1x8x512x64>, %q: tensor<1x8x512x64xbf16>,
                    %k: tensor<1x2x512x64xbf16>, %v: tensor<1x2x512x64xbf16>) -> !ring.state<1x8x512x64> {
      %next = ring.accumulate %q, %k, %v into %state
          : tensor<1x8x512x64xbf16>, tensor<1x2x512x64xbf16>, tensor<1x2x512x64xbf16> -> !ring.state<1x8x512x64>
      return %next : !ring.state<1x8x512x64>
    }
    ```

    Constraints:
    - (C1) query, key and value agree on batch and dim; key and value on heads and keys.
    - (C2) the key heads divide the query heads.
    - (C3) the state is `[batch, heads, queries, value dim]`.
    - (C4) the block's layouts or places have a position for every query and every key; beside
      a pattern the queries have one of them.
    - (C5) the mask is `[1 or batch, 1 or heads, 1 or queries, keys]`.
    - (C6) the pattern is one band; dilated attention is several blocks.
    - (C7) the length is positive.
    - (C8) positions are integers, `[1 or batch, queries]` and `[1 or batch, keys]`,
      beside a pattern.
  }];
  let arguments = (ins
    Ring_Tensor4D:$query, Ring_Tensor4D:$key, Ring_Tensor4D:$value,
    Ring_StateType:$state, Optional<Ring_Tensor4D>:$mask,
    Optional<Ring_Tensor>:$query_positions, Optional<Ring_Tensor>:$key_positions,
    OptionalAttr<Ring_PatternAttr>:$pattern,
    OptionalAttr<F32Attr>:$scale,
    OptionalAttr<I64Attr>:$length,
    OptionalAttr<Ring_BlockAttr>:$block);
  let results = (outs Ring_StateType:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value `into` $state
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`query_positions` `(` $query_positions^ `:` type($query_positions) `)`)?
    (`key_positions` `(` $key_positions^ `:` type($key_positions) `)`)?
    (`pattern` `(` $pattern^ `)`)? (`scale` `(` $scale^ `)`)?
    (`length` `(` $length^ `)`)? (`block` `(` $block^ `)`)? attr-dict
    `:` type($query) `,` type($key) `,` type($value) `->` qualified(type($state))
  }];
}

def Ring_FinishOp : Ring_Op<"finish", [Pure]> {
  let summary = "normalises a state";
  let description = [{
    `out = o / l` and `lse = m + ln(l)`; an empty row gives 0 and -inf.

    ```mlir
    func.func @normalise(%state: !ring.state<1x8x512x64>) -> (tensor<1x8x512x64xbf16>, tensor<1x8x512x1xf32>) {
      %out, %lse = ring.finish %state : !ring.state<1x8x512x64> -> tensor<1x8x512x64xbf16>, tensor<1x8x512x1xf32>
      return %out, %lse : tensor<1x8x512x64xbf16>, tensor<1x8x512x1xf32>
    }
    ```

    Constraints:
    - (C1) the output has the state's shape.
    - (C2) lse is `[batch, heads, queries, 1]`.
  }];
  let arguments = (ins Ring_StateType:$state);
  let results = (outs Ring_Tensor4D:$output, Ring_LseTensor:$lse);
  let assemblyFormat = [{
    $state attr-dict `:` qualified(type($state)) `->` type($output) `,` type($lse)
  }];
  let hasVerifier = 1;
}

def Ring_SelectOp : Ring_Op<"select", [Pure, AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "takes one of two values, by the device's rank";
  let description = [{
    A device of rank `r` takes the first value where entry `r` of the list is
    true, else the second: the only way in which one program differs from
    device to device.

    ```mlir
    func.func @from_rank_1_on(%a: tensor<1x8x256x64xbf16>, %b: tensor<1x8x256x64xbf16>) -> tensor<1x8x256x64xbf16> {
      %0 = ring.select %a, %b where [false, true, true, true] on <1 in 2x4> : tensor<1x8x256x64xbf16>
      return %0 : tensor<1x8x256x64xbf16>
    }
    ```

    Constraints:
    - (C1) the list has one entry per rank of the axis.
    - (C2) the values are statically shaped tensors or states.
  }];
  let arguments = (ins AnyTypeOf<[Ring_Tensor, Ring_StateType]>:$lhs,
                       AnyTypeOf<[Ring_Tensor, Ring_StateType]>:$rhs,
                       DenseBoolArrayAttr:$choice, Ring_AxisAttr:$axis);
  let results = (outs AnyTypeOf<[Ring_Tensor, Ring_StateType]>:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `where` $choice `on` $axis attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // RING_DIALECT_RING_IR_RINGBLOCKOPS_TD
