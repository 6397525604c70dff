#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a module with one attention, so that a test is one line.

A case is words such as

    mesh=1x4 axis=1 heads=4 kv_heads=2 queries=100 causal dtype=bf16

and the fields of `Attention` are the words that it may have. Run as a program,
it prints the module of the case on its command line. The forms are

    annotated  TTIR on whole tensors, with ring.parallel (pattern P4)
    ring       ring.attention; needed for joint tokens, length, lse, value_dim
               a window that also looks ahead, a mask beside a pattern, caches
               and documents (caches.py has their words)
    p1         a device's function: query, key and value are gathered
    p2         a device's function: rows are traded for heads and back
    p3         a device's function: key and value are gathered
               (p1 and p3 have words of their own, in gathered.py)
    spelled    two products and a softmax on whole tensors, the function with
               ring.parallel; any mask beside a triangle, a sink, value_dim
    composite  joint tokens as TTIR has them: a composite with its decomposition
    packed     documents as TTIR has them: a composite with its decomposition
    composite1 the same in a device's function that gathers q, k and v, and the
               joint tokens too if they are dealt out
    mla        a latent attention as TTIR has it: a composite of its own
    mla1, mla3 the same in a device's function that gathers keys, and queries too
"""

import dataclasses
import math
import sys

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
import caches  # noqa: E402
import gathered  # noqa: E402
import latent  # noqa: E402
import written_masks  # noqa: E402

RING_ONLY = ("joint", "length", "lse", "value_dim", "after", "page", "cached",
             "ends", "dilated", "documents", "latent")


@dataclasses.dataclass
class Sets:
    """Patterns that are sets of rows, of which each attends to itself."""

    # The ends of packed documents, 512+2048+4096; `causal` makes it so within
    # them.
    documents: str = ""
    # How TTIR has them as a mask: dense, compared or blocks.
    written: str = ""
    # Pairs of a segment and a rate, 2048:1+4096:2, with the words below them;
    # `causal` makes it so within segments.
    dilated: str = ""
    segmentation: str = "tiled"
    chunks: int = 1
    phase: str = "group"
    mix: str = "head_partition"
    extra: str = "first"
    norm: str = ""  # empty: groups with a partition of the heads, else none
    shorter: str = "error"
    order: str = "identity"


@dataclasses.dataclass
class Attention(gathered.Gathered, caches.Cached, Sets):
    mesh: str = "1x4"
    axis: int = 1
    heads_axis: int = -1
    outer: int = -1  # the slow axis of a sequence on two
    batch: int = 1
    heads: int = 2
    kv_heads: int = 0  # 0: as many as heads
    queries: int = 128
    keys: int = 0  # 0: as many as queries
    dim: int = 32
    value_dim: int = 0  # 0: as dim
    latent: bool = False  # values are the first value_dim columns of the keys
    causal: bool = False
    window: int = 0  # keys that a query sees up to itself, 0: all
    after: int = 0  # keys that it sees behind itself
    scale: float = 0.0  # 0: 1 / sqrt(dim)
    # Four letters, 1 or the size of a dimension: bhqk, 11qk, 111k, ... With a
    # leading minus a constant that only drops keys, some rows all of them.
    mask: str = ""
    sink: bool = False
    joint: int = 0
    joint_sharded: bool = False  # dealt to the devices as the sequence is
    joint_length: int = 0  # joint keys from here on are padding, 0: none
    length: int = 0
    lse: bool = False
    dtype: str = "f32"
    form: str = ""  # empty: annotated, or ring where that is needed
    layers: int = 1  # each attends with the sum of its query and the last output

    def __post_init__(self):
        self.kv_heads = self.kv_heads or self.heads
        self.keys = self.keys or self.queries
        # TTIR has no mask beside a pattern.
        masked_pattern = self.mask and (self.causal or self.window)
        needs_ring = masked_pattern or any(
            getattr(self, name) for name in RING_ONLY
            if not (self.written and name == "documents"))
        if not self.form:
            self.form = "ring" if needs_ring else "annotated"
        elif self.form == "packed":
            if not self.documents:
                raise ValueError("form packed is for documents")
        elif self.form.startswith("composite"):
            if not self.joint:
                raise ValueError("a composite is for joint tokens")
        elif self.form == "spelled" or self.form.startswith("mla"):
            others = [name for name in (*RING_ONLY, "window")
                      if name not in ("value_dim", "latent")]
            if any(getattr(self, name) for name in others):
                raise ValueError(f"form {self.form} has none of {others}")
        elif self.form in ("p1", "p3", "annotated") and self.length:
            self.check_length()
        elif needs_ring and self.form != "ring":
            raise ValueError(f"form {self.form} has none of {RING_ONLY} and no "
                             "mask beside a pattern")
        if self.layers > 1 and (self.form == "ring" or self.whole):
            raise ValueError("layers are for TTIR that is not whole")
        self.value_dim = self.value_dim or self.dim
        self.check_gathered()

    @property
    def shape(self):
        """The mesh, one number per axis."""
        return [int(size) for size in self.mesh.split("x")]

    @property
    def ranks(self):
        """Devices on the axis of the sequence."""
        return self.shape[self.axis]


def parse(words, kind=Attention):
    """The `kind` that `key=value` words, and flags, describe."""
    fields = {field.name: field.type for field in dataclasses.fields(kind)}
    values = {}
    for word in words:
        name, _, value = word.partition("=")
        if name not in fields:
            raise ValueError(f"unknown word '{word}'")
        read = fields[name]
        values[name] = True if read is bool else read(value)
    return kind(**values)


# Names of dtype for what is no builtin type of MLIR.
BLOCK_FORMATS = {"bfp8": "!ttcore.tile<32x32, bfp_bf8>",
                 "bfp4": "!ttcore.tile<32x32, bfp_bf4>"}


def tensor(shape, dtype):
    element = BLOCK_FORMATS.get(dtype, dtype)
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


class Writer:
    """The body of one function, op by op."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.arguments, self.lines = [], []

    def argument(self, name, shape, dtype=None):
        self.arguments.append(f"%{name}: {tensor(shape, dtype or self.dtype)}")
        return f"%{name}", shape

    def type(self, shape):
        return tensor(shape, self.dtype)

    def op(self, name, operands, properties, shape, attributes="", given=None,
           dtype=None):
        """Adds a generic op with one result, of the type `dtype`; its operands
        are of the type `given`."""
        result = f"%{len(self.lines)}"
        given, dtype = given or self.dtype, dtype or self.dtype
        types = ", ".join(tensor(shape, given) for _, shape in operands)
        names = ", ".join(name for name, _ in operands)
        properties = properties and f" <{{{properties}}}>"
        self.lines.append(
            f'{result} = "ttir.{name}"({names}){properties}{attributes} '
            f": ({types}) -> {tensor(shape, dtype)}"
        )
        return result, shape

    def typed(self, name, operands, properties, result):
        """An op whose operands are names with types, as its result is."""
        properties = properties and f" <{{{properties}}}>"
        self.lines.append(
            f'%{len(self.lines)} = "ttir.{name}"({", ".join(o for o, _ in operands)})'
            f"{properties} : ({', '.join(t for _, t in operands)}) -> {result}")
        return f"%{len(self.lines) - 1}", result

    def constant(self, entries, shape):
        return self.op("constant", [], f"value = dense<{entries}> : {self.type(shape)}",
                       shape)

    def full(self, shape, number):
        return self.op("full", [], f"fill_value = {number:e} : f32, shape = "
                       f"array<i32: {', '.join(map(str, shape))}>", shape)

    def reshape(self, value, shape):
        return self.op("reshape", [value], "shape = ["
                       + ", ".join(f"{size} : i32" for size in shape) + "]", shape)

    def permute(self, value, order):
        return self.op("permute", [value], "permutation = array<i64: "
                       f"{', '.join(map(str, order))}>",
                       [value[1][dim] for dim in order])

    def slice(self, value, begins, ends):
        text = ["[" + ", ".join(f"{x} : i32" for x in row) + "]"
                for row in (begins, ends, [1] * len(begins))]
        return self.op("slice_static", [value], f"begins = {text[0]}, ends = "
                       f"{text[1]}, step = {text[2]}",
                       [end - begin for begin, end in zip(begins, ends)])


def mask_shape(case):
    sizes = {"b": case.batch, "h": case.heads, "q": case.queries,
             "k": case.seen_keys}
    return [sizes.get(letter, 1) for letter in case.mask.lstrip("-")]


def dropping_mask(writer, shape):
    """A constant of 0 and -inf: key k is dropped for query q where (5 q + k)
    mod 7 is below 2, and every eleventh row drops all keys."""
    infinity = "0xFF80" if writer.dtype == "bf16" else "0xFF800000"

    def row(index):
        return [
            infinity if index % 11 == 10 or (5 * index + key) % 7 < 2 else "0.0"
            for key in range(shape[3])
        ]

    def nest(dims, prefix):
        if len(dims) == 1:
            return "[" + ", ".join(row(sum(prefix))) + "]"
        inner = [nest(dims[1:], prefix + [index]) for index in range(dims[0])]
        return "[" + ", ".join(inner) + "]"

    return writer.constant(nest(shape, []), shape)


def sdpa(case, writer, query, key, value, mask, sink, attributes=""):
    """A TTIR attention; its result has the shape of the query."""
    operands = [query, key, value] + [x for x in (mask, sink) if x]
    properties = [
        f"is_causal = {str(not mask and (case.causal or case.window > 0)).lower()}",
        f"operandSegmentSizes = array<i32: 1, 1, 1, {int(bool(mask))}, "
        f"{int(bool(sink))}>",
    ]
    if case.scale:
        properties.append(f"scale = {case.scale:e} : f32")
    if case.window:
        properties.append(f"sliding_window_size = {case.window} : ui32")
    return writer.op("scaled_dot_product_attention", operands,
                     ", ".join(properties), query[1], attributes)


def spelled(case, writer, query, key, value, mask, sink):
    """The same in ops that know nothing of attention."""
    if case.kv_heads < case.heads:
        repeats = f"dim = 1 : si32, repeats = {case.heads // case.kv_heads} : ui32"
        key, value = (writer.op("repeat_interleave", [x], repeats,
                                [case.batch, case.heads, *x[1][2:]])
                      for x in (key, value))
    queries, keys = query[1][2], key[1][2]
    shape = [case.batch, case.heads, queries, keys]
    scores = writer.op("matmul", [query, key], "transpose_b = true", shape)
    scale = writer.full([1, 1, 1, 1], case.scale or 1 / math.sqrt(case.dim))
    scores = writer.op("multiply", [scores, scale], "", shape)
    if mask:
        scores = writer.op("add", [scores, mask], "", shape)
    if case.causal and case.form != "p3":
        places = f"1x1x{queries}x{keys}x"
        row, column = (writer.typed("arange", [], f"arange_dimension = {dim} : i64, start = 0 "
                            f": si64, end = {shape[dim]} : si64, step = 1 : si64",
                            f"tensor<{places}i32>") for dim in (2, 3))
        seen = writer.typed("ge", [row, column], "", f"tensor<{places}i1>")
        low, whole = writer.full([1, 1, 1, 1], -1e9), tensor(shape, case.dtype)
        scores = writer.typed("where", [seen, (scores[0], whole),
                                 (low[0], tensor([1, 1, 1, 1], case.dtype))], "",
                       whole)[0], shape
    wide = [*shape[:3], keys + bool(sink)]
    if sink:
        column = writer.op("broadcast", [sink], "broadcast_dimensions = array<i64: "
                           f"{case.batch}, 1, {queries}, 1>", [*shape[:3], 1])
        scores = writer.op("concat", [scores, column], "dim = 3 : si32", wide)
    weights = writer.op("softmax", [scores], "dimension = -1 : si32", wide)
    if sink:
        weights = writer.slice(weights, [0] * 4, shape)
    return writer.op("matmul", [weights, value], "",
                     [case.batch, case.heads, queries, case.value_dim])


def dilated(case):
    """The attribute of a dilated pattern."""
    pairs = [pair.split(":") for pair in case.dilated.split("+")]
    norm = case.norm or ("groups" if case.mix == "head_partition" else "none")
    return (f"#ring.dilated<segments = [{', '.join(s for s, _ in pairs)}], "
            f"rates = [{', '.join(r for _, r in pairs)}], "
            f"segmentation = {case.segmentation}, chunks = {case.chunks}, "
            f"phase = {case.phase}, mix = {case.mix}, extra = {case.extra}, "
            f"norm = {norm}, shorter = {case.shorter}, order = {case.order}, "
            f"causal = {str(case.causal).lower()}>")


def pattern(case):
    """The pattern of documents, segments, a window or a triangle; nothing
    without."""
    if case.documents:
        return (f"#ring.documents<ends = [{case.documents.replace('+', ', ')}], "
                f"causal = {str(case.causal).lower()}>")
    if case.dilated:
        return dilated(case)
    if case.window or case.after:
        return (f"#ring.window<before = {max(case.window - 1, 0)}, "
                f"after = {case.after}>")
    return "#ring.causal" if case.causal else ""


def ring_words(case, shape):
    """Pattern, scale, lengths and axes, as both ring.attention and its gradients
    have them."""
    text = f" pattern({shape})" if shape else ""
    if case.scale:
        text += f" scale({case.scale:e})"
    if case.length:
        text += f" length({case.length})"
    # Gradients have no joint tokens.
    if getattr(case, "joint_length", 0):
        text += f" joint_length({case.joint_length})"
    return text + " parallel(" + parallel(case) + ")"


def ring_attention(case, writer, query, key, value, mask, sink):
    """A ring.attention; returns the types of its results."""
    dtype, text = case.dtype, f"ring.attention {query[0]}, {key[0]}, {value[0]}"
    output = tensor(query[1][:3] + [case.value_dim], dtype)
    results = [output]
    names = "%out"
    types = ", ".join(tensor(x[1], dtype) for x in (query, key, value))
    arrow = f"-> {output}"
    if case.joint:
        def more(name, like):
            shape = like[1][:2] + [case.joint] + like[1][3:]
            return writer.argument(name, shape)

        joint = [more("jq", query), more("jk", key), more("jv", value)]
        text += " joint(" + ", ".join(name for name, _ in joint) + " : "
        text += ", ".join(tensor(shape, dtype) for _, shape in joint) + ")"
        results.append(tensor(joint[0][1][:3] + [case.value_dim], dtype))
        names += ", %joint"
        arrow += f" joint({results[-1]})"
    if mask:
        text += f" mask({mask[0]} : {tensor(mask[1], dtype)})"
    if sink:
        text += f" sink({sink[0]} : {tensor(sink[1], dtype)})"
    text += caches.clauses(case, writer)
    text += ring_words(case, pattern(case))
    if case.lse:
        shape = query[1][:2] + [case.queries + case.joint, 1]
        results.append(tensor(shape, "f32"))
        names += ", %lse"
        arrow += f" lse({results[-1]})"
    writer.lines.append(f"{names} = {text} : {types} {arrow}")
    return names, results


def stack(case, writer, query, attend):
    """Layers of attentions, each with a residual between it and the next."""
    output = attend(query)
    for _ in range(case.layers - 1):
        query = writer.op("add", [query, output], "", query[1])
        output = attend(query)
    return output


def parallel(case):
    heads = f", heads = {case.heads_axis}" if case.heads_axis >= 0 else ""
    if getattr(case, "outer", -1) >= 0:
        heads = f", outer = {case.outer}" + heads
    joint = ", joint = sharded" if getattr(case, "joint_sharded", False) else ""
    block = f", cache_block = {case.block}" if getattr(case, "block", 0) else ""
    return f"<sequence = {case.axis}{heads}{joint}{block}>"


def device_function(case, writer):
    """The body of patterns P1 to P3, on this device's shards."""
    def attend(*operands):
        write = spelled if case.products else sdpa
        return write(case, writer, *operands)

    def layers(query, attend):
        return stack(case, writer, query, attend)

    shape = mask_shape(case) if case.mask else []
    if case.form == "p2":
        return gathered.head_trade(case, writer, attend, dropping_mask, shape, layers)
    sink = None
    if case.sink:
        logits = ", ".join(f"[[{1.5 - head}]]" for head in range(case.heads))
        sink = writer.constant(f"[[{logits}]]", [1, case.heads, 1, 1])
    return gathered.DeviceFunction(case, writer, attend).write(
        dropping_mask, shape, sink, layers)


def composite_module(case):
    """A joint attention as a composite, and the function that it stands for."""
    local = case.form == "composite1"
    writer = Writer(case.dtype)
    rows = {"q": case.queries, "k": case.keys, "v": case.keys}
    inputs = []
    for name in ("q", "k", "v", "jq", "jk", "jv"):
        heads = case.heads if name[-1] == "q" else case.kv_heads
        whole = [case.batch, heads, rows.get(name, case.joint), case.dim]
        split = local and (name in rows or case.joint_sharded)
        shape = list(whole)
        shape[2] //= case.ranks if split else 1
        value = writer.argument(name, shape)
        if split:
            value = writer.op("all_gather", [value], "all_gather_dim = 2 : si32, "
                              f"cluster_axis = {case.axis} : ui32", whole)
        elif local:
            # The same on every device.
            value = writer.op("constant", [], "value = dense<0.5> : "
                              + tensor(whole, case.dtype), whole)
            writer.arguments.pop()
        # Padding is cut from keys, those of the sequence and joint ones.
        real = case.joint_length if name.startswith("j") else case.length
        if real and name[-1] != "q":
            value = gathered.cut_rows(writer, value, 2, real)
        inputs.append(value)
    types = [tensor(shape, case.dtype) for _, shape in inputs]
    results = [types[0], types[3]]
    body = Writer(case.dtype)
    pieces = [body.argument(f"a{i}", value[1]) for i, value in enumerate(inputs)]
    whole = []
    for first, second in zip(pieces[:3], pieces[3:]):
        shape = list(first[1])
        shape[2] += second[1][2]
        whole.append(body.op("concat", [first, second], "dim = 2 : si32", shape))
    out = sdpa(case, body, *whole, None, None)
    cuts = []
    for begin, end in ((0, case.queries), (case.queries, case.queries + case.joint)):
        shape = list(out[1])
        shape[2] = end - begin
        cuts.append(body.slice(out, [0, 0, begin, 0],
                               [*out[1][:2], end, out[1][3]])[0])
    scale = f"scale = {case.scale:e} : f32, " if case.scale else ""
    annotation = "" if local else f" {{ring.parallel = #ring.parallel{parallel(case)}}}"
    names = ", ".join(name for name, _ in inputs)
    writer.lines.append(
        f'%out:2 = "ttcore.composite"({names}) <{{composite_attributes = {{{scale}'
        f'joint_strategy = "rear"}}, composite_name = '
        f'"joint_scaled_dot_product_attention", decomposition = @joint}}>'
        f"{annotation} : ({', '.join(types)}) -> ({', '.join(results)})")
    returned = ["%out#0", "%out#1"]
    if local:
        for i, split in enumerate((True, case.joint_sharded)):
            if not split:
                continue
            shape = list(inputs[3 * i][1])
            whole_type = tensor(shape, case.dtype)
            shape[2] //= case.ranks
            results[i] = tensor(shape, case.dtype)
            writer.lines.append(
                f'%own{i} = "ttir.mesh_partition"({returned[i]}) <{{cluster_axis = '
                f"{case.axis} : ui32, dim = 2 : si32}}> : ({whole_type}) -> "
                f"{results[i]}")
            returned[i] = f"%own{i}"

    return (f'module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = '
            f"{case.mesh}>]>}} {{\n"
            + latent.function("@attention", writer, returned, results)
            + latent.function("private @joint", body, cuts, [types[0], types[3]]) + "}\n")


def packed_module(case):
    """Packed documents as a composite; its decomposition attends to one after
    the other."""
    head = [case.batch, case.heads]
    shapes = [head + [case.queries, case.dim],
              [case.batch, case.kv_heads, case.queries, case.dim]]
    shapes.append(shapes[1])
    writer, body = Writer(case.dtype), Writer(case.dtype)
    inputs = [writer.argument(name, shape) for name, shape in zip("qkv", shapes)]
    whole = [body.argument(name, shape) for name, shape in zip("qkv", shapes)]
    starts = [0] + [int(end) for end in case.documents.split("+")]
    outputs = []
    for begin, end in zip(starts, starts[1:]):
        if begin < end:
            own = [body.slice(x, [0, 0, begin, 0], [*x[1][:2], end, x[1][3]])
                   for x in whole]
            outputs.append(sdpa(case, body, *own, None, None))
    if starts[-1] < case.queries:
        outputs.append(body.full(head + [case.queries - starts[-1], case.dim], 0))
    if len(outputs) > 1:
        outputs = [body.op("concat", outputs, "dim = 2 : si32", shapes[0])]
    types = [tensor(shape, case.dtype) for shape in shapes]
    scale = f", scale = {case.scale:e} : f32" if case.scale else ""
    writer.lines.append(
        '%out = "ttcore.composite"(%q, %k, %v) <{composite_attributes = {cu_seqlens = '
        f"array<i64: {', '.join(map(str, starts))}>, is_causal = "
        f'{str(case.causal).lower()}{scale}}}, composite_name = '
        '"packed_scaled_dot_product_attention", decomposition = @packed}> '
        f"{{ring.parallel = #ring.parallel{parallel(case)}}} : "
        f"({', '.join(types)}) -> {types[0]}")

    def function(head, writer, name):
        lines = "".join(f"    {line}\n" for line in writer.lines)
        return (f"  func.func {head}({', '.join(writer.arguments)}) -> {types[0]} "
                f"{{\n{lines}    return {name} : {types[0]}\n  }}\n")

    return (f'module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = '
            f"{case.mesh}>]>}} {{\n" + function("@attention", writer, "%out")
            + function("private @packed", body, outputs[0][0]) + "}\n")


def module(case):
    """The text of the module."""
    if case.form == "packed":
        return packed_module(case)
    if case.form.startswith("composite"):
        return composite_module(case)
    if case.form.startswith("mla"):
        return latent.module(case, Writer, spelled,
                             mask_shape(case) if case.mask else [], parallel(case))
    writer = Writer(case.dtype)
    if case.form in ("p1", "p2", "p3"):
        output = device_function(case, writer)
        names, results = output[0], [tensor(output[1], case.dtype)]
    else:
        head = [case.batch, case.heads]
        query = writer.argument("q", head + [case.queries, case.dim])
        head, rows = [case.batch, case.kv_heads], case.keys
        if case.page:
            head, rows = [case.blocks(), case.kv_heads], case.page
        key = writer.argument("k", head + [rows, case.dim])
        if case.latent:
            value = latent.columns(writer, key, case.value_dim)
        else:
            value = writer.argument("v", head + [rows, case.value_dim])
        mask = sink = None
        if case.mask.startswith("-"):
            mask = dropping_mask(writer, mask_shape(case))
        elif case.mask:
            mask = writer.argument("m", mask_shape(case))
        if case.sink:
            sink = writer.argument("s", [1, case.heads, 1, 1])
        if case.written:
            mask = written_masks.WAYS[case.written](case, writer)
        if case.hidden:
            hiding = gathered.hiding_mask(case, writer)
            mask = writer.op("add", [mask, hiding], "", mask[1]) if mask else hiding
        if case.form == "annotated":
            key, value = (gathered.cut_rows(writer, x, 2, case.seen_keys)
                          for x in (key, value))
        if case.form == "ring":
            names, results = ring_attention(case, writer, query, key, value,
                                            mask, sink)
        elif case.form == "spelled":
            output = stack(case, writer, query, lambda query: spelled(
                case, writer, query, key, value, mask, sink))
            names, results = output[0], [tensor(output[1], case.dtype)]
        else:
            annotation = f" {{ring.parallel = #ring.parallel{parallel(case)}}}"
            output = stack(case, writer, query, lambda query: sdpa(
                case, writer, query, key, value, mask, sink, annotation))
            names, results = output[0], [tensor(output[1], case.dtype)]
    body = "".join(f"    {line}\n" for line in writer.lines)
    annotation = (f" attributes {{ring.parallel = #ring.parallel{parallel(case)}}}"
                  if case.form == "spelled" else "")
    return (
        f'module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = '
        f'{case.mesh}>]>}} {{\n'
        f"  func.func @attention({', '.join(writer.arguments)}) -> "
        f"({', '.join(results)}){annotation} {{\n{body}"
        f"    return {names} : {', '.join(results)}\n  }}\n}}\n"
    )


if __name__ == "__main__":
    try:
        print(module(parse(sys.argv[1:])), end="")
    except ValueError as problem:
        sys.exit(f"attention.py: {problem}")
