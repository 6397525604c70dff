#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a module with an attention and its gradients: the other kind of module
that run-cases.py runs, for cases with the word `gradients`.

The function runs ttir.sdpa_fw, whose output and log-sum-exp ttir.sdpa_bw takes,
so that gradients are those of a true softmax. What these two cannot say (window,
after, scale, length, dilated patterns, documents) is written as a ring.attention and its
ring.attention_backward. The words of a case are the fields of `Backward`.
"""

import dataclasses

import attention
from attention import tensor


@dataclasses.dataclass
class Backward(attention.Sets):
    mesh: str = "1x4"
    axis: int = 1
    heads_axis: int = -1
    batch: int = 1
    heads: int = 2
    kv_heads: int = 0  # 0: as many as heads
    rows: int = 128
    dim: int = 32
    causal: bool = False
    mask: bool = False  # a mask of ones and zeros, some rows all zero
    dtype: str = "f32"
    window: int = 0  # keys that a query sees up to itself, 0: all
    after: int = 0  # keys that it sees behind itself
    scale: float = 0.0  # 0: 1 / sqrt(dim)
    length: int = 0  # keys from here on are padding, 0: none
    value_dim: int = 0  # 0: dim
    latent: bool = False  # values are the first value_dim columns of the keys
    # Beside latent: the gradient of the values is added to that of the keys.
    summed: bool = False
    gathered: bool = False  # a device's function that gathers its operands
    traded: bool = False  # a device's function that trades rows for heads
    ends: str = ""  # the ends of documents as a tensor, 40+100+128

    def __post_init__(self):
        self.kv_heads = self.kv_heads or self.heads
        self.value_dim = self.value_dim or self.dim

    @property
    def needs_ring_ops(self):
        return bool(self.window or self.after or self.scale or self.length
                    or self.dilated or self.documents or self.ends
                    or self.value_dim != self.dim)

    @property
    def ranks(self):
        return int(self.mesh.split("x")[self.axis])


def keep_mask(rows, dtype):
    """Key k is dropped for query q where (5 q + k) mod 7 is below 2; every
    eleventh query drops all keys."""
    kept = [["0.0" if q % 11 == 10 or (5 * q + k) % 7 < 2 else "1.0"
             for k in range(rows)] for q in range(rows)]
    text = ", ".join("[" + ", ".join(row) + "]" for row in kept)
    return f"dense<[[[{text}]]]> : {tensor([1, 1, rows, rows], dtype)}"


def ring_module(case):
    """The text of a module with the ops of the ring dialect."""
    query = [case.batch, case.heads, case.rows, case.dim]
    key = [case.batch, case.kv_heads, case.rows, case.dim]
    output, value = query[:3] + [case.value_dim], key[:3] + [case.value_dim]
    g, q, k, v = (tensor(shape, case.dtype)
                  for shape in (output, query, key, value))
    lse = tensor(query[:3] + [1], "f32")
    words = attention.ring_words(case, attention.pattern(case))
    late = ""
    if case.ends:
        numbers = [int(end) for end in case.ends.split("+")]
        type = f"tensor<{len(numbers)}xi32>"
        late = (f'    %ends = "ttir.constant"() <{{value = dense<{numbers}> : '
                f"{type}}}> : () -> {type}\n")
        words = f" documents(%ends : {type})" + words
    arguments = [f"%g: {g}", f"%q: {q}", f"%k: {k}", f"%v: {v}"]
    columns = summing = ""
    if case.latent:
        arguments.pop()
        ends = ", ".join(f"{size} : i32" for size in value)
        columns = (f'    %v = "ttir.slice_static"(%k) <{{begins = [0 : i32, 0 : i32, '
                   f"0 : i32, 0 : i32], ends = [{ends}], step = [1 : i32, 1 : i32, "
                   f"1 : i32, 1 : i32]}}> : ({k}) -> {v}\n")
    results, types = "%dq, %dk, %dv", f"{q}, {k}, {v}"
    if case.summed:
        results, types = "%dq, %sum", f"{q}, {k}"
        summing = (f'    %wide = "ttir.pad"(%dv) <{{padding = array<i32: 0, 0, 0, 0, 0, 0, '
                   f"0, {case.dim - case.value_dim}>, value = 0.0 : f32}}> : ({v}) -> {k}\n"
                   f'    %sum = "ttir.add"(%dk, %wide) : ({k}, {k}) -> {k}\n')
    return (
        f'module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = '
        f"{case.mesh}>]>}} {{\n"
        f"  func.func @gradients({', '.join(arguments)}) -> ({types}) {{\n{late}{columns}"
        f"    %out, %lse = ring.attention %q, %k, %v{words} : {q}, {k}, {v} "
        f"-> {g} lse({lse})\n"
        f"    %dq, %dk, %dv = ring.attention_backward %g, %out, %lse, %q, %k, "
        f"%v{words} : {g}, {g}, {lse}, {q}, {k}, {v} -> {q}, {k}, {v}\n"
        f"{summing}    return {results} : {types}\n  }}\n}}\n")


def trade(case, result, operand, shape, split, concat):
    """An all_to_all line and the shape that it makes."""
    traded = list(shape)
    traded[split] //= case.ranks
    traded[concat] *= case.ranks
    groups = list(range(case.ranks))
    return (
        f'{result} = "ttir.all_to_all"({operand}) <{{concat_dim = {concat} : si32, '
        f"replica_groups = dense<[{groups}]> : tensor<1x{case.ranks}xi64>, "
        f"split_count = {case.ranks} : si32, split_dim = {split} : si32}}> : "
        f"({tensor(shape, case.dtype)}) -> {tensor(traded, case.dtype)}"), traded


def module(case):
    """The text of the module."""
    if case.needs_ring_ops:
        if case.mask or case.gathered or case.traded:
            raise ValueError("a mask, gathered and traded operands go with sdpa_bw")
        return ring_module(case)
    local = case.rows
    if case.gathered or case.traded:
        local //= case.ranks
    query = [case.batch, case.heads, local, case.dim]
    key = [case.batch, case.kv_heads, local, case.dim]
    lines, values = [], {"g": query, "q": query, "k": key, "v": key}
    arguments = ", ".join(f"%{name}: {tensor(shape, case.dtype)}"
                          for name, shape in values.items())
    names = {name: f"%{name}" for name in values}
    if case.gathered:
        for name, shape in values.items():
            whole = shape[:2] + [case.rows] + shape[3:]
            lines.append(
                f'%{name}w = "ttir.all_gather"(%{name}) <{{all_gather_dim = 2 '
                f": si32, cluster_axis = {case.axis} : ui32}}> : "
                f"({tensor(shape, case.dtype)}) -> {tensor(whole, case.dtype)}")
            names[name] = f"%{name}w"
    if case.traded:
        for name, shape in values.items():
            line, values[name] = trade(case, f"%{name}h", f"%{name}", shape, 1, 2)
            lines.append(line)
            names[name] = f"%{name}h"
        query, key = values["q"], values["k"]
    query = query[:2] + [case.rows, case.dim]
    key = key[:2] + [case.rows, case.dim]
    q, k = tensor(query, case.dtype), tensor(key, case.dtype)
    stats = tensor(query[:3] + [32], "f32")
    kind = "arbitrary" if case.mask else "causal" if case.causal else "none"
    kind = f"mask_type = #ttcore.attention_mask_type<{kind}>"
    mask, mask_type = "", ""
    if case.mask:
        mask_type = tensor([1, 1, case.rows, case.rows], case.dtype)
        lines.append(f'%mask = "ttir.constant"() <{{value = '
                     f"{keep_mask(case.rows, case.dtype)}}}> : () -> {mask_type}")
        mask, mask_type = ", %mask", ", " + mask_type
    heads = f", heads = {case.heads_axis}" if case.heads_axis >= 0 else ""
    parallel = ("" if case.gathered or case.traded else
                f" {{ring.parallel = #ring.parallel<sequence = {case.axis}{heads}>}}")
    qkv = f"{names['q']}, {names['k']}, {names['v']}"
    lines.append(
        f'%out, %stats = "ttir.sdpa_fw"({qkv}{mask}) '
        f"<{{{kind}, return_intermediates = true}}>{parallel} : "
        f"({q}, {k}, {k}{mask_type}) -> ({q}, {stats})")
    lines.append(
        f'%dq, %dk, %dv = "ttir.sdpa_bw"({names["g"]}, %out, {qkv}, %stats{mask}) '
        f"<{{{kind}}}>{parallel} : ({q}, {q}, {q}, {k}, {k}, {stats}{mask_type}) "
        f"-> ({q}, {k}, {k})")
    results = [("%dq", query), ("%dk", key), ("%dv", key)]
    if case.gathered:
        for index, (name, shape) in enumerate(results):
            own = shape[:2] + [local] + shape[3:]
            lines.append(
                f'{name}o = "ttir.mesh_partition"({name}) <{{cluster_axis = '
                f"{case.axis} : ui32, dim = 2 : si32}}> : "
                f"({tensor(shape, case.dtype)}) -> {tensor(own, case.dtype)}")
            results[index] = (name + "o", own)
    if case.traded:
        for index, (name, shape) in enumerate(results):
            line, own = trade(case, name + "o", name, shape, 2, 1)
            lines.append(line)
            results[index] = (name + "o", own)
    types = ", ".join(tensor(shape, case.dtype) for _, shape in results)
    body = "".join(f"    {line}\n" for line in lines)
    return (
        f'module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = '
        f"{case.mesh}>]>}} {{\n  func.func @gradients({arguments}) -> ({types}) "
        f"{{\n{body}    return {', '.join(name for name, _ in results)} : "
        f"{types}\n  }}\n}}\n")
