#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a module with whole decoder layers, so that a test is one line.

The fields of `Decoder` are the words of a case. What surrounds the attention is
spelled in the ways that models have it: norms as ops or in pieces, projections
as three kinds of product, apart or fused, rotary embedding as an op or in
pieces. Run as a program, it prints the module of the case on its command line.
"""

import dataclasses
import sys

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
import attention  # noqa: E402


@dataclasses.dataclass
class Decoder:
    mesh: str = "1x4"
    axis: int = 1
    heads_axis: int = -1
    batch: int = 1
    heads: int = 4
    kv_heads: int = 0  # 0: as many as heads
    tokens: int = 128
    dim: int = 16
    hidden: int = 48
    ffn: int = 80  # 0: no feed-forward network
    layers: int = 1
    causal: bool = False
    dtype: str = "f32"
    # rms, layer; hand: rms in pieces; zero: the same without an epsilon, which
    # makes NaN of a row of zeros
    norm: str = "rms"
    product: str = "matmul"  # transposed, linear (with a bias), dot
    qkv: str = "apart"  # fused: one product, cut into three; groups: the same by key head
    rotary: str = ""  # op, hand: with tables; made: tables made of positions
    ids: int = 0  # so many words: tokens are looked up by their numbers
    flat: bool = False  # the batch of one is no dimension outside attention
    words: int = 0  # so many scores for each token are the result, in f32
    pooled: bool = False  # the mean of all tokens is a second result

    def check(self):
        if self.flat and self.batch != 1:
            raise ValueError("flat expects batch=1")


class Body:
    """The ops of one function, in order."""

    def __init__(self, case):
        self.case, self.lines, self.arguments = case, [], []
        self.count = 0

    def tensor(self, shape, element=None):
        return f"tensor<{'x'.join(map(str, shape))}x{element or self.case.dtype}>"

    def argument(self, *shape, element=None):
        name = f"%arg{len(self.arguments)}"
        self.arguments.append((name, self.tensor(shape, element)))
        return name, list(shape), element or self.case.dtype

    def op(self, name, operands, shape, properties="", element=None, attributes=""):
        self.count += 1
        result = f"%{self.count}"
        element = element or self.case.dtype
        types = ", ".join(self.tensor(s, e) for _, s, e in operands)
        names = ", ".join(n for n, _, _ in operands)
        properties = f" <{{{properties}}}>" if properties else ""
        self.lines.append(f'    {result} = "ttir.{name}"({names}){properties}{attributes}'
                          f" : ({types}) -> {self.tensor(shape, element)}")
        return result, list(shape), element

    def reshape(self, x, *shape):
        text = ", ".join(f"{size} : i32" for size in shape)
        return self.op("reshape", [x], shape, f"shape = [{text}]", x[2])

    def permute(self, x, *order):
        text = ", ".join(map(str, order))
        return self.op("permute", [x], [x[1][i] for i in order],
                       f"permutation = array<i64: {text}>", x[2])

    def slice(self, x, dim, begin, end):
        begins, ends = [0] * len(x[1]), list(x[1])
        begins[dim], ends[dim] = begin, end
        text = ["[" + ", ".join(f"{n} : i32" for n in numbers) + "]"
                for numbers in (begins, ends, [1] * len(ends))]
        return self.op("slice_static", [x], [e - b for b, e in zip(begins, ends)],
                       f"begins = {text[0]}, ends = {text[1]}, step = {text[2]}", x[2])

    def concat(self, parts, dim):
        shape = list(parts[0][1])
        shape[dim] = sum(part[1][dim] for part in parts)
        return self.op("concat", parts, shape, f"dim = {dim} : si32", parts[0][2])

    def full(self, value, *shape, element=None):
        text = ", ".join(map(str, shape))
        return self.op("full", [], shape, f"fill_value = {value:e} : f32, "
                       f"shape = array<i32: {text}>", element)

    def binary(self, name, a, b):
        shape = a[1] if len(a[1]) >= len(b[1]) else b[1]
        return self.op(name, [a, b], shape, element=a[2])

    def unary(self, name, a):
        return self.op(name, [a], a[1], element=a[2])

    def product(self, x, columns):
        """x times weights, in the way that the case says."""
        inner, shape = x[1][-1], x[1][:-1] + [columns]
        kind = self.case.product
        if kind == "dot":
            weight = self.argument(inner, columns)
            return self.op("dot_general", [x, weight], shape,
                           "batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, "
                           f"contract_dims_lhs = array<i64: {len(shape) - 1}>, "
                           "contract_dims_rhs = array<i64: 0>")
        turned = kind == "transposed"
        weight = self.argument(*((columns, inner) if turned else (inner, columns)))
        operands = [x, weight]
        if kind == "linear":
            operands.append(self.argument(columns))
        return self.op("linear" if kind == "linear" else "matmul", operands, shape,
                       f"transpose_a = false, transpose_b = {str(turned).lower()}")

    def norm(self, x):
        """Small on purpose: behind random weights of variance 1, scores of larger
        numbers would let rounding decide which key wins."""
        width, kind = x[1][-1], self.case.norm
        gain = self.full(0.125, width)
        if kind in ("rms", "layer"):
            return self.op(f"{kind}_norm", [x, gain], x[1],
                           f"epsilon = 1.0e-05 : f32, normalized_shape = array<i64: {width}>, "
                           "operandSegmentSizes = array<i32: 1, 1, 0>")
        square = self.binary("pow", x, self.full(2.0, *x[1]))
        mean = self.op("mean", [square], x[1][:-1] + [1],
                       f"dim_arg = [{len(x[1]) - 1} : i32], keep_dim = true")
        if kind == "hand":
            mean = self.binary("add", mean, self.full(0.01, *mean[1]))
        scale = self.unary("rsqrt", mean)
        times = ", ".join(["1"] * (len(x[1]) - 1) + [str(width)])
        scale = self.op("broadcast", [scale], x[1],
                        f"broadcast_dimensions = array<i64: {times}>")
        return self.binary("multiply", self.binary("multiply", x, scale), gain)

    def rotate(self, x, tables):
        if self.case.rotary == "op":
            return self.op("rotary_embedding", [x, *tables], x[1])
        dim = self.case.dim
        turned = self.concat([self.unary("neg", self.slice(x, 3, dim // 2, dim)),
                              self.slice(x, 3, 0, dim // 2)], 3)
        times = f"broadcast_dimensions = array<i64: {x[1][0]}, {x[1][1]}, 1, 1>"
        cos, sin = (self.op("broadcast", [table], x[1], times) for table in tables)
        return self.binary("add", self.binary("multiply", x, cos),
                           self.binary("multiply", turned, sin))

    def tables(self):
        case = self.case
        if case.rotary != "made":
            return [self.argument(1, 1, case.tokens, case.dim) for _ in range(2)]
        places = self.op("arange", [], [case.tokens], "arange_dimension = 0 : i64, "
                         f"end = {case.tokens} : si64, start = 0 : si64, step = 1 : si64", "f32")
        # Far around the circle, the rounding of an angle would be what is checked.
        places = self.reshape(places, case.tokens, 1)
        places = self.binary("multiply", places, self.full(1 / 64, case.tokens, 1, element="f32"))
        angles = self.op("matmul", [places, self.argument(1, case.dim // 2, element="f32")],
                         [case.tokens, case.dim // 2],
                         "transpose_a = false, transpose_b = false", "f32")
        angles = self.reshape(self.concat([angles, angles], 1), 1, 1, case.tokens, case.dim)
        return [self.op("typecast", [self.unary(name, angles)], angles[1],
                        "conservative_folding = false") for name in ("cos", "sin")]


def layer(body, x, tables):
    case = body.case
    keys = case.kv_heads or case.heads
    widths = [case.heads * case.dim, keys * case.dim, keys * case.dim]
    h = body.norm(x)
    if case.qkv == "fused":
        fused = body.product(h, sum(widths))
        last = len(fused[1]) - 1
        parts = [body.slice(fused, last, sum(widths[:i]), sum(widths[:i + 1]))
                 for i in range(3)]
    elif case.qkv == "groups":
        share = case.heads // keys
        fused = body.product(h, sum(widths))
        fused = body.reshape(fused, *x[1][:-1], keys, share + 2, case.dim)
        dim = len(fused[1]) - 2
        parts = [body.slice(fused, dim, begin, end)
                 for begin, end in ((0, share), (share, share + 1), (share + 1, share + 2))]
    else:
        parts = [body.product(h, width) for width in widths]
    heads = [body.permute(body.reshape(part, case.batch, case.tokens, n, case.dim), 0, 2, 1, 3)
             for part, n in zip(parts, (case.heads, keys, keys))]
    if case.rotary:
        heads = [body.rotate(head, tables) for head in heads[:2]] + heads[2:]
    axes = f"sequence = {case.axis}"
    if case.heads_axis >= 0:
        axes += f", heads = {case.heads_axis}"
    out = body.op("scaled_dot_product_attention", heads, heads[0][1],
                  f"is_causal = {str(case.causal).lower()}, "
                  "operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>",
                  attributes=f" {{ring.parallel = #ring.parallel<{axes}>}}")
    rows = body.reshape(body.permute(out, 0, 2, 1, 3), *x[1][:-1], widths[0])
    x = body.binary("add", x, body.product(rows, case.hidden))
    if not case.ffn:
        return x
    h = body.norm(x)
    wide = body.binary("multiply", body.unary("silu", body.product(h, case.ffn)),
                       body.product(h, case.ffn))
    return body.binary("add", x, body.product(wide, case.hidden))


def module(case):
    case.check()
    body = Body(case)
    rows = [case.tokens] if case.flat else [case.batch, case.tokens]
    if case.ids:
        x = body.op("embedding", [body.argument(*rows, element="i32"),
                                  body.argument(case.ids, case.hidden)], rows + [case.hidden])
    else:
        x = body.argument(*rows, case.hidden)
    tables = body.tables() if case.rotary else None
    for _ in range(case.layers):
        x = layer(body, x, tables)
    results = [body.norm(x)]
    if case.words:
        scores = body.product(results[0], case.words)
        results = [body.op("typecast", [scores], scores[1], "conservative_folding = false", "f32")]
    if case.pooled:
        dim = len(rows) - 1
        shape = x[1][:dim] + [1] + x[1][dim + 1:]
        results.append(body.op("mean", [x], shape, f"dim_arg = [{dim} : i32], keep_dim = true"))
    arguments = ", ".join(f"{name}: {type}" for name, type in body.arguments)
    types = ", ".join(body.tensor(shape, element) for _, shape, element in results)
    names = ", ".join(name for name, _, _ in results)
    lines = "\n".join(body.lines)
    return f"""module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = {case.mesh}>]>}} {{
  func.func @decoder({arguments}) -> ({types}) {{
{lines}
    return {names} : {types}
  }}
}}
"""


if __name__ == "__main__":
    print(module(attention.parse(sys.argv[1:], Decoder)), end="")
