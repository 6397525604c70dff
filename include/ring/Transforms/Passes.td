// SPDX-License-Identifier: Apache-2.0
// The passes from a planned attention to a schedule, in the order they run.

#ifndef RING_TRANSFORMS_PASSES_TD
#define RING_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

/// What may be fixed of a plan; the planner and its explanation share it.
defvar planOptions = [
    Option<"meshShape", "mesh-shape", "std::string", /*default=*/"\"\"",
           "the mesh, such as 8x4, where the IR names none">,
    Option<"machineName", "machine", "std::string", /*default=*/"\"\"",
           "the machine to plan for, by its name or as the path of a file; "
           "without, the one that has the mesh">,
    Option<"strategy", "strategy", "std::string", /*default=*/"\"auto\"",
           "auto, replicate, all_gather, ring, double_ring, ulysses, usp, halo, "
           "split_kv, pass_q, ring_joint, ring_mla or ring_distributed">,
    Option<"layout", "layout", "std::string", /*default=*/"\"auto\"",
           "auto, contiguous, zigzag, striped or balanced">,
    Option<"directions", "directions", "std::string", /*default=*/"\"auto\"",
           "auto, forward or both">,
    Option<"merge", "merge", "std::string", /*default=*/"\"auto\"",
           "auto, tree, round, gather or reduce: how split_kv makes one of the "
           "parts of all ranks">,
    Option<"form", "form", "std::string", /*default=*/"\"auto\"",
           "auto, explicit or fused">,
    Option<"topology", "topology", "std::string", /*default=*/"\"auto\"",
           "auto, ring or linear">,
    Option<"numLinks", "num-links", "int64_t", /*default=*/"-1",
           "ethernet links to a neighbour that fused plans use; explicit "
           "transfers use all; -1: those of the machine">,
    Option<"headRanks", "head-ranks", "int64_t", /*default=*/"0",
           "ranks of the all-to-all inside usp; 0 chooses">,
    Option<"innerRanks", "inner-ranks", "int64_t", /*default=*/"0",
           "ranks of the inner rings of double_ring, side by side on the axis "
           "of the sequence; 0 takes the devices of a host">,
    Option<"qChunk", "q-chunk", "int64_t", /*default=*/"0",
           "rows of a query chunk on the device; 0 chooses">,
    Option<"kChunk", "k-chunk", "int64_t", /*default=*/"0",
           "rows of a key chunk on the device; 0 chooses">,
    Option<"expApprox", "exp-approx", "bool", /*default=*/"false",
           "approximate exponentials">,
    Option<"fidelity", "fidelity", "std::string", /*default=*/"\"auto\"",
           "auto, lofi, hifi2, hifi3 or hifi4: passes over the mantissas; auto "
           "is hifi2">,
    Option<"fp32Accumulation", "fp32-accumulation", "bool", /*default=*/"false",
           "accumulate in f32">,
    Option<"grid", "grid", "std::string", /*default=*/"\"\"",
           "the cores that compute, columns x rows, such as 8x7">,
    Option<"cclOffset", "ccl-offset", "std::string", /*default=*/"\"\"",
           "the first core that moves data, column x row, such as 0x7">,
    Option<"deviceMemory", "device-memory", "std::string", /*default=*/"\"\"",
           "what a device may hold, such as 12GiB; without, the DRAM of the "
           "machine's chips">,
    Option<"target", "target", "std::string", /*default=*/"\"auto\"",
           "what explicit plans are priced as: ring, a schedule with transfers "
           "beside the blocks, which has no fused plans; ttir or ttnn, ops one "
           "after the other; auto, a schedule beside fused plans">,
    Option<"sdpaFwMask", "sdpa-fw-mask", "std::string", /*default=*/"\"ones\"",
           "how those of ttir and ttnn write an unmasked sdpa_fw: ones or "
           "none">];

def RingPlan : Pass<"ring-plan", "::mlir::ModuleOp"> {
  let summary = "Decide how each attention is distributed";
  let description = [{
    Gives every `ring.attention` a `#ring.plan`: strategy, layout, directions,
    form and the settings of the device's kernel. What the options leave open
    is searched: every way to distribute the attention that the rules of the
    strategies and the machine's memory allow is written out as a program and
    played on a model of the machine, and the fastest is taken. A plan that is already
    there stays. A remark says what was chosen, its predicted time and share of
    the peak, and the runners-up.

    Attentions of a function that hand tokens to each other are planned together:
    what is exchanged around them, since one deals tokens in another way than the
    next wants them, is priced too, and where another choice is faster in all, a
    remark says so with the cost of both. All that a device holds in the course
    of the function, weights and what lives around the attentions included, has
    to fit `device-memory`; an error says what would.

    A choice that cannot honour a feature of the attention (a window, a mask, a
    sink, joint tokens) is an error that says which; an automatic choice never
    makes one. Equal attentions are planned once. A module whose attentions were not
    raised leaves nothing to plan, and a remark says so.
  }];
  let options = planOptions;
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::ring::RingDialect",
                           "::mlir::tt::ttcore::TTCoreDialect",
                           "::mlir::tt::ttir::TTIRDialect",
                           "::mlir::tt::ttnn::TTNNDialect"];
}

def RingExplain : Pass<"ring-explain", "::mlir::ModuleOp"> {
  let summary = "Show what ring-plan would choose from";
  let description = [{
    Prints a table for every attention without a plan, and changes nothing:
    each candidate with its predicted time, the share of their peak that the
    cores that compute use, the time that communication is not hidden for and the
    memory it takes on a device; then what is not possible, with the rule or limit
    that stands against it. Equal attentions are shown once, and those of one function by their
    lines where it has several.
  }];
  let options = planOptions;
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::ring::RingDialect",
                           "::mlir::tt::ttcore::TTCoreDialect",
                           "::mlir::tt::ttir::TTIRDialect",
                           "::mlir::tt::ttnn::TTNNDialect"];
}

def RingOutlineFused : Pass<"ring-outline-fused", "::mlir::ModuleOp"> {
  let summary = "Call the device op that a fused plan names";
  let description = [{
    An attention whose plan has the fused form becomes a `ttcore.composite` on
    the shards, named `ring_joint_scaled_dot_product_attention` (strategy ring),
    `ring_mla` (the same where the values are columns of one key head) or
    `ring_distributed_scaled_dot_product_attention` (strategy all_gather), with the parameters of the device op as its attributes. Its decomposition is
    a private function with the same attention in explicit form, so a compiler
    that does not know the name inlines the ring.

    A plan that the device op would refuse, or compute wrongly, is an error that
    names the rule; `docs/Planner.md` lists the rules.

    The operands are q, k and v, then the joint q, k and v, or the sink divided by
    the scale, or the page table; of `ring_mla` q and k alone. It and `ring_joint_...`
    give bf16 whatever they are given, so that block floats are cast behind them.

    Attributes of all composites, always there:

    | name | type | meaning |
    |---|---|---|
    | `scale` | f32 | of the softmax, also where it is 1 / sqrt(D) |
    | `ring_size`, `cluster_axis` | ui32 | ranks of the sequence and their mesh axis |
    | `q_chunk_size`, `k_chunk_size` | i64 | rows of a chunk; 32 where the plan says none |
    | `exp_approx_mode` | bool | of the program configuration |
    | `math_fidelity` | string | lofi, hifi2, hifi3 or hifi4 |
    | `math_approx_mode` | bool | of the compute kernel; true only with `exp-approx` |
    | `fp32_dest_acc_en` | bool | f32 sums in the destination registers |
    | `compute_with_storage_grid_size` | array of x, y | cores that compute; left out if the plan names none |

    Of `ring_distributed_...` alone:

    | name | type | meaning |
    |---|---|---|
    | `chunk_start_idx` | i64 | position of the first query; with a page table |

    Of `ring_joint_...` alone:

    | name | type | meaning |
    |---|---|---|
    | `logical_n` | i64 | keys that are no padding; with `is_balanced` all of them, padding included |
    | `logical_l` | i64 | joint tokens that are no padding, 0 without |
    | `joint_strategy` | string | rear |
    | `dim` | si32 | 2, that of the rows |
    | `is_causal` | bool | a query sees no later key |
    | `is_balanced` | bool | zigzag: rank r has chunks r and 2P-1-r of 2P |
    | `is_cross` | bool | fewer queries than keys on a device, no pattern |
    | `num_links` | ui32 | links to a neighbour |
    | `topology` | `#ttcore.topology` | ring or linear |
    | `num_global_semaphores` | ui32 | of one call: 2; calls that follow each other need sets in turn |
    | `persistent_output_buffer_k`, `..._v` | type | where the keys and values of all ranks arrive |
    | `persistent_output_buffer_joint_k`, `..._v` | type | the same for shares of joint tokens; left out without |
    | `ccl_core_grid_offset` | array of x, y | first core that moves data; left out if the plan names none |
    | `use_column_major_ccl` | bool | those cores go down a column, not along a row; left out with the offset |

    Of `ring_mla`: `logical_n`, `dim`, `is_balanced`, `num_links`, `topology`,
    `num_global_semaphores`, `ccl_core_grid_offset` and `use_column_major_ccl` as of
    `ring_joint_...`, since it is always causal and has no joint tokens, and

    | name | type | meaning |
    |---|---|---|
    | `head_dim_v` | ui32 | columns of the keys, from the first on, that are the values |
    | `persistent_output_buffer_kv` | type | where the keys of all ranks arrive |
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::ring::RingDialect",
                           "::mlir::tt::ttcore::TTCoreDialect",
                           "::mlir::tt::ttir::TTIRDialect"];
}

def RingShard : Pass<"ring-shard", "::mlir::ModuleOp"> {
  let summary = "Split each planned attention over the mesh";
  let description = [{
    Replaces every planned `ring.attention` by the program of one device: pads
    to the tile and the ring, deals the sequence by the layout, splits the heads
    over their axis, and writes the strategy out in `ring.partial`,
    `ring.merge` and transfers. Order and length are restored at the end.
  }];
  let dependentDialects = ["::mlir::ring::RingDialect",
                           "::mlir::tt::ttir::TTIRDialect"];
}

def RingKeepSharded : Pass<"ring-keep-sharded", "::mlir::ModuleOp"> {
  let summary = "Run everything token-wise on the devices";
  let description = [{
    Around the attentions that `ring-shard` wrote out, from a function's
    arguments to its results, what works token by token moves to the devices:
    elementwise ops, norms, softmax and sums over other dimensions, products with
    weights, embeddings, rotary embedding, reshapes, permutes, broadcasts, slices
    and concatenations that leave the tokens alone. Arguments are split where
    they enter and results put together where they leave; between the attentions
    nothing is. Weights, and what is made of them alone, are on every device.
    Where two attentions deal tokens differently, tokens are dealt anew on the
    devices, and other dimensions are gathered or split there.

    Where heads have a mesh axis, weights are split over it: the columns of
    products that make heads, and the rows of those that take them, whose parts
    an `all_reduce` adds up. Feed-forward networks are split the same way,
    columns first, then rows. Queries, keys and values that come from one
    product, side by side, are cut into products of their own before. Features
    that leave the function, such as the scores of all words, are made in parts
    and put together by the caller.

    Padding changes no result: it meets real tokens in attentions alone, where
    its weight is 0. What may have made something infinite of it is set to 0
    before that, since 0 times infinity is not 0.

    What stays on whole tensors is told in a remark, with the reasons: an op that
    mixes tokens, or one that the pass knows nothing about.
  }];
  let dependentDialects = ["::mlir::ring::RingDialect",
                           "::mlir::tt::ttir::TTIRDialect"];
}

def RingSplitBlocks : Pass<"ring-split-blocks", "::mlir::func::FuncOp"> {
  let summary = "Make every block the same on every device";
  let description = [{
    A target without device-dependent masks needs blocks that every device
    computes alike. Blocks whose coverage depends on the rank are cut at the
    halves of a zigzag and freed of their positions: what remains is either
    whole or one constant band, and `ring.select` picks by rank what it is
    computed from and where it counts. Pieces that different ranks compute share
    one computation. Where that takes more computations than pieces (striped
    keys, padding), a mask with bounds by rank takes their place.

    Of a zigzag step two quarters remain, both square and whole on every
    device: late queries against early keys, and one that is chosen by rank.

    The device's kernel takes square blocks, so every block is cut into squares:
    the longer side into pieces of the shorter. 2560 queries, 512 of them joint,
    against 2048 keys are 2048 x 2048 and four times 512 x 512. Rows that a
    window does not reach are left out, and a window much narrower than its
    block is followed along the diagonal.

    Gradients are cut the same way. What a piece contributes is added to the
    rows it was computed for, on the ranks that computed it for them.
  }];
  let dependentDialects = ["::mlir::ring::RingDialect",
                           "::mlir::tt::ttir::TTIRDialect"];
}

def RingPlaceOnDevices : Pass<"ring-place-on-devices", "::mlir::ModuleOp"> {
  let summary = "Leave the host nothing but arguments and results";
  let description = [{
    What a device's runtime splits over the mesh has to be the host's own tensor,
    and what it hands back is nothing but the shards put side by side. So
    everything else happens on the devices:

    * A whole tensor that is computed, or a constant, is there on every device,
      and each keeps its part of it. What is put together and used again is put
      together on every device. An argument that something computes with goes to
      every device whole, and a whole result comes from one of them.
    * An argument whose rows need padding goes to the devices unsplit along the
      sequence, split in all other dimensions; there it is padded, and each
      device keeps its rows. A result with padding is put together on the
      devices of the sequence's axis, cut, and handed back. For as long as that
      takes, a device holds all rows.
    * Rows that are dealt in another order are split in order, and dealt anew
      between the devices.

    ```mlir
    func.func @enter(%q: tensor<1x40x75600x128xbf16>) -> tensor<1x10x9472x128xbf16> {
      %rows = ring.shard %q as <[_, 1, _, _] in 8x4>
          : tensor<1x40x75600x128xbf16> -> tensor<1x10x75600x128xbf16>
      %0 = ring.shard %rows as <[_, _, 0, _] in 8x4, sequence = 2 as <contiguous, 75776 over 8>> replicated
          : tensor<1x10x75600x128xbf16> -> tensor<1x10x9472x128xbf16>
      return %0 : tensor<1x10x9472x128xbf16>
    }
    ```

    Functions that are one device's program already stay as they are.
  }];
  let dependentDialects = ["::mlir::ring::RingDialect"];
}

def RingMergeLse : Pass<"ring-merge-lse", "::mlir::func::FuncOp"> {
  let summary = "Carry one state through a chain of parts";
  let description = [{
    Chains and trees of `ring.partial` and `ring.merge` become `ring.init`,
    `ring.accumulate` in program order and one `ring.finish`: nothing is
    normalised in between. A choice by rank between two such results becomes a
    choice between their states. Parts that no device computes vanish, and the
    transfers that served them alone with them.

    A part that something else looks at, or that arrived by a transfer, stays
    a finished part and is merged. Runs before `ring-overlap`.
  }];
  let dependentDialects = ["::mlir::ring::RingDialect"];
}

def RingOverlap : Pass<"ring-overlap", "::mlir::func::FuncOp"> {
  let summary = "Start transfers early and wait for them late";
  let description = [{
    Every transfer becomes a start, as soon as its data exists, and a wait, just
    before its first use. Transfers of the same step and direction travel as
    one. They arrive in buffers that are allocated once per function and shared
    by all of its attentions: a buffer is used again only after its last read
    and after the wait of the transfer that sends it on.

    A travelling tensor takes two buffers in each direction, however long the
    ring and however many the layers: with one direction a device never has
    more than its own shard of K and V and two that travel. Only tensors that
    must be there at the same time take more, as the half shards of the last
    hop of an even ring with both directions do.

    Transfers in functions with branches, inside regions or without a start
    form (`ring.relayout`) stay as they are and block.
  }];
  let dependentDialects = ["::mlir::ring::RingDialect"];
}

def RingVerifySchedule : Pass<"ring-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "Prove that a schedule is safe";
  let description = [{
    Follows the program of every device and checks that each transfer that is
    started is waited for, that sends and receives match, that no buffer is
    written while a transfer or a later op still reads it, and that nothing can
    deadlock: all devices come past the same transfers in the same order, so
    none may be under a branch or in a loop. A violation is an error that names
    both ops. A remark per function says the bytes that a device sends along
    each axis, the buffers that it needs and the most keys and values it holds.
    The same holds inside a `ring.launch`.
  }];
}

def RingBlockTransfers : Pass<"ring-block-transfers", "::mlir::func::FuncOp"> {
  let summary = "Make one op again of transfers that no launch took";
  let description = [{
    A start and its wait outside a `ring.launch` become the op that blocks:

    ```
    %b = ring.buffer : !ring.buffer<1x1x128x32xbf16>
    %t = ring.start_all_to_all %k into %b split 1 concat 2 on <0 in 2> : ...
    %r = ring.wait %t : tensor<1x1x128x32xbf16>
    // becomes
    %r = ring.all_to_all %k split 1 concat 2 on <0 in 2> : ...
    ```

    TTIR has no transfers under way. Where launches go into a TTIR model, what
    is around them takes this form, which `convert-ring-to-ttir` knows.
  }];
  let dependentDialects = ["::mlir::ring::RingDialect"];
}

#endif // RING_TRANSFORMS_PASSES_TD
