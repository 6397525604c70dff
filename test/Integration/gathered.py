#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bodies of functions that are one device's program: what attention.py calls
the forms p1, p2 and p3.

The tokens of a video model are padded to whole tiles on every device. Keys and
values are then cut to their real length behind the gather, with transposes,
reshapes and casts on either side of it: `length` and the words of `Gathered`.
"""

import dataclasses
import itertools
import math

ROWS = 2


@dataclasses.dataclass
class Gathered:
    whole: bool = False  # p1: the function returns the whole result
    reshaped: bool = False  # p1, p3: gathered in 3-D, the batch added after
    # p1, p3: rows_first has [batch, rows, heads, dim], folded [batch * heads,
    # rows, dim], both until the attention itself
    arranged: str = ""
    cut: bool = False  # p1: queries are cut to the length too
    late: bool = False  # rows are cut last, not right behind the gather
    # constant, where: a mask hides the keys from the length on, nothing is cut
    hidden: str = ""
    packed: bool = False  # p1, p3: keys and values are gathered as one
    cast: bool = False  # p1, p3: gathered in bf16, attended to in another type
    products: bool = False  # p1, p3: spelled out as products and a softmax

    def check_length(self):
        """Whether keys can be cut, or hidden, before an attention of TTIR."""
        others = ("joint", "lse", "value_dim", "after", "page", "dilated")
        if any(getattr(self, name) for name in others):
            raise ValueError(f"form {self.form} has a length, but none of {others}")
        pattern = self.causal or self.window
        if pattern and (self.hidden or not self.cut) and self.form != "p3":
            raise ValueError("a pattern needs as many queries as keys: cut")
        if self.mask and not self.mask.startswith("-") and self.form != "p3":
            raise ValueError("a mask beside a length is a constant one")

    def check_gathered(self):
        own = [field.name for field in dataclasses.fields(Gathered)
               if getattr(self, field.name)]
        of_whole = {"hidden", "late"} if self.form == "annotated" else set()
        if self.form not in ("p1", "p2", "p3") and set(own) - of_whole:
            raise ValueError(f"form {self.form} has none of {own}")
        if self.reshaped and self.arranged:
            raise ValueError("expects reshaped or arranged, but got both")
        if self.cut and self.form != "p1":
            raise ValueError("queries are cut in p1 only")
        if self.form == "p3" and self.window:
            raise ValueError("p3 has no window: the op wants all queries for it")

    @property
    def seen_keys(self):
        """Keys that reach the attention."""
        is_cut = self.form in ("p1", "p3", "annotated") and not self.hidden
        return self.length if self.length and is_cut else self.keys


def replica_groups(case):
    """The lines of devices along the axis, in order of their ranks."""
    shape = case.shape
    strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
    others = [range(size) if i != case.axis else [0]
              for i, size in enumerate(shape)]
    return [
        [sum(c * s for c, s in zip(place, strides)) + rank * strides[case.axis]
         for rank in range(case.ranks)]
        for place in itertools.product(*others)
    ]


def cut_rows(writer, value, rows, count, features=None):
    """The first `count` rows, and of the last dimension a part."""
    shape = list(value[1])
    begins, ends = [0] * len(shape), list(shape)
    ends[rows] = count
    if features:
        begins[-1], ends[-1] = features
    if begins == [0] * len(shape) and ends == shape:
        return value
    return writer.slice(value, begins, ends)


def hiding_mask(case, writer):
    """A mask that hides the keys from the length on from all queries."""
    shape = [1, 1, 1, case.keys]
    infinity = "0xFF80" if writer.dtype == "bf16" else "0xFF800000"
    if case.hidden == "constant":
        entries = ", ".join("0.0" if key < case.length else infinity
                            for key in range(case.keys))
        return writer.constant(f"[[[[{entries}]]]]", shape)
    places = f"tensor<1x1x1x{case.keys}xi32>"
    keys = writer.typed("arange", [], "arange_dimension = 3 : i64, start = 0 : si64, "
                        f"end = {case.keys} : si64, step = 1 : si64", places)
    end = writer.typed("constant", [], f"value = dense<{case.length}> : "
                       "tensor<1x1x1x1xi32>", "tensor<1x1x1x1xi32>")
    real = writer.typed("lt", [keys, end], "", places.replace("i32", "i1"))
    kind = writer.type(shape)
    keep, drop = writer.full(shape, 0.0), writer.full(shape, -1e9)
    return writer.typed("where", [real, (keep[0], kind), (drop[0], kind)], "",
                        kind)[0], shape


def triangle(case, writer):
    """A causal mask of all queries, of as many keys as there are."""
    infinity = "0xFF80" if writer.dtype == "bf16" else "0xFF800000"
    rows = ["[" + ", ".join("0.0" if key <= query else infinity
                            for key in range(case.seen_keys)) + "]"
            for query in range(case.queries)]
    return writer.constant(f"[[[{', '.join(rows)}]]]",
                           [1, 1, case.queries, case.seen_keys])


class DeviceFunction:
    """Writes patterns P1 and P3, on this device's shards."""

    def __init__(self, case, writer, attend):
        self.case, self.writer, self.attend = case, writer, attend
        flat = case.arranged or case.reshaped
        self.rows = 1 if flat else ROWS
        self.given = "bf16" if case.cast else case.dtype

    def arranged(self, heads, rows, dim):
        case = self.case
        if case.arranged == "rows_first":
            return [case.batch, rows, heads, dim]
        if case.arranged == "folded":
            return [case.batch * heads, rows, dim]
        return [case.batch, heads, rows, dim]

    def argument(self, name, heads, rows, dim):
        """A shard, in the form that it is gathered in."""
        value = self.writer.argument(name, self.arranged(heads, rows, dim), self.given)
        if self.case.reshaped:
            value = self.writer.op(
                "reshape", [value], f"shape = [{self.case.batch * heads} : i32, "
                f"{rows} : i32, {dim} : i32]", [self.case.batch * heads, rows, dim],
                given=self.given, dtype=self.given)
        return value

    def gather(self, shard, rows):
        shape = list(shard[1])
        shape[rows] *= self.case.ranks
        return self.writer.op(
            "all_gather", [shard], f"all_gather_dim = {rows} : si32, cluster_axis = "
            f"{self.case.axis} : ui32", shape, given=self.given, dtype=self.given)

    def widen(self, value):
        if not self.case.cast:
            return value
        return self.writer.op("typecast", [value], "", value[1], given="bf16")

    def own_rows(self, whole, rows):
        shape = list(whole[1])
        shape[rows] //= self.case.ranks
        return self.writer.op("mesh_partition", [whole], f"cluster_axis = "
                              f"{self.case.axis} : ui32, dim = {rows} : si32", shape)

    def four(self, value, heads):
        """[batch, heads, rows, dim] of what arrived."""
        if self.rows == ROWS:
            return value
        if self.case.arranged == "rows_first":
            return self.writer.permute(value, [0, 2, 1, 3])
        return self.writer.reshape(value, [self.case.batch, heads, *value[1][1:]])

    def back(self, value):
        """The form of an argument again."""
        if self.case.arranged == "rows_first":
            return self.writer.permute(value, [0, 2, 1, 3])
        if self.case.arranged == "folded" or self.case.reshaped:
            return self.writer.reshape(value, [value[1][0] * value[1][1], *value[1][2:]])
        return value

    def formed(self, whole, heads, count, features=None):
        """Whole rows, cut, as the attention wants them."""
        if self.case.late:
            value = self.four(cut_rows(self.writer, self.widen(whole), self.rows,
                                       whole[1][self.rows], features), heads)
            return cut_rows(self.writer, value, ROWS, count)
        return self.four(cut_rows(self.writer, self.widen(whole), self.rows, count,
                                  features), heads)

    def keys_and_values(self):
        case = self.case
        rows = case.keys // case.ranks
        if case.packed:
            packed = self.gather(self.argument("kv", case.kv_heads, rows, 2 * case.dim),
                                 self.rows)
            return [self.formed(packed, case.kv_heads, case.seen_keys,
                                (i * case.dim, (i + 1) * case.dim)) for i in (0, 1)]
        shards = [self.argument(name, case.kv_heads, rows, case.dim) for name in "kv"]
        return [self.formed(self.gather(shard, self.rows), case.kv_heads,
                            case.seen_keys) for shard in shards]

    def mask(self, constant, shape):
        """The mask; what every device has must be the same on all: constant, or
        gathered."""
        case, writer = self.case, self.writer
        local = case.form == "p3"
        mask = None
        if case.mask.startswith("-"):
            if case.cut and shape[ROWS] > 1:
                shape[ROWS] = case.length
            mask = constant(writer, shape)
            if local and mask[1][ROWS] > 1:
                mask = self.own_rows(mask, ROWS)
        elif case.mask:
            split = ROWS if shape[ROWS] > 1 else 3
            if not local or split == ROWS:
                shape[split] //= case.ranks
            mask = writer.argument("m", shape)
            if not local:
                mask = writer.op("all_gather", [mask], f"all_gather_dim = {split} : "
                                 f"si32, cluster_axis = {case.axis} : ui32",
                                 [size * (case.ranks if dim == split else 1)
                                  for dim, size in enumerate(shape)])
        elif case.causal and local:
            mask = self.own_rows(triangle(case, writer), ROWS)
        if case.hidden:
            hiding = hiding_mask(case, writer)
            if mask:
                mask = writer.op("add", [mask, hiding], "", mask[1])
            else:
                mask = hiding
        return mask

    def write(self, constant_mask, mask_shape, sink, stack):
        case, writer = self.case, self.writer
        query = self.argument("q", case.heads, case.queries // case.ranks, case.dim)
        key, value = self.keys_and_values()
        mask = self.mask(constant_mask, mask_shape)

        def local(query):
            return self.back(self.attend(self.four(self.widen(query), case.heads),
                                         key, value, mask, sink))

        def gathered(query):
            count = case.length if case.cut else case.queries
            whole = self.formed(self.gather(query, self.rows), case.heads, count)
            output = self.attend(whole, key, value, mask, sink)
            if case.whole:
                return output
            if case.cut:
                output = writer.op(
                    "pad", [output], "padding = array<i32: 0, 0, 0, 0, 0, "
                    f"{case.queries - count}, 0, 0>, value = 0.0 : f32",
                    [*output[1][:2], case.queries, output[1][3]])
            return self.own_rows(self.back(output), self.rows)

        return stack(query, local if case.form == "p3" else gathered)


def head_trade(case, writer, attend, constant_mask, shape, stack):
    """Pattern P2: rows are traded for heads and back."""

    def trade(value, split, concat):
        shape = list(value[1])
        shape[split] //= case.ranks
        shape[concat] *= case.ranks
        groups = replica_groups(case)
        return writer.op(
            "all_to_all", [value],
            f"concat_dim = {concat} : si32, replica_groups = dense<{groups}> : "
            f"tensor<{len(groups)}x{case.ranks}xi64>, "
            f"split_count = {case.ranks} : si32, split_dim = {split} : si32",
            shape)

    query = writer.argument("q", [case.batch, case.heads,
                                  case.queries // case.ranks, case.dim])
    keys = [trade(writer.argument(name, [case.batch, case.kv_heads,
                                         case.keys // case.ranks, case.dim]), 1, ROWS)
            for name in "kv"]
    heads = case.heads // case.ranks
    mask = sink = None
    if case.mask:
        shape[1] = min(shape[1], heads)
        mask = (constant_mask(writer, shape) if case.mask.startswith("-")
                else writer.argument("m", shape))
    if case.sink:
        sink = writer.argument("s", [1, heads, 1, 1])
    return stack(query, lambda query: trade(
        attend(trade(query, 1, ROWS), *keys, mask, sink), ROWS, 1))
