// SPDX-License-Identifier: Apache-2.0
// The passes between the ring dialect and the TT dialects.

#ifndef RING_CONVERSION_PASSES_TD
#define RING_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def RingRaise : Pass<"ring-raise", "::mlir::ModuleOp"> {
  let summary = "Recognise sequence-parallel attentions in TTIR";
  let description = [{
    Turns a TTIR attention whose sequence is distributed into `ring.attention`:

    * P1: all of q, k and v are gathered along the sequence,
    * P2: all of them are traded from sequence to head shards by all-to-alls,
    * P3: q is local, k and v are gathered,
    * P4: the attention carries `ring.parallel`, itself or by its function or
      module, or an option names it.

    Between a gather and the attention there may be ops that treat all rows
    alike: `permute`, `transpose`, `reshape`, `typecast`, a scale, heads that are
    repeated or cut out of more features. They are repeated on the shards, before
    the gather. A `slice_static` that keeps the first rows of gathered keys and
    values is the length, and so is a mask that hides the others; queries that are
    cut as well give a result that is. In P1, a `mesh_partition` behind such ops
    takes its rows before them.

    The gradients of an attention (`sdpa_bw`) become `ring.attention_backward`
    where they come as P1 or P2, the gradient of the output too, or as P4. They
    have as many queries as keys, so that P3 is none of their forms.

    A composite named `joint_scaled_dot_product_attention` is an attention with
    joint tokens (P1, P3 and P4). Decode steps, paged ones and chunks of a
    prefill become attentions over a cache where they are annotated, the first
    also where the cache is gathered. A position that is a constant becomes a
    length, any other a mask or the start of a chunk.

    A `ttcore.composite` named `dilated_attention` becomes a `ring.attention` with
    a dilated pattern where it comes as P1 or P4, and one named
    `packed_scaled_dot_product_attention` one over packed documents: its operands
    are query, key and value, its parameters `cu_seqlens` (the boundaries of the
    documents, starting with 0), `is_causal` and `scale`.

    An attention may also be spelled out, as a softmax between two products. It
    is raised where it is annotated (its function or module, since it is no op),
    where an option names it, or where its keys are gathered:

    * the products are `matmul` or `dot_general`, over batch and heads in two
      dimensions, in one or none, operands in any order;
    * the softmax is over the keys: the op, or exponentials over their sum, with
      or without the maximum; rows without keys may be asked for and set to 0;
    * a scale is one number on queries, keys or scores, or several of them;
    * masks are added, or hide scores by a `where`; one more column of scores,
      which the probabilities lose again, is a sink;
    * heads of keys and values may be repeated, and the products may be of a
      wider type than what comes in and goes out.

    Scores or probabilities that others use too, dropout, and any other op
    between the products leave it as it is.

    A mask whose numbers are all known, however it is computed from constants, and
    that only says which keys are before a query's own, before a number of keys, or
    in the same block along the diagonal, becomes the pattern and the length. Blocks
    are packed documents. The first two may be added to another mask, which stays.
    An annotation speaks of whole tensors: where those of an attention are one
    device's own, and not gathered, it does not count.

    What is not recognised stays as it is, with a remark that says why. Where an
    annotation or an option asks for rings and no attention was raised, a warning
    says so, with the first reason.

    Axes come from the first of these that there is: gathers or all-to-alls, which
    show their axis; `ring.parallel` on the op, its function or module; the rule of
    `parallel` that names the attention most precisely; `sequence-axis` and
    `head-axis`.

    A module that names a mesh of one device was exported for one. If whole
    attentions of it are raised, it names the mesh of `mesh-shape` instead.

    Rules are separated by semicolons, each a name, a colon and the parameters of
    `#ring.parallel`, or `none`:

    ```
    @main:sequence=1,heads=0              all attentions of a function
    *self_attn*:sequence=1                those with such a name
    @main/layers.?/attn:sequence=1        with such a name, in this function
    37:sequence=0                         that come from line 37
    @main/*cross*:none                    none of these
    ```

    Names of attentions are those in their locations, `loc("...")`; one that is
    spelled out has the name of its softmax. `*`, `?` and `[...]` are wildcards. A
    rule for single attentions is more precise than one for a function; then an
    exact name is than one with wildcards, one of which more is written out, and
    one that names the function too. A name that matches nothing is an error that
    lists what there is, and so are two rules that are as precise as each other and
    disagree.
  }];
  let options = [
    Option<"sequenceAxis", "sequence-axis", "int64_t", /*default=*/"-1",
           "mesh axis of the sequence where the IR has no annotation; -1 for none">,
    Option<"headAxis", "head-axis", "int64_t", /*default=*/"-1",
           "mesh axis of the heads where the IR has no annotation; -1 for none">,
    Option<"parallel", "parallel", "std::string", /*default=*/"\"\"",
           "axes by name where the IR has no annotation: "
           "@FUNCTION:sequence=1,heads=0;NAME-OR-LINE:sequence=0;@FUNCTION/NAME:none, "
           "with * and ? in names">,
    Option<"meshShape", "mesh-shape", "std::string", /*default=*/"\"\"",
           "the mesh, such as 8x4, of what was exported for one device">
  ];
  let dependentDialects = ["::mlir::ring::RingDialect",
                           "::mlir::tt::ttir::TTIRDialect"];
}

def RingOutlineDilated : Pass<"ring-outline-dilated", "::mlir::ModuleOp"> {
  let summary = "Write a dilated attention as a composite that TTIR can carry";
  let description = [{
    Every `ring.attention` with a dilated pattern and without a plan becomes a
    `ttcore.composite` named `dilated_attention`, with the pattern and the scale
    as its parameters. Its decomposition is a private function with the same
    attention, planned for a device that has all rows: `ring-shard` and
    `convert-ring-to-ttir` turn it into slices, attentions and concats, which any
    compiler can inline.

    `ring-raise` knows the composite and makes the attention of it again.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::tt::ttcore::TTCoreDialect"];
}

def ConvertRingToTTIR : Pass<"convert-ring-to-ttir", "::mlir::ModuleOp"> {
  let summary = "Lower a ring program to TTIR that tt-mlir accepts";
  let description = [{
    Explicit form: `sdpa_fw` blocks, merges by sigmoid of the difference of
    their log-sum-exps, `collective_permute`, `mesh_shard` and
    `mesh_partition`. Fused form: a `ttcore.composite` named after the device op,
    with the explicit form as its decomposition.

    `sdpa_fw` takes square blocks of whole tiles in bf16, with no mask, a band
    or a mask that only keeps and drops keys; a scale goes into the queries.
    Blocks that are nearly so are filled up, as long as half of the work is
    real. All others become matrix products and a softmax in f32, with rows
    without keys guarded.

    Gradients of a block become `sdpa_bw` in the same cases, with the output and
    the log-sum-exp of the whole attention, and are f32 from there on; else five
    matrix products in f32.

    What differs from device to device comes from a constant that
    `mesh_partition` cuts. The module names its mesh afterwards, and nothing in
    it is of the ring dialect.
  }];
  let options = [
    Option<"sdpaFwMask", "sdpa-fw-mask", "std::string", /*default=*/"\"ones\"",
           "how an unmasked sdpa_fw is written: ones (an all-ones mask, for "
           "kernels whose mask type none is broken) or none">,
    Option<"sdpaFwTypes", "sdpa-fw-types", "std::string", /*default=*/"\"bf16\"",
           "which blocks sdpa_fw computes: bf16, or any, for which f32 ones are "
           "rounded to bf16">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::tt::ttcore::TTCoreDialect",
                           "::mlir::tt::ttir::TTIRDialect"];
}

def ConvertRingToTTNN : Pass<"convert-ring-to-ttnn", "::mlir::ModuleOp"> {
  let summary = "Lower a ring program in TTIR to TTNN";
  let description = [{
    Takes what `convert-ring-to-ttir` leaves of a function to TTNN ops: tensors
    in tiles in DRAM, the device opened once, everything freed after its last
    use. `mesh_shard` becomes `distribute_tensor` or `aggregate_tensor`,
    `collective_permute` and `all_to_all` one `point_to_point` per pair of
    devices into one output. What every device receives lands in buffers that
    are allocated once per function and taken in turns.

    The rest of the model goes with it: ops of the same name, dimensions with
    TTNN's attribute types, `dot_general` as a `matmul`, caches written in
    place. An op that has no form in TTNN is an error that names it.
  }];
  let dependentDialects = ["::mlir::tt::ttcore::TTCoreDialect",
                           "::mlir::tt::ttnn::TTNNDialect"];
}

def RingVerifyDeviceRules
    : Pass<"ring-verify-device-rules", "::mlir::ModuleOp"> {
  let summary = "Hold a program to what devices ask beyond its dialect";
  let description = [{
    What tt-mlir's runtime and tt-metal refuse, or get wrong, though the program
    compiles:

    - (D1) `mesh_shard` and `distribute_tensor` split arguments of public
      functions, which are the host's, and nothing that is made in the program.
    - (D2) What `mesh_shard` and `aggregate_tensor` put together on the host is
      returned, and used by nothing else.
    - (D3) In TTNN, what `distribute_tensor` and `aggregate_tensor` give is the
      host's, and only `to_device` takes it to the devices, where all ops work
      but those that make constants, layouts and types.
    - (D4) In TTNN, `mesh_partition` leaves every device whole tiles of the last
      two dimensions, unless the tensor is row by row.
    - (D5) Sender and receiver of a `collective_permute`, an `all_to_all` or a
      `point_to_point` are in one row or column of the mesh.
    - (D6) Every device is a target of a `collective_permute`, or on a line with
      device 0, which sends it zeros.
    - (D7) `embedding` takes rows out of tables of bf16; in TTNN numbers and
      table are row by row, and the numbers are `ui32`.
    - (D8) The blocks of `sdpa_fw` and `sdpa_bw` are of bf16 and of whole tiles.
    - (D9) Global semaphores that the kernels of a `ttnn.generic` name are
      operands of it, behind the tensors, and no device has two programs.
    - (D10) Circular buffers that the kernels of a `ttmetal.enqueue_program` name
      are there.

    A broken rule is an error that names it.
  }];
}

#endif // RING_CONVERSION_PASSES_TD
