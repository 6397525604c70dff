// SPDX-License-Identifier: Apache-2.0
// Stages WHAT and HOW: the gradients of an attention, whole and of one block.

#ifndef RING_DIALECT_RING_IR_RINGBACKWARDOPS_TD
#define RING_DIALECT_RING_IR_RINGBACKWARDOPS_TD

include "ring/Dialect/Ring/IR/RingOpBase.td"

def Ring_AttentionBackwardOp : Ring_Op<"attention_backward", [Pure,
    AttrSizedOperandSegments, Ring_WholeAttentionOpInterface,
    DeclareOpInterfaceMethods<Ring_AttendOpInterface,
                              ["countPairs", "countFlopsPerPair"]>]> {
  let summary = "the gradients of a whole attention, and how they may be distributed";
  let description = [{
    What `ring.attention` with the same query, key, value, mask, documents,
    pattern, scale and length hands back for the gradient of its output, on whole tensors; made
    by `ring-raise` and replaced by `ring-shard`. With P the weights, computed
    again from the log-sum-exp, and s the scale:

    ```
    P     = exp(s * query * key^T + mask - lse)
    dS    = P * (grad_output * value^T - rowsum(grad_output * output))
    grads = s * dS * key, s * dS^T * query, P^T * grad_output
    ```

    `output` and `lse` are those of the whole attention. A row with lse = -inf
    attends to nothing and has no part in any gradient. Key heads that several
    query heads share get the sum over them. The mask gets no gradient.

    Where the values are the first columns of the keys (`ring.attention`), the
    keys travel alone here too. Their two gradients are what they are apart; if
    that of the values is only ever filled up with zeros (`ttir.pad`) and added
    to that of the keys, both are one tensor in every block, and one sum travels.

    Of a dilated pattern every pair that a head runs is an attention of its own,
    and its rows add to the gradients in their places. Merged by denominators
    (`mix = lse`) the pairs are one softmax, and `lse` is its log-sum-exp; a
    partition of the heads has one pair for each head, whose output was divided.
    Of a mean (`mix = mean`) neither `output` nor `lse` is that of a pair: both
    are computed again from query, key and value.

    ```mlir
    func.func @gradients(
        %grad: tensor<1x8x4096x64xbf16>, %out: tensor<1x8x4096x64xbf16>, %lse: tensor<1x8x4096x1xf32>,
        %q: tensor<1x8x4096x64xbf16>, %k: tensor<1x2x4096x64xbf16>, %v: tensor<1x2x4096x64xbf16>)
        -> (tensor<1x8x4096x64xbf16>, tensor<1x2x4096x64xbf16>, tensor<1x2x4096x64xbf16>) {
      %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
          pattern(#ring.causal) parallel(<sequence = 0>)
          : tensor<1x8x4096x64xbf16>, tensor<1x8x4096x64xbf16>, tensor<1x8x4096x1xf32>,
            tensor<1x8x4096x64xbf16>, tensor<1x2x4096x64xbf16>, tensor<1x2x4096x64xbf16>
          -> tensor<1x8x4096x64xbf16>, tensor<1x2x4096x64xbf16>, tensor<1x2x4096x64xbf16>
      return %dq, %dk, %dv : tensor<1x8x4096x64xbf16>, tensor<1x2x4096x64xbf16>, tensor<1x2x4096x64xbf16>
    }
    ```

    Constraints:
    - (C1) query, key and value agree on batch and dim; key and value on heads and keys.
    - (C2) the key heads divide the query heads.
    - (C3) output and its gradient are `[batch, heads, queries, value dim]`.
    - (C4) lse is `[batch, heads, queries, 1]`.
    - (C5) each gradient has the shape of what it is the gradient of.
    - (C6) the mask is `[1 or batch, 1 or heads, 1 or queries, keys]`.
    - (C7) the length is positive and at most the number of keys.
    - (C8) a pattern or documents need as many queries as keys.
    - (C9) the segments of a dilated pattern fit the sequence, as those of
      `ring.attention` do, and no mask goes with it.
    - (C10) the ends of documents are a list of integers; documents exclude a
      mask, a length and every pattern but a causal one.
    - (C11) packed documents end within the sequence, and no mask goes with them.
  }];
  let arguments = (ins
    Ring_Tensor4D:$grad_output, Ring_Tensor4D:$output, Ring_LseTensor:$lse,
    Ring_Tensor4D:$query, Ring_Tensor4D:$key, Ring_Tensor4D:$value,
    Optional<Ring_Tensor4D>:$mask, Optional<Ring_Tensor>:$documents,
    OptionalAttr<Ring_PatternAttr>:$pattern,
    OptionalAttr<F32Attr>:$scale,
    OptionalAttr<I64Attr>:$length,
    OptionalAttr<Ring_ParallelAttr>:$parallel,
    OptionalAttr<Ring_PlanAttr>:$plan, UnitAttr:$per_device);
  let results = (outs Ring_Tensor4D:$grad_query, Ring_Tensor4D:$grad_key,
                      Ring_Tensor4D:$grad_value);
  let assemblyFormat = [{
    $grad_output `,` $output `,` $lse `,` $query `,` $key `,` $value
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`documents` `(` $documents^ `:` type($documents) `)`)?
    (`pattern` `(` $pattern^ `)`)? (`scale` `(` $scale^ `)`)?
    (`length` `(` $length^ `)`)? (`parallel` `(` $parallel^ `)`)?
    (`plan` `(` $plan^ `)`)? (`per_device` $per_device^)? attr-dict
    `:` type($grad_output) `,` type($output) `,` type($lse) `,` type($query)
    `,` type($key) `,` type($value)
    `->` type($grad_query) `,` type($grad_key) `,` type($grad_value)
  }];
  let hasVerifier = 1;
}

def Ring_PartialBackwardOp : Ring_Op<"partial_backward", [Pure,
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<Ring_AttendOpInterface,
                              ["countPairs", "countFlopsPerPair"]>]> {
  let summary = "what one block of keys contributes to the gradients";
  let description = [{
    The queries of a device against one block of keys, as `ring.partial` has
    them. The contributions of all blocks add up to the gradients, because
    `output` and `lse` are the **final** ones of the whole attention: with those
    of the block alone the sum would be wrong. They are f32, so that adding up
    loses nothing.

    `block`, `query_positions` and `key_positions` say which positions the rows
    have in the whole sequence, as for `ring.partial`; the mask is the block's
    own.

    ```mlir
    func.func @diagonal_gradients(
        %grad: tensor<1x8x512x64xbf16>, %out: tensor<1x8x512x64xbf16>, %lse: tensor<1x8x512x1xf32>,
        %q: tensor<1x8x512x64xbf16>, %k: tensor<1x2x512x64xbf16>, %v: tensor<1x2x512x64xbf16>)
        -> (tensor<1x8x512x64xf32>, tensor<1x2x512x64xf32>, tensor<1x2x512x64xf32>) {
      %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v pattern(#ring.causal)
          block(<queries = <zigzag, 4096 over 8>, keys = <zigzag, 4096 over 8>, axis = <0 in 8x4>>)
          : tensor<1x8x512x64xbf16>, tensor<1x8x512x64xbf16>, tensor<1x8x512x1xf32>,
            tensor<1x8x512x64xbf16>, tensor<1x2x512x64xbf16>, tensor<1x2x512x64xbf16>
          -> tensor<1x8x512x64xf32>, tensor<1x2x512x64xf32>, tensor<1x2x512x64xf32>
      return %dq, %dk, %dv : tensor<1x8x512x64xf32>, tensor<1x2x512x64xf32>, tensor<1x2x512x64xf32>
    }
    ```

    Constraints:
    - (C1) query, key and value agree on batch and dim; key and value on heads and keys.
    - (C2) the key heads divide the query heads.
    - (C3) output and its gradient are `[batch, heads, queries, value dim]`.
    - (C4) lse is `[batch, heads, queries, 1]`.
    - (C5) each gradient is f32 in the shape of what it is the gradient of.
    - (C6) the block's layouts or places have a position for every query and every key; beside
      a pattern the queries have one of them.
    - (C7) the mask is `[1 or batch, 1 or heads, 1 or queries, keys]`.
    - (C8) the pattern is one band.
    - (C9) the length is positive.
    - (C10) positions are integers, `[1 or batch, queries]` and `[1 or batch, keys]`,
      beside a pattern.
  }];
  let arguments = (ins
    Ring_Tensor4D:$grad_output, Ring_Tensor4D:$output, Ring_LseTensor:$lse,
    Ring_Tensor4D:$query, Ring_Tensor4D:$key, Ring_Tensor4D:$value,
    Optional<Ring_Tensor4D>:$mask,
    Optional<Ring_Tensor>:$query_positions, Optional<Ring_Tensor>:$key_positions,
    OptionalAttr<Ring_PatternAttr>:$pattern,
    OptionalAttr<F32Attr>:$scale,
    OptionalAttr<I64Attr>:$length,
    OptionalAttr<Ring_BlockAttr>:$block);
  let results = (outs Ring_Tensor4D:$grad_query, Ring_Tensor4D:$grad_key,
                      Ring_Tensor4D:$grad_value);
  let assemblyFormat = [{
    $grad_output `,` $output `,` $lse `,` $query `,` $key `,` $value
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`query_positions` `(` $query_positions^ `:` type($query_positions) `)`)?
    (`key_positions` `(` $key_positions^ `:` type($key_positions) `)`)?
    (`pattern` `(` $pattern^ `)`)? (`scale` `(` $scale^ `)`)?
    (`length` `(` $length^ `)`)? (`block` `(` $block^ `)`)? attr-dict
    `:` type($grad_output) `,` type($output) `,` type($lse) `,` type($query)
    `,` type($key) `,` type($value)
    `->` type($grad_query) `,` type($grad_key) `,` type($grad_value)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The band of the pattern; without a pattern it is unbounded.
    ::mlir::ring::Band getBand();
    /// How much of the block `device` has to compute.
    ::mlir::ring::Coverage getCoverage(int64_t device);
  }];
}

#endif // RING_DIALECT_RING_IR_RINGBACKWARDOPS_TD
