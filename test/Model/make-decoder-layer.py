# SPDX-License-Identifier: Apache-2.0
"""Writes decoder-layer.mlir: a sequence-parallel Llama-8B as tt-mlir prints it.

    make-decoder-layer.py > decoder-layer.mlir
    make-decoder-layer.py --small    the layers alone, in sizes that a test can run

Hidden size 4096, 32 query and 8 key heads of 128, 4096 tokens dealt to 8
devices. The four layers have their attention in the forms in which a
sequence-parallel model arrives: gathered queries, keys and values, without and
with a window; head shards by all-to-all; local queries with an explicit mask.
Around it is what a real model brings along, much of it unknown to the subset of
the TT dialects here: ops, attributes, types and locations that must come out as
they went in.
"""

import sys

from printed_ir import (
    UNKNOWN, Function, Writer, callsite, fused, i32_array, i32_list, i64_array, in_file,
    named, shape_of, tensor,
)
from ttir_ops import (
    AXIS, DEVICES, DIM, EXPERTS, FFN, HEADS, HIDDEN, KV_HEADS, LAYERS, Ops, ROWS, TOKENS,
    SMALL, VOCABULARY,
)

HEADER = """\
// SPDX-License-Identifier: Apache-2.0
// A whole sequence-parallel model in the text that tt-mlir prints. Written by
// make-decoder-layer.py; not edited by hand, and never by ring-opt.

// What goes in comes out, byte for byte: known and unknown ops, attributes,
// types and locations.
// RUN: sed -e '/^\\/\\//d' -e '/./,$!d' %s > %t.in
// RUN: ring-opt --mlir-print-debuginfo %t.in -o %t.once
// RUN: diff %t.in %t.once
// RUN: ring-opt --mlir-print-debuginfo %t.once | diff %t.once -
// RUN: ring-opt --verify-roundtrip %t.in -o /dev/null

// The same when hardly an op of it is known: every op but the attentions gets
// a name that no subset defines.
// RUN: sed -e '/dot_product_attention/!s/"ttir\\./"ttir.future_/g' %t.in > %t.future
// RUN: ring-opt --mlir-print-debuginfo %t.future | diff %t.future -

// The file is what its generator writes.
// RUN: %python -B %S/make-decoder-layer.py | diff %s -

// It is worth the name: hundreds of ops of more than forty kinds.
// RUN: grep -oE '("|^ *| = )tt(ir|core)\\.[a-z0-9_]+' %t.in | grep -oE 'tt.*' > %t.ops
// RUN: sort -u %t.ops | wc -l | FileCheck %s --check-prefix=KINDS
// KINDS: {{^(4[1-9]|[5-9][0-9]|1[0-9][0-9])$}}
// RUN: wc -l < %t.ops | FileCheck %s --check-prefix=OPS
// OPS: {{^[3-9][0-9][0-9]$}}

"""


def argument(type, role, place, local=None, **more):
    """A function argument as tt-mlir's frontends annotate it."""
    attributes = {"ttcore.argument_type": f"#ttcore.argument_type<{role}>"}
    if local:
        attributes["ttcore.local_shape"] = f"#ttcore<local_shape local_shape = {local}>"
        attributes["ttcore.shard_status"] = "#ttcore.shard_status<presharded>"
    attributes.update({name.replace("__", "."): value for name, value in more.items()})
    return type, attributes, place


def model_arguments():
    arguments = [
        argument(tensor(1, ROWS, element="i32"), "input", named("input_ids"),
                 local=tensor(1, ROWS, element="i32")),
        argument(tensor(VOCABULARY, HIDDEN), "parameter", named("embed_tokens.weight")),
        argument(tensor(DIM // 2, element="f32"), "constant", in_file("rope.py", 41, 8)),
    ]
    for layer in range(LAYERS):
        for name, sizes in (
            ("input_layernorm", (HIDDEN,)), ("q_proj", (HEADS * DIM, HIDDEN)),
            ("k_proj", (KV_HEADS * DIM, HIDDEN)), ("v_proj", (KV_HEADS * DIM, HIDDEN)),
            ("v_proj.bias", (KV_HEADS * DIM,)), ("o_proj", (HIDDEN, HEADS * DIM)),
            ("post_attention_layernorm", (HIDDEN,)), ("gate_proj", (FFN, HIDDEN)),
            ("up_proj", (FFN, HIDDEN)), ("down_proj", (HIDDEN, FFN)),
        ):
            arguments.append(argument(tensor(*sizes), "parameter",
                                      named(f"layers.{layer}.{name}")))
        cache = tensor(1, KV_HEADS, ROWS, DIM)
        for name in ("k_cache", "v_cache"):
            arguments.append(argument(cache, "input", named(f"layers.{layer}.{name}"),
                                      local=cache, ttcore__kv_cache=None))
    arguments += [
        argument(tensor(HIDDEN), "parameter", named("norm.weight")),
        argument(tensor(VOCABULARY, HIDDEN), "parameter", named("lm_head.weight")),
        argument(tensor(EXPERTS, HIDDEN), "parameter", named("router.weight")),
    ]
    return arguments


def rotary_tables(t, frequencies):
    """cos and sin of position * frequency, [1, 1, rows, dim]."""
    positions = t.f.op("ttir.arange", [], tensor(ROWS, element="i64"), {
        "arange_dimension": "0 : i64", "end": f"{ROWS} : si64", "start": "0 : si64",
        "step": "1 : si64"})
    column = t.reshape(t.typecast(positions, "f32"), ROWS, 1)
    angles = t.matmul(column, t.reshape(frequencies, 1, DIM // 2), ROWS, DIM // 2)
    angles = t.concat([angles, angles], 1)
    tables = []
    for name in ("cos", "sin"):
        table = t.typecast(t.unary(name, angles), "bf16")
        for dim in (0, 0):
            table = t.f.op("ttir.unsqueeze", [table],
                           tensor(1, *shape_of(table.type)[0]), {"dim": f"{dim} : si32"})
        tables.append(table)
    return tables


def causal_mask(t):
    """0 where a local query may look and -inf elsewhere, [1, 1, rows, tokens]."""
    ones = t.f.op("ttir.ones", [], tensor(1, 1, ROWS, TOKENS, element="f32"),
                  {"shape": i32_array([1, 1, ROWS, TOKENS])})
    keys = t.f.op("ttir.cumsum", [ones], ones.type, {"dim": "3 : i64"})
    queries = t.f.op("ttir.cumsum", [ones], ones.type, {"dim": "2 : i64"})
    offset = t.f.op("ttir.mesh_partition", [
        t.f.op("ttir.constant", [], tensor(DEVICES, element="f32"), {
            "value": "dense<[" + ", ".join(f"{rank * ROWS:e}" for rank in range(DEVICES))
                     + f"]> : tensor<{DEVICES}xf32>"})],
        tensor(1, element="f32"), {"cluster_axis": AXIS, "dim": "0 : si32"})
    offset = t.broadcast(t.reshape(offset, 1, 1, 1, 1), 1, 1, ROWS, TOKENS)
    seen = t.binary("le", keys, t.binary("add", queries, offset), element="i1")
    hidden = t.unary("logical_not", seen)
    none = t.f.op("ttir.zeros", [], ones.type, {"shape": i32_array([1, 1, ROWS, TOKENS])})
    # -inf prints as its bits.
    minus = t.f.op("ttir.full", [], ones.type, {
        "fill_value": "0xFF800000 : f32", "shape": i32_array([1, 1, ROWS, TOKENS])})
    return t.typecast(t.f.op("ttir.where", [hidden, minus, none], ones.type), "bf16")


def project(t, x, weight, heads, kind, bias=None):
    """Rows times weight as heads, in one of the three ways models say it."""
    width = heads * DIM
    if kind == "linear":
        y = t.linear(x, weight, bias, ROWS, width)
    elif kind == "dot_general":
        y = t.dot_general(x, weight, ROWS, width)
    else:
        y = t.matmul(x, weight, ROWS, width, transpose_b="true")
    return t.permute(t.reshape(y, 1, ROWS, heads, DIM), 0, 2, 1, 3)


def attend(t, layer, q, k, v, mask):
    if layer in (0, 3):
        gathered = (t.all_gather(x, 2) for x in (q, k, v))
        whole = t.attention(*gathered, window=TOKENS // 4 if layer else None)
        return t.mesh_partition(whole, 2)
    if layer == 1:
        heads = t.attention(*(t.all_to_all(x, 1, 2) for x in (q, k, v)))
        return t.all_to_all(heads, 2, 1)
    return t.attention(q, t.all_gather(k, 2), t.all_gather(v, 2), mask, attributes={
        "ring.parallel": "#ring.parallel<sequence = 1>"})


def tamed(t, x):
    """Random weights of variance 1 are no trained ones: without this, scores
    are so large that rounding decides which key wins."""
    if not SMALL:
        return x
    return t.binary("multiply", x, t.full(0.0625, *shape_of(x.type)[0]))


def decoder_layer(t, layer, x, arguments, cos, sin, mask):
    norm, wq, wk, wv, bias, wo, post, gate, up, down, k_cache, v_cache = arguments
    normalise = t.rms_norm_by_hand if layer == 1 else t.rms_norm
    h = tamed(t, normalise(x, norm))
    q = project(t, h, wq, HEADS, "matmul")
    k = project(t, h, wk, KV_HEADS, "dot_general")
    v = project(t, h, wv, KV_HEADS, "linear", bias)
    q, k = t.rotate(q, HEADS, cos, sin), t.rotate(k, KV_HEADS, cos, sin)
    cached = [
        t.f.op("ttir.fill_cache", [cache, new], cache.type, {"batch_offset": "0 : i32"})
        for cache, new in ((k_cache, k), (v_cache, v))
    ]
    out = attend(t, layer, q, *cached, mask)
    rows = tamed(t, t.reshape(t.permute(out, 0, 2, 1, 3), ROWS, HEADS * DIM))
    x = t.binary("add", x, t.matmul(rows, wo, ROWS, HIDDEN, transpose_b="true"))

    h = tamed(t, normalise(x, post))
    activation = t.matmul(h, gate, ROWS, FFN, transpose_b="true")
    if layer == 2:
        activation = t.binary("multiply", activation, t.unary("sigmoid", activation))
    else:
        activation = t.unary("silu", activation)
    wide = t.binary("multiply", activation, t.dot_general(h, up, ROWS, FFN))
    return t.binary("add", x, t.matmul(wide, down, ROWS, HIDDEN, transpose_b="true")), cached


def route(t, x, router):
    """A mixture-of-experts router that only reorders rows: gather-like ops."""
    scores = t.matmul(x, router, ROWS, EXPERTS, transpose_b="true")
    weights = t.f.op("ttir.softmax", [scores], scores.type,
                     {"dimension": "1 : si32", "numericStable": "true"})
    best, chosen = t.f.op("ttir.topk", [weights],
                          [tensor(ROWS, 2), tensor(ROWS, 2, element="i32")],
                          {"dim": "-1 : i32", "k": "2 : i32", "largest": "true", "sorted": "true"})
    total = t.broadcast(t.reduce("sum", best, 1), 1, 2)
    share = t.binary("div", best, total)
    empty = t.f.op("ttir.zeros", [], weights.type, {"shape": i32_array([ROWS, EXPERTS])})
    spread = t.f.op("ttir.scatter", [empty, chosen, share], weights.type,
                    {"dim": "1 : i32", "scatter_reduce_type": "#ttcore.reduce_type<invalid>"})
    order, _ = t.f.op("ttir.sort", [t.typecast(t.reduce("max", spread, 1), "f32")],
                      [tensor(ROWS, 1, element="f32"), tensor(ROWS, 1, element="i32")],
                      {"descending": "false", "dim": "0 : si32", "stable": "true"})
    rank = t.f.op("ttir.squeeze", [t.typecast(order, "i32")], tensor(ROWS, element="i32"),
                  {"dim": "1 : si32"})
    bounded = t.f.op("ttir.clamp_scalar", [rank], rank.type,
                     {"max": f"{ROWS - 1} : i32", "min": "0 : i32"})
    return t.f.op("ttir.gather", [x, bounded], x.type, {
        "collapsed_slice_dims": i64_array([0]), "index_vector_dim": "1 : si64",
        "indices_are_sorted": "false", "offset_dims": i64_array([1]),
        "operand_batching_dims": "array<i64>", "slice_sizes": i64_array([1, HIDDEN]),
        "start_index_map": i64_array([0]), "start_indices_batching_dims": "array<i64>"})


def sample(t, x, head):
    """The next token of the last row, over all devices."""
    last = t.slice(x, [ROWS - 1, 0], [ROWS, HIDDEN])
    logits = t.typecast(t.matmul(last, head, 1, VOCABULARY, transpose_b="true"), "f32")
    logits = t.f.op("ttir.all_reduce", [logits], logits.type,
                    {"cluster_axis": AXIS, "reduce_type": "#ttcore.reduce_type<sum>"})
    cold = t.full(1.25, 1, VOCABULARY, element="f32")
    logits = t.binary("maximum", t.binary("div", logits, cold), t.unary("neg", cold))
    top = t.f.op("ttir.argmax", [logits], tensor(1, 1, element="i32"),
                 {"dim_arg": i32_list([1]), "keep_dim": "true"})
    valid = t.unary("isfinite", t.unary("exp", t.binary("subtract", logits, t.unary("abs", logits))))
    token = t.f.op("ttir.where", [
        t.f.op("ttir.reduce_or", [t.typecast(valid, "i1")], tensor(1, 1, element="i1"),
               {"dim_arg": i32_list([1]), "keep_dim": "true"}), top, top], top.type)
    return token


def write_main(writer):
    function = Function(
        writer, "main", model_arguments(),
        ([] if SMALL else [(tensor(1, 1, element="i32"),
                            {"ttcore.shard_status": "#ttcore.shard_status<unsharded>"})])
        + [(tensor(ROWS, HIDDEN), None)],
        {"tt.function_type": '"forward_device"'})
    t = Ops(function)
    ids, table, frequencies, *weights = function.arguments
    *layers, norm, head, router = weights

    writer.scope = "embed"
    kept = function.custom(
        f"ttcore.load_cached(@main_const_eval_0, [{frequencies.name}]) : "
        f"({frequencies.type}) -> {frequencies.type}", frequencies.type)
    x = function.op("ttir.embedding", [ids, table], tensor(1, ROWS, HIDDEN),
                    loc=fused(named("gather.7"), named("embed_tokens", in_file("model.py", 212, 17))))
    x = t.reshape(x, ROWS, HIDDEN)
    cos, sin = rotary_tables(t, kept)
    mask = causal_mask(t)
    for layer in range(LAYERS):
        writer.scope = f"layers.{layer}"
        x, cached = decoder_layer(t, layer, x, layers[12 * layer : 12 * layer + 12], cos, sin, mask)
        function.op("ttcore.optimization_barrier", cached, [v.type for v in cached], loc=callsite(
            named(f"layers.{layer}.barrier"), in_file("generate.py", 90 + layer, 5)))
    if SMALL:
        function.finish(t.rms_norm(x, norm))
        return
    writer.scope = "head"
    x = route(t, t.rms_norm(x, norm), router)
    function.finish(sample(t, x, head), x)


def write_vision(writer):
    """A stem of convolutions beside the decoder: nothing of it is known to us."""
    image = tensor(1, 224, 224, 3)
    function = Function(writer, "vision_stem", [
        argument(image, "input", named("pixels")),
        argument(tensor(64, 3, 7, 7), "parameter", in_file("vision.py", 12, 3),
                 ttir__conv2d_weight=None),
        argument(tensor(64), "parameter", named("scale")),
    ], [(tensor(1, 224, 224, 64), None)], private=True)
    writer.scope = "stem"
    pixels, kernel, scale = function.arguments
    t = Ops(function)
    x = function.op("ttir.conv2d", [pixels, kernel], tensor(1, 112, 112, 64), {
        "batch_dim": "0 : i64", "channel_dim": "3 : i64", "dilation": i32_array([1, 1]),
        "groups": "1 : i32", "height_dim": "1 : i64", "padding": i32_array([3, 3, 3, 3]),
        "stride": i32_array([2, 2]), "width_dim": "2 : i64"})
    gain = t.broadcast(t.reshape(scale, 1, 1, 1, 64), 1, 112, 112, 1)
    x = t.unary("relu", t.binary("multiply", x, gain))
    x = function.op("ttir.max_pool2d", [x], tensor(1, 56, 56, 64), {
        "ceil_mode": "false", "dilation": i32_array([1, 1]), "kernel": i32_array([3, 3]),
        "padding": i32_array([1, 1, 1, 1]), "stride": i32_array([2, 2])})
    x = function.op("ttir.upsample2d", [x], tensor(1, 224, 224, 64),
                    {"mode": '"nearest"', "scale_factor": "4 : si32"})
    x = function.op("ttir.layer_norm", [x, scale], x.type, {
        "epsilon": "9.99999974E-6 : f32", "normalized_shape": i64_array([64]),
        "operandSegmentSizes": i32_array([1, 1, 0])})
    x = t.unary("gelu", t.unary("tanh", t.unary("sqrt", t.unary("reciprocal", x))))
    for name in ("erf", "floor", "ceil", "sign", "cbrt", "log1p", "expm1", "atan", "tan",
                 "relu6", "hardsigmoid", "mish", "bitwise_not"):
        x = t.unary(name, x)
    x = t.unary("leaky_relu", x, parameter="1.000000e-01 : f32")
    for name in ("ne", "logical_and", "logical_or", "logical_xor", "remainder", "atan2",
                 "bitwise_xor", "logical_right_shift"):
        x = t.binary(name, x, x)
    for name in ("prod", "reduce_and"):
        x = t.binary("add", x, t.broadcast(t.reduce(name, x, 3), 1, 1, 1, 64))
    x = t.unary("reverse", x, dimensions=i64_array([1, 2]))
    x = function.op("ttir.pad", [x], tensor(1, 256, 256, 64), {
        "padding": i32_array([0, 0, 16, 16, 16, 16, 0, 0]), "value": "0.000000e+00 : f32"})
    x = t.slice(x, [0, 16, 16, 0], [1, 240, 240, 64])
    x = function.op("ttir.transpose", [x], x.type, {"dim0": "1 : si32", "dim1": "2 : si32"})
    quantised = "tensor<1x224x224x64x!quant.uniform<i8:f32, 1.250000e-01>>"
    y = function.op("ttir.quantize", [x], quantised)
    x = function.op("ttir.dequantize", [y], x.type)
    handle = function.op("ttir.record_event", [x], "!ttcore.event<queue = 1, [0x1, 2x4], \"stem\">",
                         {"scope": "#ttcore.event_scope<device, {wait = [0, 1], note = \"a > b, #c\"}>"})
    x = function.op("ttir.wait_event", [x, handle], x.type)
    function.finish(x)


def write_constants(writer):
    type = tensor(DIM // 2, element="f32")
    function = Function(writer, "main_const_eval_0", [argument(type, "constant", named("inv_freq"))],
                        [(type, None)], {"tt.function_type": '"const_eval"'}, private=True)
    writer.scope = "const_eval"
    t = Ops(function)
    x, = function.arguments
    if not SMALL:
        x = function.op("ttir.mesh_shard", [x], type, {
            "shard_dims": i64_array([-1]),
            "shard_direction": "#ttcore.shard_direction<full_to_shard>",
            "shard_shape": i64_array([1]), "shard_type": "#ttcore.shard_type<replicate>"})
    function.finish(t.unary("log", t.unary("exp", x)))


def write_host(writer):
    type = tensor(1, 1, element="i32")
    function = Function(writer, "hoisted_decode", [(type, None, named("token"))], [(type, None)],
                        {"arg_ranks": "[2]"})
    writer.scope = "host"
    t = Ops(function)
    token, = function.arguments
    mask = function.op("ttir.constant", [], type, {"value": "dense<131071> : tensor<1x1xi32>"})
    function.finish(t.binary("minimum", t.binary("bitwise_and", token, mask), mask))


DEVICE = (
    "ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, "
    "virt_to_physical_map = (d0, d1) -> (0, d0, d1), "
    "physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, "
    "l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), "
    "dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, "
    "(((d0 * s1) * s2 + d1 * s2 + d2) floordiv s4) mod 12, ((d0 * s1) * s2 + d1 * s2 + d2) mod s4 + s5), "
    "meshShape = 1x8, chipIds = [0, 1, 2, 3, 4, 5, 6, 7], meshTopology = [linear, ring]>"
)
SYSTEM = (
    '#ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], '
    "[{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, "
    "num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, "
    "supported_data_types = [<f32>, <f16>, <bf16>, <bfp_bf8>], num_cbs = 32}], "
    "[0, 0, 0, 0, 0, 0, 0, 0], [1 : i32], [ 0x0x0x0]>"
)


def write_small():
    """The constants and the layers, without what only a host or no one can run."""
    writer = Writer()
    writer.open('module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = '
                f"1x{DEVICES}>]>}} {{", named("small"))
    write_main(writer)
    write_constants(writer)
    writer.close()
    sys.stdout.write(writer.text())


def main():
    if SMALL:
        write_small()
        return
    writer = Writer()
    writer.line(f"#system_desc = {SYSTEM}")
    meshes = '#ttcore.meshes<[<"mesh" = 1x8>]>'
    writer.open("module @LlamaForCausalLM attributes {mhlo.num_partitions = 8 : i32, "
                f"ttcore.meshes = {meshes}}} {{", named("LlamaForCausalLM"))
    writer.open("ttcore.device_module {", named("device"))
    writer.open(f"builtin.module @LlamaForCausalLM attributes {{ttcore.meshes = {meshes}, "
                "ttcore.system_desc = #system_desc} {", named("device_program"))
    writer.line(DEVICE, UNKNOWN)
    write_constants(writer)
    write_vision(writer)
    write_main(writer)
    writer.close()
    writer.close()
    writer.open("ttcore.cpu_module {", named("host"))
    writer.open("builtin.module {", named("host_program"))
    write_host(writer)
    writer.close()
    writer.close()
    writer.close()
    sys.stdout.write(HEADER + writer.text())


if __name__ == "__main__":
    main()
