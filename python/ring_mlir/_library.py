# SPDX-License-Identifier: Apache-2.0
"""The shared library, with the types of what is called in it.

ctypes lets go of Python's lock while a call is under way, so that compilations
and runs in several threads go on at the same time.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
from ctypes import (POINTER, Structure, c_char_p, c_double, c_float, c_int, c_int64, c_size_t,
                    c_uint64, c_void_p)
from typing import NoReturn, Optional

_NAME = "libRingCompilerC.so"


class Message(Structure):
    """ring_message of ring_compiler.h."""
    _fields_ = [("severity", c_int), ("place", c_char_p), ("text", c_char_p)]


class Judgement(Structure):
    """ring_judgement of ring_runtime.h."""
    _fields_ = [("passed", c_int), ("finite", c_int), ("relative_error", c_double),
                ("max_error", c_double), ("rmse", c_double), ("pcc", c_double),
                ("share_of_bound", c_double), ("fault", c_char_p)]


# What each function gives and takes; handles are plain pointers.
_SIGNATURES = {
    "ring_version": (c_char_p, []),
    "ring_did_you_mean": (c_char_p, [c_char_p, c_char_p]),
    "ring_create": (c_void_p, []),
    "ring_destroy": (None, [c_void_p]),
    "ring_share": (c_void_p, [c_void_p]),
    "ring_error": (c_char_p, [c_void_p]),
    "ring_load": (c_int, [c_void_p, c_void_p, c_size_t]),
    "ring_load_file": (c_int, [c_void_p, c_char_p]),
    "ring_device_count": (c_int64, [c_void_p]),
    "ring_input_count": (c_size_t, [c_void_p]),
    "ring_output_count": (c_size_t, [c_void_p]),
    "ring_input_name": (c_char_p, [c_void_p, c_size_t]),
    "ring_output_name": (c_char_p, [c_void_p, c_size_t]),
    "ring_input_tensors": (c_size_t, [c_void_p, c_size_t]),
    "ring_output_tensors": (c_size_t, [c_void_p, c_size_t]),
    "ring_input_type": (c_int, [c_void_p, c_size_t]),
    "ring_output_type": (c_int, [c_void_p, c_size_t]),
    "ring_input_shape": (c_size_t, [c_void_p, c_size_t, POINTER(POINTER(c_int64))]),
    "ring_output_shape": (c_size_t, [c_void_p, c_size_t, POINTER(POINTER(c_int64))]),
    "ring_bind_shared": (c_int, [c_void_p, c_size_t, c_size_t, c_void_p, c_size_t]),
    "ring_bind_numbers": (c_int, [c_void_p, c_size_t, c_size_t, POINTER(c_float), c_size_t]),
    "ring_generate": (c_int, [c_void_p, c_uint64]),
    "ring_input_data": (c_void_p, [c_void_p, c_size_t, c_size_t, POINTER(c_size_t)]),
    "ring_input_numbers": (c_int, [c_void_p, c_size_t, c_size_t, POINTER(c_float), c_size_t]),
    "ring_set_backend": (c_int, [c_void_p, c_char_p]),
    "ring_set_machine": (None, [c_void_p, c_char_p]),
    "ring_set_device_memory": (None, [c_void_p, c_int64]),
    "ring_set_threads": (None, [c_void_p, c_int]),
    "ring_set_trace": (None, [c_void_p, c_int]),
    "ring_run": (c_int, [c_void_p]),
    "ring_memory_shortage": (c_char_p, [c_void_p]),
    "ring_output_data": (c_void_p, [c_void_p, c_size_t, c_size_t, POINTER(c_size_t)]),
    "ring_read_numbers": (c_int, [c_void_p, c_size_t, c_size_t, POINTER(c_float), c_size_t]),
    "ring_seconds": (c_double, [c_void_p]),
    "ring_summary": (c_char_p, [c_void_p]),
    "ring_statistics": (c_char_p, [c_void_p]),
    "ring_report": (c_char_p, [c_void_p]),
    "ring_check": (c_int, [c_void_p, c_void_p, c_double]),
    "ring_read_judgement": (c_int, [c_void_p, c_size_t, POINTER(Judgement)]),
    "ring_check_text": (c_char_p, [c_void_p]),
    "ring_pipeline_options": (c_char_p, []),
    "ring_compiler_create": (c_void_p, []),
    "ring_compiler_destroy": (None, [c_void_p]),
    "ring_compiler_error": (c_char_p, [c_void_p]),
    "ring_compiler_message_count": (c_size_t, [c_void_p]),
    "ring_compiler_message": (c_int, [c_void_p, c_size_t, POINTER(Message)]),
    "ring_compiler_read": (c_int, [c_void_p, c_char_p, c_size_t, c_char_p]),
    "ring_compiler_set_mesh": (c_int, [c_void_p, c_char_p]),
    "ring_compiler_find_function": (c_int, [c_void_p, c_char_p]),
    "ring_compiler_run": (c_int, [c_void_p, c_char_p]),
    "ring_compiler_ir": (c_char_p, [c_void_p]),
    "ring_compiler_program": (c_void_p, [c_void_p, c_char_p, POINTER(c_size_t)]),
    "ring_compiler_host_program": (c_char_p, [c_void_p, c_char_p]),
    "ring_compiler_plans": (c_char_p, [c_void_p]),
    "ring_compiler_report": (c_char_p, [c_void_p, c_void_p]),
}


def _find() -> pathlib.Path:
    """The library that RING_MLIR_LIBRARY names, or the one that lies in a folder
    `lib` above this package: in a build tree, and where it was installed."""
    named = os.environ.get("RING_MLIR_LIBRARY")
    if named:
        return pathlib.Path(named)
    here = pathlib.Path(__file__).resolve()
    for folder in here.parents:
        for place in (folder / _NAME, folder / "lib" / _NAME):
            if place.exists():
                return place
    raise ImportError(
        f"expects {_NAME} in a folder lib above {here.parent}, but found none; build the target "
        "ring-python, or say in RING_MLIR_LIBRARY where it is")


def _load() -> ctypes.CDLL:
    path = _find()
    try:
        library = ctypes.CDLL(str(path))
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = arguments
    except (OSError, AttributeError) as problem:
        raise ImportError(f"cannot use {path}: {problem}") from problem
    return library


library = _load()


def text_of(said: Optional[bytes]) -> str:
    """A text of the library; empty for none."""
    return said.decode() if said else ""


class Handle:
    """What only the library knows by its number: a copy of it would be freed twice."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} of ring_mlir cannot be pickled or copied; a "
                        "program can be saved (save) and loaded (ring_mlir.load)")
