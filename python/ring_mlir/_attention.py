# SPDX-License-Identifier: Apache-2.0
"""Attention of arrays, for callers who have no IR."""

from __future__ import annotations

import functools
import math
from typing import Any, Optional, Tuple

import numpy as np

from . import _tensors
from .compiler import Compiled, Mesh, compile, mesh_text
from .errors import InputError

_TEMPLATE = """\
module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = {mesh}>]>}} {{
  func.func @attention({arguments}) -> {query} {{
    %out = "ttir.scaled_dot_product_attention"({names}) <{{{attributes}}}> {{ring.parallel = \
#ring.parallel<{axes}>}} : ({types}) -> {query}
    return %out : {query}
  }}
}}
"""


def attention(q: Any, k: Any, v: Any, *, mask: Any = None, causal: bool = False,
              window: Optional[int] = None, scale: Optional[float] = None, mesh: Mesh = "1x8",
              strategy: Optional[str] = None, machine: Optional[str] = None,
              sequence_axis: Optional[int] = None, head_axis: Optional[int] = None,
              **options: Any) -> Any:
    """softmax(scale * q k^T + mask) v, computed on an emulated mesh.

    q is [batch, heads, queries, dim], k and v are [batch, key heads, keys, dim], all of them
    perhaps without the batch. Key heads divide heads; lengths may be any. With `causal` a query
    sees the keys up to its own position, with `window` the last so many of them, itself
    included. Without `scale` it is 1 / sqrt(dim). The mask is added to the scaled scores and is
    [1 or batch, 1 or heads, 1 or queries, keys].

    f32 is computed in f32 and bf16 (torch, ml_dtypes) in bf16 with f32 between. f16, which the
    devices do not have, is computed in f32 and its result rounded to f16.

    The sequence is split over `sequence_axis` of the mesh, by default its largest axis.
    `compile_attention` gives what this runs, with its plan and its report.
    """
    torch = _tensors.torch_of(q)
    program = compile_attention(
        q, k, v, mask=mask, causal=causal, window=window, scale=scale, mesh=mesh,
        strategy=strategy, machine=machine, sequence_axis=sequence_axis, head_axis=head_axis,
        **options)
    given = [_with_batch(_wide(value)) for value in (q, k, v, mask) if value is not None]
    out = program.run(*given)
    if _element(q)[1]:
        out = out.astype(np.float16) if torch is None else out.to(torch.float16)
    if torch is not None:
        out = out.to(q.device)
    return out if len(q.shape) == 4 else out[0]


def compile_attention(q: Any, k: Any, v: Any, *, mask: Any = None, causal: bool = False,
                      window: Optional[int] = None, scale: Optional[float] = None,
                      mesh: Mesh = "1x8", sequence_axis: Optional[int] = None,
                      head_axis: Optional[int] = None, **options: Any) -> Compiled:
    """The program that `attention` runs on arrays like these; only their shapes and types count.
    The last ones are kept."""
    kinds = {_element(value)[0] for value in (q, k, v)}
    if len(kinds) > 1:
        raise InputError(f"expects q, k and v of one type, but got {', '.join(sorted(kinds))}")
    shapes = [_shape(name, value) for name, value in zip("qkv", (q, k, v))]
    if window is not None and not causal:
        raise InputError("expects causal=True with a window")
    if window is not None and window < 1:
        raise InputError(f"expects a window of at least 1, but got {window}")
    masked = None if mask is None else (_shape("mask", mask), _element(mask)[0])
    return _compiled(kinds.pop(), tuple(shapes), masked, causal, window,
                     None if scale is None else float(scale), mesh_text(mesh) or "",
                     sequence_axis, head_axis, tuple(sorted(options.items())))


@functools.lru_cache(maxsize=64)
def _compiled(element: str, shapes: Tuple[Tuple[int, ...], ...],
              masked: Optional[Tuple[Tuple[int, ...], str]], causal: bool, window: Optional[int],
              scale: Optional[float], mesh: str, sequence_axis: Optional[int],
              head_axis: Optional[int], options: Tuple[Tuple[str, Any], ...]) -> Compiled:
    text = _module_text(element, shapes, masked, causal, window, scale, mesh, sequence_axis,
                        head_axis)
    return compile(text, **dict(options))


def _module_text(element: str, shapes: Tuple[Tuple[int, ...], ...],
                 masked: Optional[Tuple[Tuple[int, ...], str]], causal: bool,
                 window: Optional[int], scale: Optional[float], mesh: str,
                 sequence_axis: Optional[int], head_axis: Optional[int]) -> str:
    """One op of TTIR, with the annotation that distributes it."""
    types = [_type(shape, element) for shape in shapes]
    names = ["%q", "%k", "%v"]
    if masked:
        types.append(_type(*masked))
        names.append("%mask")
    attributes = [f"is_causal = {str(bool(causal)).lower()}",
                  f"operandSegmentSizes = array<i32: 1, 1, 1, {int(bool(masked))}, 0>"]
    if scale is not None:
        if not math.isfinite(scale):
            raise InputError(f"expects a finite scale, but got {scale}")
        attributes.append(f"scale = {scale:.9e} : f32")
    if window is not None:
        attributes.append(f"sliding_window_size = {window} : ui32")
    axes = f"sequence = {_sequence_axis(mesh) if sequence_axis is None else sequence_axis}"
    if head_axis is not None:
        axes += f", heads = {head_axis}"
    return _TEMPLATE.format(
        mesh=mesh, query=types[0], names=", ".join(names), types=", ".join(types),
        arguments=", ".join(map("{}: {}".format, names, types)),
        attributes=", ".join(attributes), axes=axes)


def _sequence_axis(mesh: str) -> int:
    """The largest axis, of equal ones the last."""
    try:
        sizes = [int(size) for size in mesh.split("x")]
    except ValueError:
        raise InputError(f"expects a mesh like 2x4, but got '{mesh}'") from None
    return max(range(len(sizes)), key=lambda axis: (sizes[axis], axis))


def _type(shape: Tuple[int, ...], element: str) -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def _shape(name: str, value: Any) -> Tuple[int, ...]:
    """With a batch."""
    shape = tuple(value.shape)
    if len(shape) not in (3, 4):
        raise InputError(f"expects {name} of [batch, heads, length, dim] or without the batch, "
                         f"but got {len(shape)} dimensions")
    return (1,) * (4 - len(shape)) + shape


def _element(value: Any) -> Tuple[str, bool]:
    """The type that is computed in, and whether the caller has f16."""
    name = _tensors.type_name(value)
    known = {"float32": "f32", "float16": "f32", "bfloat16": "bf16"}
    if name not in known:
        raise InputError(f"expects arrays of float32, bfloat16 or float16, but got {name}; a cast "
                         "such as astype(np.float32) says that its roundings are meant")
    return known[name], name == "float16"


def _wide(value: Any) -> Any:
    """f16 in f32; all others as they are."""
    if not _element(value)[1]:
        return value
    torch = _tensors.torch_of(value)
    return value.astype(np.float32) if torch is None else value.to(torch.float32)


def _with_batch(value: Any) -> Any:
    return value if len(value.shape) == 4 else value[None]
