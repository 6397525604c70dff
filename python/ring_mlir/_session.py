# SPDX-License-Identifier: Apache-2.0
"""Handles of the runtime: what is bound to a program, and what comes out of it."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _tensors
from ._checks import whole_number
from ._library import Handle, library, text_of
from .errors import CompileError, OutOfMemoryError, RunError


class Session(Handle):
    """A handle of the runtime: a program with inputs, options and results."""

    def __init__(self, handle: Optional[int] = None):
        self.handle = handle or library.ring_create()
        self.bound: Dict[Tuple[int, int], _tensors.Array] = {}

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            library.ring_destroy(self.handle)

    @classmethod
    def of(cls, program: bytes) -> "Session":
        session = cls()
        if library.ring_load(session.handle, program, len(program)):
            raise CompileError(session.error())
        return session

    def share(self) -> "Session":
        """Another session of the same program, for a run of its own."""
        return Session(library.ring_share(self.handle))

    def error(self) -> str:
        return text_of(library.ring_error(self.handle))

    def must(self, code: int) -> None:
        if code:
            raise RunError(self.error())

    def bind(self, port: "Port", value: Any) -> None:
        """Takes an input where it lies, if it is what the program takes; it is
        kept until the session ends."""
        array = _tensors.prepare(value, port.name, port.element, port.whole_shape)
        for tensor in range(port.tensors):
            part = array if port.is_whole else array[tensor]
            if part.dtype == _tensors.DTYPES.get(port.element):
                self.bound[port.index, tensor] = part
                self.must(library.ring_bind_shared(self.handle, port.index, tensor,
                                                   part.ctypes.data, part.nbytes))
            else:
                self.must(library.ring_bind_numbers(
                    self.handle, port.index, tensor,
                    part.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), part.size))

    def generate(self, seed: Any) -> None:
        """Fills all inputs from a seed."""
        self.must(library.ring_generate(self.handle, whole_number("seed", seed, 0)))

    def run(self) -> None:
        if library.ring_run(self.handle):
            shortage = library.ring_memory_shortage(self.handle)
            if shortage:
                raise OutOfMemoryError(self.error(), text_of(shortage))
            raise RunError(self.error())

    def read(self, port: "Port", torch: Any) -> Any:
        """An input or output for a caller. Its memory is the session's where
        types allow it."""
        parts = [self._part(port, tensor, torch) for tensor in range(port.tensors)]
        if port.is_whole:
            return parts[0]
        return torch.stack(parts) if torch is not None else np.stack(parts)

    def _part(self, port: "Port", tensor: int, torch: Any) -> Any:
        if port.element not in _tensors.DTYPES:  # tiles of a block format
            numbers = np.empty(port.shape, np.float32)
            read = library.ring_input_numbers if port.is_input else library.ring_read_numbers
            self.must(read(self.handle, port.index, tensor,
                           numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), numbers.size))
            return numbers if torch is None else torch.from_numpy(numbers)
        array = np.asarray(_Memory(self, port, tensor))
        # A program may give back what it was given, which is not its own to give away.
        if any(np.may_share_memory(array, given) for given in self.bound.values()):
            array = array.copy()
        if port.element == _tensors.BF16:
            return _tensors.from_bits(array, torch)
        if torch is None:
            return array
        # Older torch has no unsigned types beside uint8.
        if array.dtype in (np.uint16, np.uint32):
            array = array.astype(np.int64)
        return torch.from_numpy(array)


class _Memory:
    """A tensor of a session for NumPy, whose array keeps the session alive."""

    def __init__(self, session: Session, port: "Port", tensor: int):
        size = ctypes.c_size_t()
        find = library.ring_input_data if port.is_input else library.ring_output_data
        data = find(session.handle, port.index, tensor, ctypes.byref(size))
        if not data:
            raise RunError(f"expects a finished run for '{port.name}'")
        self.session = session
        self.__array_interface__ = {"version": 3, "data": (data, False), "shape": port.shape,
                                    "typestr": _tensors.DTYPES[port.element].str}


@dataclass(frozen=True, repr=False)
class Port:
    """An input or output of a program."""
    index: int
    name: str
    element: int
    shape: Tuple[int, ...]
    """Of one tensor."""
    tensors: int
    """1, or one for each device."""
    is_input: bool

    @property
    def is_whole(self) -> bool:
        """Shards of one device are whole to a caller."""
        return self.tensors == 1

    @property
    def whole_shape(self) -> Tuple[int, ...]:
        """What a caller gives: shards have the devices in front."""
        return self.shape if self.is_whole else (self.tensors, *self.shape)

    @property
    def type(self) -> str:
        """Such as "bf16"."""
        return _tensors.NAMES[self.element]

    @property
    def type_text(self) -> str:
        """Such as "1x4x256x64xbf16"."""
        return "x".join(map(str, (*self.whole_shape, self.type)))

    def __repr__(self) -> str:
        return f"<{'input' if self.is_input else 'output'} {self.name}: {self.type_text}>"


def ports_of(session: Session, is_input: bool) -> List[Port]:
    side = "input" if is_input else "output"
    ask = {what: getattr(library, f"ring_{side}_{what}")
           for what in ("count", "name", "tensors", "type", "shape")}
    ports = []
    for index in range(ask["count"](session.handle)):
        sizes = ctypes.POINTER(ctypes.c_int64)()
        rank = ask["shape"](session.handle, index, ctypes.byref(sizes))
        shape = tuple(sizes[axis] for axis in range(rank))
        tensors = ask["tensors"](session.handle, index)
        ports.append(Port(index, text_of(ask["name"](session.handle, index)),
                          ask["type"](session.handle, index), shape, tensors, is_input))
    return ports
