# SPDX-License-Identifier: Apache-2.0
"""Attention of arrays, for callers who have no IR."""

from __future__ import annotations

import functools
import re
from typing import Any, Callable, Optional, Tuple

import numpy as np

from . import _tensors
from ._checks import (Mesh, Path, mesh_text, real_number, shape_text, truth,
                      whole_number)
from .compiler import Compiled, check_names, compile, option_text
from .errors import CompileError, InputError

Shape = Tuple[int, ...]
_OWN_OPTIONS = ("mask", "causal", "window", "scale", "mesh", "sequence_axis", "head_axis")
_MESH = "1x8"

_TEMPLATE = """\
module {{
  func.func @attention({arguments}) -> {query} {{
    %out = "ttir.scaled_dot_product_attention"({names}) <{{{attributes}}}> {{ring.parallel = \
#ring.parallel<{axes}>}} : ({types}) -> {query}
    return %out : {query}
  }}
}}
"""


def attention(q: Any, k: Any, v: Any, *, mask: Any = None, causal: bool = False,
              window: Optional[int] = None, scale: Optional[float] = None,
              mesh: Optional[Mesh] = _MESH,
              strategy: Optional[str] = None, machine: Optional[Path] = None,
              sequence_axis: Optional[int] = None, head_axis: Optional[int] = None,
              **options: Any) -> Any:
    """softmax(scale * q k^T + mask) v, computed on an emulated mesh.

    q is [batch, heads, queries, dim], k and v are [batch, key heads, keys, dim], all of them
    perhaps without the batch. Key heads divide heads; lengths may be any. With `causal`, which
    takes as many queries as keys, a query sees the keys up to its own position, with `window` the
    last so many of them, itself included. Without `scale` it is 1 / sqrt(dim). The mask is added
    to the scaled scores and is [1 or batch, 1 or heads, 1 or queries, keys], perhaps without the
    first one or two of them; it stands in place of `causal`.

    f32 is computed in f32 and bf16 (torch, ml_dtypes) in bf16 with f32 between. f16, which the
    devices do not have, is computed in f32 and its result rounded to f16.

    The sequence is split over `sequence_axis` of the mesh, by default its largest axis.
    `compile_attention` gives what this runs, with its plan and its report. Results have no
    gradients, so that tensors of torch must not require any, unless torch.no_grad() is on.
    """
    program = compile_attention(
        q, k, v, mask=mask, causal=causal, window=window, scale=scale, mesh=mesh,
        strategy=strategy, machine=machine, sequence_axis=sequence_axis, head_axis=head_axis,
        **options)
    given = [_four_dimensions(_wide(value)) for value in (q, k, v, mask) if value is not None]
    out = program.run(*given)
    torch = _tensors.torch_of(out)
    if _is_f16(q):
        out = out.astype(np.float16) if torch is None else out.to(torch.float16)
    if _tensors.torch_of(q) is not None:
        out = out.to(q.device)
    return out if len(q.shape) == 4 else out[0]


def compile_attention(q: Any, k: Any, v: Any, *, mask: Any = None, causal: bool = False,
                      window: Optional[int] = None, scale: Optional[float] = None,
                      mesh: Optional[Mesh] = _MESH, sequence_axis: Optional[int] = None,
                      head_axis: Optional[int] = None, **options: Any) -> Compiled:
    """The program that `attention` runs on arrays like these; only their shapes and types count.
    Its inputs and its output have four dimensions, whatever these have, and f32 for f16.
    The last programs are kept, unless they were planned for a machine file, which may change."""
    check_names(options, _OWN_OPTIONS)
    kinds = {_element(name, value) for name, value in zip("qkv", (q, k, v))}
    if len(kinds) > 1:
        raise InputError(f"expects q, k and v of one type, but got {', '.join(sorted(kinds))}")
    shapes = tuple(_shape(name, value) for name, value in zip("qkv", (q, k, v)))
    masked = None if mask is None else _mask_type(mask)
    _check_shapes(shapes, None if masked is None else masked[0])
    causal = truth("causal", causal)
    queries, keys = shapes[0][2], shapes[1][2]
    _check_pattern(causal, window, masked is not None, queries, keys)
    mesh = mesh_text(_MESH if mesh is None else mesh)
    axes = (_axis("sequence_axis", _largest_axis(mesh) if sequence_axis is None else sequence_axis,
                  mesh),
            None if head_axis is None else _axis("head_axis", head_axis, mesh))
    texts = {name: option_text(value) for name, value in options.items() if value is not None}
    compiled = _kept
    if _is_machine_file(texts.get("machine", "")):
        compiled = _compiled
    return compiled(kinds.pop(), shapes, masked, causal,
                    # A longer one than the keys shows them all, and may be none that IR holds.
                    None if window is None else min(whole_number("window", window, 1), keys),
                    None if scale is None else _scale(scale), mesh, axes,
                    tuple(sorted(texts.items())))


def _is_machine_file(machine: str) -> bool:
    """As the compiler tells it from a name. What it is based on may be more files."""
    return any(letter in machine for letter in "./")


def _compiled(element: str, shapes: Tuple[Shape, ...], masked: Optional[Tuple[Shape, str]],
              causal: bool, window: Optional[int], scale: Optional[float], mesh: str,
              axes: Tuple[int, Optional[int]], options: Tuple[Tuple[str, str], ...]) -> Compiled:
    text = _module_text(element, shapes, masked, causal, window, scale, axes)
    asked: Any = dict(options)
    try:
        return compile(text, mesh=mesh, **asked)
    except CompileError as problem:
        # The caller never saw the text that it has places in.
        raise CompileError(re.sub(r"^source:\d+:\d+: ", "", str(problem), flags=re.M)) from None


_kept: Callable[..., Compiled] = functools.lru_cache(maxsize=64)(_compiled)


def _module_text(element: str, shapes: Tuple[Shape, ...], masked: Optional[Tuple[Shape, str]],
                 causal: bool, window: Optional[int], scale: Optional[float],
                 axes: Tuple[int, Optional[int]]) -> str:
    """One op of TTIR, with the annotation that distributes it."""
    types = [_type(shape, element) for shape in shapes]
    names = ["%q", "%k", "%v"]
    if masked:
        types.append(_type(*masked))
        names.append("%mask")
    attributes = [f"is_causal = {str(causal).lower()}",
                  f"operandSegmentSizes = array<i32: 1, 1, 1, {int(bool(masked))}, 0>"]
    if scale is not None:
        attributes.append(f"scale = {scale:.9e} : f32")
    if window is not None:
        attributes.append(f"sliding_window_size = {window} : ui32")
    sequence, heads = axes
    parallel = f"sequence = {sequence}" + (f", heads = {heads}" if heads is not None else "")
    return _TEMPLATE.format(
        query=types[0], names=", ".join(names), types=", ".join(types),
        arguments=", ".join(map("{}: {}".format, names, types)),
        attributes=", ".join(attributes), axes=parallel)


def _sizes(mesh: str) -> Shape:
    if not re.fullmatch("0*[1-9][0-9]{0,17}(x0*[1-9][0-9]{0,17})*", mesh):
        raise InputError(f"expects a mesh like 2x4, but got '{mesh}'")
    return tuple(int(size) for size in mesh.split("x"))


def _largest_axis(mesh: str) -> int:
    """Of equal ones the last."""
    sizes = _sizes(mesh)
    return max(range(len(sizes)), key=lambda axis: (sizes[axis], axis))


def _axis(name: str, axis: Any, mesh: str) -> int:
    return whole_number(f"{name}, an axis of the mesh {mesh},", axis, 0, len(_sizes(mesh)) - 1)


def _type(shape: Shape, element: str) -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def _shape(name: str, value: Any) -> Shape:
    """With a batch."""
    shape = tuple(value.shape)
    if len(shape) not in (3, 4):
        raise InputError(f"expects {name} of [batch, heads, length, dim] or without the batch, "
                         f"but got {len(shape)} dimensions")
    if 0 in shape:
        raise InputError(f"expects {name} to have at least one element, but got the shape "
                         f"{shape_text(shape)}")
    return (1,) * (4 - len(shape)) + shape


def _mask_type(mask: Any) -> Tuple[Shape, str]:
    """Its shape, with batch and heads, and the type that is computed in."""
    if _tensors.type_name(mask) == "bool":
        raise InputError("expects a mask of numbers that are added to the scores, 0 for a key that "
                         "is seen and -inf for one that is not, but got bool")
    element = _element("mask", mask)
    shape = tuple(mask.shape)
    if not 2 <= len(shape) <= 4:
        raise InputError("expects a mask of [batch, heads, queries, keys], perhaps without the "
                         f"first one or two of them, but got {len(shape)} dimensions")
    return (1,) * (4 - len(shape)) + shape, element


def _check_shapes(shapes: Tuple[Shape, ...], mask: Optional[Shape]) -> None:
    """What the op would refuse too, in words of a caller who has no IR."""
    q, k, v = shapes
    batch, heads, queries, dim = q
    if (k[0], k[3]) != (batch, dim):
        raise InputError(f"expects k to have the batch and the dim of q, {batch} and {dim}, "
                         f"but got {shape_text(k)}")
    if v != k:
        raise InputError(f"expects v of k's shape, {shape_text(k)}, but got {shape_text(v)}")
    if heads % k[1]:
        raise InputError(f"expects the heads of k to divide the {heads} of q, but got {k[1]}")
    allowed = ({1, batch}, {1, heads}, {1, queries}, {k[2]})
    if mask is not None and any(size not in sizes for size, sizes in zip(mask, allowed)):
        sides = ", ".join(" or ".join(map(str, sorted(sizes))) for sizes in allowed)
        raise InputError(f"expects a mask of [{sides}], but got {shape_text(mask)}")


def _check_pattern(causal: bool, window: Optional[int], mask: bool, queries: int,
                   keys: int) -> None:
    if window is not None and not causal:
        raise InputError("expects causal=True with a window")
    if mask and causal:
        raise InputError("expects causal=False with a mask, which can hide later keys itself, "
                         "but got True")
    if causal and queries != keys:
        raise InputError("expects as many queries as keys with causal=True, but got "
                         f"{queries} and {keys}; a last query sees all keys, without causal")


def _scale(scale: Any) -> float:
    number = real_number("scale", scale)
    if abs(number) > np.finfo(np.float32).max:
        raise InputError(f"expects scale to be a number that f32 holds, but got {scale!r}")
    return number


def _element(name: str, value: Any) -> str:
    """The type that is computed in."""
    given = _tensors.type_name(value)
    known = {"float32": "f32", "float16": "f32", "bfloat16": "bf16"}
    if given not in known:
        raise InputError(f"expects {name} to be an array of float32, bfloat16 or float16, but got "
                         f"{given}{_tensors.cast_advice(value)}")
    return known[given]


def _is_f16(value: Any) -> bool:
    return _tensors.type_name(value) == "float16"


def _wide(value: Any) -> Any:
    """f16 in f32; all others as they are."""
    if not _is_f16(value):
        return value
    torch = _tensors.torch_of(value)
    return value.astype(np.float32) if torch is None else value.to(torch.float32)


def _four_dimensions(value: Any) -> Any:
    return value[(None,) * (4 - len(value.shape))]
