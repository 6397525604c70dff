# SPDX-License-Identifier: Apache-2.0
"""What callers write, judged before the library gets it, which takes C's types alone."""

from __future__ import annotations

import contextlib
import math
import operator
import os
from collections.abc import Mapping, Set
from typing import Any, Iterable, Iterator, Optional, Sequence, Tuple, Type, Union

import numpy as np

from ._library import library, text_of
from .errors import Error, InputError, RunError

Path = Union[str, "os.PathLike[str]"]
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


def path_text(path: Path) -> str:
    named = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(named, str):
        raise InputError(f"expects a path as a string or a pathlib.Path, but got {path!r}")
    return named


def read_file(path: Path, kind: Type[Error]) -> bytes:
    with _told("read", path, kind) as name, open(name, "rb") as file:
        return file.read()


def write_file(path: Path, content: bytes) -> None:
    with _told("write", path, RunError) as name, open(name, "wb") as file:
        file.write(content)


@contextlib.contextmanager
def _told(what: str, path: Path, kind: Type[Error]) -> Iterator[str]:
    """Errors of the system as those of the package."""
    name = path_text(path)
    try:
        yield name
    except (OSError, ValueError) as problem:  # a name with a zero in it is the latter
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise kind(f"cannot {what} '{name}': {reason}") from None


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
