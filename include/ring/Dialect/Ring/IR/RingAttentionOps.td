// SPDX-License-Identifier: Apache-2.0
// Stage WHAT: one op is one distributed attention, still on whole tensors.

#ifndef RING_DIALECT_RING_IR_RINGATTENTIONOPS_TD
#define RING_DIALECT_RING_IR_RINGATTENTIONOPS_TD

include "ring/Dialect/Ring/IR/RingOpBase.td"

def Ring_AttentionOp : Ring_Op<"attention", [Pure, AttrSizedOperandSegments,
    AttrSizedResultSegments, Ring_WholeAttentionOpInterface,
    DeclareOpInterfaceMethods<Ring_AttendOpInterface, ["countPairs"]>]> {
  let summary = "a whole attention, and how it may be distributed";
  let description = [{
    `softmax(scale * query * key^T + mask) * value` on whole tensors, made by
    `ring-raise` and replaced by `ring-shard`. Without `scale` it is
    `1 / sqrt(dim)`; without a pattern every query attends to every key.

    * `joint`: further tokens that take part in every attention from both
      sides, behind the sequence ("rear"): all queries attend to the sequence
      and to the joint keys. Their output is a result of its own. With
      `parallel(<..., joint = sharded>)` they are dealt to the devices as the
      sequence is.
    * `joint_length`: joint keys from this row on are padding.
    * `mask` is added to the scores. A weight whose score is -inf is exactly 0.
    * `sink`: one logit per head that takes part in every softmax without a
      value.
    * `start`: where the queries stand in the sequence of the keys, which may be
      longer: those of batch entry `b` at `start[b], start[b] + 1, ...`, or at
      `start[0]` and on for all. Queries before position 0 attend to nothing.
    * `pages`: key and value are a paged cache, `[blocks, kv heads, block size,
      dim]`; the table gives each batch entry's blocks in order.
    * `documents`: several documents stand behind each other in the sequence, and
      a query attends to keys of its own alone. The tensor has their ends, in
      order: document `d` reaches from `ends[d - 1]`, or 0, to `ends[d]`. Rows
      behind the last end take no part.
    * `length`: keys from this position on are padding.
    * `per_device`: the function is one device's program already, and the whole
      tensors are values that every device of the sequence axis has.
    * Values that are the first columns of the keys, as in multi-head latent
      attention, are a `ttir.slice_static` of them, all rows and columns from 0
      on. Then every strategy sends, gathers and keeps the keys alone, and takes
      the values out of what arrived; `ring-plan` says so. Rows of a dilated
      pattern are the exception, and a tensor that is key and value at once.
    * `lse`: the natural logarithm of the sum of exponentials of each row, as
      an f32 column. A row that attends to nothing is 0 with lse = -inf.

    ```mlir
    func.func @joint_attention(
        %q: tensor<1x24x4096x128xbf16>, %k: tensor<1x24x4096x128xbf16>, %v: tensor<1x24x4096x128xbf16>,
        %jq: tensor<1x24x512x128xbf16>, %jk: tensor<1x24x512x128xbf16>, %jv: tensor<1x24x512x128xbf16>)
        -> (tensor<1x24x4096x128xbf16>, tensor<1x24x512x128xbf16>) {
      %out, %joint = ring.attention %q, %k, %v
          joint(%jq, %jk, %jv : tensor<1x24x512x128xbf16>, tensor<1x24x512x128xbf16>, tensor<1x24x512x128xbf16>)
          parallel(<sequence = 0, heads = 1>)
          : tensor<1x24x4096x128xbf16>, tensor<1x24x4096x128xbf16>, tensor<1x24x4096x128xbf16>
          -> tensor<1x24x4096x128xbf16> joint(tensor<1x24x512x128xbf16>)
      return %out, %joint : tensor<1x24x4096x128xbf16>, tensor<1x24x512x128xbf16>
    }
    func.func @decode_step(
        %q: tensor<32x64x1x128xbf16>, %k: tensor<4096x8x64x128xbf16>, %v: tensor<4096x8x64x128xbf16>,
        %pages: tensor<32x128xi32>, %positions: tensor<32xi32>) -> tensor<32x64x1x128xbf16> {
      %out = ring.attention %q, %k, %v pages(%pages : tensor<32x128xi32>)
          start(%positions : tensor<32xi32>) pattern(#ring.causal)
          parallel(<sequence = 0, cache_block = 64>)
          : tensor<32x64x1x128xbf16>, tensor<4096x8x64x128xbf16>, tensor<4096x8x64x128xbf16>
          -> tensor<32x64x1x128xbf16>
      return %out : tensor<32x64x1x128xbf16>
    }
    ```

    Latent attention, 128 query heads over one head of 512 + 64 columns:

    ```mlir
    func.func @latent_attention(%q: tensor<1x128x4096x576xbf16>, %k: tensor<1x1x4096x576xbf16>) -> tensor<1x128x4096x512xbf16> {
      %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4096 : i32, 512 : i32],
          step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x4096x576xbf16>) -> tensor<1x1x4096x512xbf16>
      %out = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 0, heads = 1>)
          : tensor<1x128x4096x576xbf16>, tensor<1x1x4096x576xbf16>, tensor<1x1x4096x512xbf16> -> tensor<1x128x4096x512xbf16>
      return %out : tensor<1x128x4096x512xbf16>
    }
    ```

    Constraints:
    - (C1) query, key and value agree on batch and dim; key and value on heads and keys.
    - (C2) the key heads divide the query heads.
    - (C3) the output is `[batch, heads, queries, value dim]` of the query's element type.
    - (C4) joint query, key and value come together, and their output with them;
      they have the batch, heads and dims of the sequence's, and the joint keys as
      many rows as the joint queries.
    - (C5) joint tokens exclude a pattern, a mask, a sink, pages, a start and
      documents.
    - (C6) the mask is `[1 or batch, 1 or heads, 1 or queries, keys]`.
    - (C7) the sink has one logit per head: `[1, heads, 1, 1]`.
    - (C8) the page table is `[batch, pages]` of integers, and pages come with a
      start; the start is one integer or one for each batch entry, and needs a
      pattern that is causal.
    - (C9) the length is positive and at most the number of keys, which with pages
      is that of all pages of a batch entry.
    - (C10) a pattern or documents without a start need as many queries as keys.
    - (C11) lse is `[batch, heads, queries + joint queries, 1]`.
    - (C12) the segments of a dilated pattern fit the sequence: tiled ones divide
      it (or it is shorter and the pattern says what to do then), concatenated
      ones make it up, prefixes lie within its chunks, which divide it; no mask,
      sink or pages go with it.
    - (C13) a joint length comes with joint tokens, is positive and at most their number.
    - (C14) the ends of documents are a list of integers; documents exclude a
      mask, a start, a length and every pattern but a causal one.
    - (C15) a cache block comes with a start; with pages it is a number of whole
      pages.
    - (C16) packed documents (`#ring.documents`) end within the sequence; no mask,
      sink, start or pages go with them.
  }];
  let arguments = (ins
    Ring_Tensor4D:$query, Ring_Tensor4D:$key, Ring_Tensor4D:$value,
    Optional<Ring_Tensor4D>:$joint_query, Optional<Ring_Tensor4D>:$joint_key,
    Optional<Ring_Tensor4D>:$joint_value,
    Optional<Ring_Tensor4D>:$mask, Optional<Ring_Tensor4D>:$sink,
    Optional<Ring_Tensor>:$page_table, Optional<Ring_Tensor>:$start,
    Optional<Ring_Tensor>:$documents,
    OptionalAttr<Ring_PatternAttr>:$pattern,
    OptionalAttr<F32Attr>:$scale,
    OptionalAttr<I64Attr>:$length,
    OptionalAttr<I64Attr>:$joint_length,
    OptionalAttr<Ring_ParallelAttr>:$parallel,
    OptionalAttr<Ring_PlanAttr>:$plan, UnitAttr:$per_device);
  let results = (outs Ring_Tensor4D:$output,
                      Optional<Ring_Tensor4D>:$joint_output,
                      Optional<Ring_LseTensor>:$lse);
  let assemblyFormat = [{
    $query `,` $key `,` $value
    (`joint` `(` $joint_query^ `,` $joint_key `,` $joint_value `:`
      type($joint_query) `,` type($joint_key) `,` type($joint_value) `)`)?
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`sink` `(` $sink^ `:` type($sink) `)`)?
    (`pages` `(` $page_table^ `:` type($page_table) `)`)?
    (`start` `(` $start^ `:` type($start) `)`)?
    (`documents` `(` $documents^ `:` type($documents) `)`)?
    (`pattern` `(` $pattern^ `)`)? (`scale` `(` $scale^ `)`)?
    (`length` `(` $length^ `)`)? (`joint_length` `(` $joint_length^ `)`)?
    (`parallel` `(` $parallel^ `)`)?
    (`plan` `(` $plan^ `)`)? (`per_device` $per_device^)? attr-dict
    `:` type($query) `,` type($key) `,` type($value)
    `->` type($output) (`joint` `(` type($joint_output)^ `)`)?
    (`lse` `(` type($lse)^ `)`)?
  }];
  let hasVerifier = 1;
}

#endif // RING_DIALECT_RING_IR_RINGATTENTIONOPS_TD
