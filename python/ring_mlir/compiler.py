# SPDX-License-Identifier: Apache-2.0
"""From a model's IR to a program for a mesh."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from ._checks import Mesh, Path, did_you_mean, mesh_text, path_text, read_file, write_file
from ._checks import text as checked_text
from ._library import Handle, library, text_of
from ._library import Message as _Message
from ._session import Session
from .errors import CompileError
from .program import Program
from .results import Plan

_SEVERITIES = ("note", "warning", "error", "remark")


@dataclass(frozen=True)
class Message:
    """What the compiler said."""
    severity: str
    """error, warning or remark."""
    place: str
    """Such as "model.mlir:4:10"; empty if it has none."""
    text: str

    def __str__(self) -> str:
        return f"{self.place}: " * bool(self.place) + f"{self.severity}: {self.text}"


class _Module(Handle):
    """A handle of the compiler, for one thread at a time."""

    def __init__(self, source: bytes, name: str, mesh: Optional[str]):
        self.handle = library.ring_compiler_create()
        self.lock = threading.Lock()
        self.must(library.ring_compiler_read(self.handle, source, len(source), name.encode()))
        if mesh is not None:
            self.must(library.ring_compiler_set_mesh(self.handle, mesh.encode()))

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            library.ring_compiler_destroy(self.handle)

    def error(self) -> str:
        return text_of(library.ring_compiler_error(self.handle))

    def must(self, code: int) -> None:
        if code:
            raise CompileError(self.error())

    def text(self, function: Any, *arguments: Any) -> str:
        with self.lock:
            said = function(self.handle, *arguments)
            if said is None:
                raise CompileError(self.error())
            return text_of(said)

    def program(self, function: str) -> bytes:
        size = ctypes.c_size_t()
        with self.lock:
            data = library.ring_compiler_program(self.handle, function.encode(),
                                                 ctypes.byref(size))
            if not data:
                raise CompileError(self.error())
            return ctypes.string_at(data, size.value)

    def messages(self) -> List[Message]:
        found, one = [], _Message()
        with self.lock:
            for number in range(library.ring_compiler_message_count(self.handle)):
                library.ring_compiler_message(self.handle, number, ctypes.byref(one))
                found.append(Message(_SEVERITIES[one.severity], text_of(one.place),
                                     text_of(one.text)))
        return found


class Compiled(Program):
    """A compiled module: its program, and how it came about."""

    def __init__(self, source: bytes, name: str, mesh: Optional[str], function: str,
                 options: Dict[str, Any]):
        self._source, self._name_of_source = source, name
        self._mesh, self._function, self._options = mesh, function, options
        self._module = _Module(source, name, mesh)
        self._module.must(library.ring_compiler_find_function(
            self._module.handle, function.encode()))
        # What is meant is what the module is before any pass.
        self._meant = self._program()
        with self._module.lock:
            self._module.must(library.ring_compiler_run(
                self._module.handle, _pipeline(options).encode()))
        super().__init__(self._program())

    def _program(self) -> Union[bytes, CompileError]:
        """Its bytes, or why there are none: what only other tools run, such as ops that the
        runtime does not know, is still to be had as text."""
        try:
            return self._module.program(self._function)
        except CompileError as problem:
            return CompileError(str(problem))  # without the frames that led to it

    @cached_property
    def plan(self) -> Plan:
        """What the planner had to choose from, and what it took; all predicted."""
        return Plan(json.loads(self._module.text(library.ring_compiler_plans)),
                    [str(remark) for remark in self.remarks])

    @property
    def ir(self) -> str:
        """The compiled module."""
        return self._module.text(library.ring_compiler_ir)

    @property
    def messages(self) -> List[Message]:
        """All that the compiler said."""
        return self._module.messages()

    @property
    def remarks(self) -> List[Message]:
        """What the compiler said of its decisions."""
        return [message for message in self.messages if message.severity == "remark"]

    def to_ttir(self) -> str:
        """The same module compiled to TTIR, for tt-mlir."""
        return self._for("ttir").text(library.ring_compiler_ir)

    def to_ttnn(self) -> str:
        """The same module compiled to TTNN."""
        return self._for("ttnn").text(library.ring_compiler_ir)

    def to_python(self) -> str:
        """A script that runs the same module on devices with ttnn."""
        return self._for("ttnn").text(library.ring_compiler_host_program, b"python")

    def save(self, path: Path) -> None:
        """Writes the program file; to a path that ends with .mlir, the compiled module."""
        if path_text(path).lower().endswith(".mlir"):
            write_file(path, self.ir.encode())
        else:
            super().save(path)

    def _for(self, target: str) -> _Module:
        """The module compiled for another target, as it was asked for otherwise."""
        module = _Module(self._source, self._name_of_source, self._mesh)
        options = {**self._options, "target": target}
        with module.lock:
            module.must(library.ring_compiler_run(module.handle, _pipeline(options).encode()))
        return module

    @cached_property
    def _meaning_session(self) -> Session:
        if isinstance(self._meant, CompileError):
            raise CompileError(str(self._meant))
        return Session.of(self._meant)

    def _meaning(self) -> Session:
        return self._meaning_session

    def _page(self, session: Session) -> str:
        return self._module.text(library.ring_compiler_report, session.handle)

    def _default_machine(self) -> Optional[str]:
        asked = self._options.get("machine")
        if asked is not None:
            return str(os.fspath(asked))
        machines: List[str] = [one["machine"] for one in self.plan.attentions if one["has_file"]]
        return machines[0] if machines else None


def compile(source: Union[str, bytes, "os.PathLike[str]"], *, mesh: Optional[Mesh] = None,
            machine: Optional[Path] = None, strategy: Optional[str] = None,
            target: str = "ring", function: str = "", **options: Any) -> Compiled:
    """Compiles the distributed attentions of a module of TTIR.

    `source` is the text of the module or the path of a file. `mesh`, "2x4" or (2, 4), takes the
    place of the mesh that it names; `machine`, by name or as the path of a file, is what is
    planned for; `strategy` what is asked for in place of what the planner would choose.
    `function` says which one to run, if there are several public ones. A module with ops that
    nothing here runs is compiled too, for its `ir` and other texts. All options of
    ring-attention-pipeline may follow, with _ for -, such as sequence_axis=1.
    """
    text, name = _read(source)
    check_names(options, ("mesh", "function"))
    asked = {"target": target, "machine": machine, "strategy": strategy, **options}
    return Compiled(text, name, None if mesh is None else mesh_text(mesh),
                    checked_text("function", function), asked)


def check_names(options: Iterable[str], own: Sequence[str]) -> None:
    """Whether the pipeline has these options; a mistyped one may have meant one of `own` too,
    which the call takes besides."""
    known = [name.replace("-", "_") for name in text_of(library.ring_pipeline_options()).split()]
    for name in options:
        if name not in known:
            raise CompileError(f"expects an option of ring-attention-pipeline, but got '{name}'"
                               + did_you_mean(name, [*own, *known]))


def option_text(value: Any) -> str:
    """The value of an option as a command line would have it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(os.fspath(value) if isinstance(value, os.PathLike) else value)


def _read(source: Union[str, bytes, "os.PathLike[str]"]) -> Tuple[bytes, str]:
    """The source, and what messages call it."""
    if isinstance(source, bytes):
        return source, "source"
    # No text is no path either, though Python takes it for the current folder.
    if not source or not isinstance(source, (str, os.PathLike)):
        raise CompileError(f"expects a module or the path of one, but got {source!r}")
    if isinstance(source, str) and not _is_path(source):
        return source.encode(), "source"
    return read_file(source, CompileError), path_text(source)


def _is_path(source: str) -> bool:
    """A module has line ends or brackets, and its name is none of a file."""
    if source.endswith((".mlir", ".mlirbc")):
        return "\n" not in source
    return not any(letter in source for letter in "\n({")


def _pipeline(options: Dict[str, Any]) -> str:
    """The pipeline as a command line would have it."""
    words = []
    for name, value in options.items():
        if value is None:
            continue
        text = option_text(value)
        quote = '"' if not text or any(letter in " \t{}" for letter in text) else ""
        words.append(f"{name.replace('_', '-')}={quote}{text}{quote}")
    return f"ring-attention-pipeline{{{' '.join(words)}}}"
