# SPDX-License-Identifier: Apache-2.0
"""What callers write, judged before the library gets it, which takes C's types alone."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Set
from typing import Any, Iterable, Optional, Sequence, Tuple, Union

import numpy as np

from ._library import library, text_of
from .errors import InputError

Mesh = Union[str, Sequence[int]]
_LARGEST = 2 ** 63 - 1


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that nobody knows, as the tools have it."""
    return text_of(library.ring_did_you_mean(name.encode(), " ".join(known).encode()))


def whole_number(name: str, value: Any, least: int, most: Optional[int] = None) -> int:
    """A number of Python, NumPy or torch as one of Python."""
    rule = f"of at least {least}" if most is None else f"from {least} to {most}"
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= (_LARGEST if most is None else most):
        raise InputError(f"expects {name} to be a whole number {rule}, but got {value!r}")
    return number


def real_number(name: str, value: Any, least: float = -math.inf) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < least:
        rule = "" if least == -math.inf else f" of at least {least}"
        raise InputError(f"expects {name} to be a finite number{rule}, but got {value!r}")
    return number


def truth(name: str, value: Any) -> bool:
    """Not what Python takes for true: the text "False" would be."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"expects {name} to be True or False, but got {value!r}")
    return bool(value)


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"expects {name} to be a string, but got {value!r}")
    return value


def mesh_text(mesh: Mesh) -> str:
    """ "2x4" for (2, 4)."""
    if isinstance(mesh, str):
        return mesh
    try:
        # Bytes are numbers to Python, sets have no order, and True is no size.
        if isinstance(mesh, (bytes, bytearray, memoryview, Mapping, Set)):
            raise TypeError
        sizes = list(mesh)
        if any(isinstance(size, (bool, np.bool_)) for size in sizes):
            raise TypeError
        return "x".join(str(operator.index(size)) for size in sizes)
    except TypeError:
        raise InputError(f"expects a mesh like '2x4' or (2, 4), but got {mesh!r}") from None


def shape_text(shape: Tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "()"
