#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Latent attentions as TTIR has them: what attention.py calls the forms mla, mla1
and mla3. A composite `flash_mla_prefill` names the attention, and products and a
softmax say what it means. With the word `latent` the composite has no values:
they are the first value_dim columns of the keys.
"""

import gathered


def function(head, writer, names, results):
    """The text of a function."""
    lines = "".join(f"    {line}\n" for line in writer.lines)
    return (f"  func.func {head}({', '.join(writer.arguments)}) -> "
            f"({', '.join(results)}) {{\n{lines}"
            f"    return {', '.join(names)} : {', '.join(results)}\n  }}\n")


def columns(writer, key, count):
    """The first columns of all rows."""
    return gathered.cut_rows(writer, key, 2, key[1][2], features=(0, count))


def gather(case, writer, value):
    shape = list(value[1])
    shape[2] *= case.ranks
    return writer.op("all_gather", [value], "all_gather_dim = 2 : si32, cluster_axis = "
                     f"{case.axis} : ui32", shape)


def operands(case, writer, mask_shape):
    """Query, key, value and mask, of which the last two may be missing."""
    local = case.form != "mla"
    split = case.ranks if local else 1
    query = writer.argument("q", [case.batch, case.heads, case.queries // split, case.dim])
    key = writer.argument("k", [case.batch, case.kv_heads, case.keys // split, case.dim])
    value = mask = None
    if not case.latent:
        value = writer.argument("v", [*key[1][:3], case.value_dim])
    if local:
        key = gather(case, writer, key)
        value = value and gather(case, writer, value)
    if case.form == "mla1":
        query = gather(case, writer, query)
    if case.mask:
        mask = writer.argument("m", mask_shape)
    return [value for value in (query, key, value, mask) if value]


def meaning(case, new_writer, spelled, given):
    """The decomposition: its writer and its result."""
    body = new_writer(case.dtype)
    pieces = [body.argument(f"a{i}", value[1]) for i, value in enumerate(given)]
    value = columns(body, pieces[1], case.value_dim) if case.latent else pieces[2]
    mask = pieces[-1] if case.mask else None
    return body, spelled(case, body, pieces[0], pieces[1], value, mask, None)


def module(case, new_writer, spelled, mask_shape, annotation):
    """The text of the module."""
    writer = new_writer(case.dtype)
    given = operands(case, writer, mask_shape)
    body, result = meaning(case, new_writer, spelled, given)
    types = [writer.type(shape) for _, shape in given]
    parameters = [f"has_attention_mask = {str(bool(case.mask)).lower()}",
                  f"has_value = {str(not case.latent).lower()}",
                  f"head_dim_v = {case.value_dim} : ui32",
                  f"is_causal = {str(case.causal).lower()}"]
    if case.scale:
        parameters.append(f"scale = {case.scale:e} : f32")
    annotation = "" if case.form != "mla" else f" {{ring.parallel = #ring.parallel{annotation}}}"
    output = writer.type(result[1])
    writer.lines.append(
        f'%out = "ttcore.composite"({", ".join(name for name, _ in given)}) '
        f'<{{composite_attributes = {{{", ".join(parameters)}}}, composite_name = '
        f'"flash_mla_prefill", decomposition = @mla}}>{annotation} : '
        f"({', '.join(types)}) -> {output}")
    name, own = "%out", result[1]
    if case.form == "mla1":
        own = [*own[:2], own[2] // case.ranks, own[3]]
        name = "%own"
        writer.lines.append(
            f'%own = "ttir.mesh_partition"(%out) <{{cluster_axis = {case.axis} : ui32, '
            f"dim = 2 : si32}}> : ({output}) -> {writer.type(own)}")
    return (f'module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = '
            f"{case.mesh}>]>}} {{\n"
            + function("@attention", writer, [name], [writer.type(own)])
            + function("private @mla", body, [result[0]], [output]) + "}\n")
