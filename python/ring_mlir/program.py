# SPDX-License-Identifier: Apache-2.0
"""Programs that the runtime runs, from a file or from the compiler."""

from __future__ import annotations

import ctypes
import json
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _tensors
from ._checks import (Path, did_you_mean, path_text, read_file, real_number, text, whole_number,
                      write_file)
from ._library import Handle, Judgement, library, text_of
from ._session import Port, Session, ports_of
from .errors import Error, InputError, RunError
from .results import Check, OutputCheck, Prediction, Report

# What other files of these tools are called.
_SUFFIXES = (".mlir", ".mlirbc", ".py", ".cpp", ".html", ".json", ".csv", ".npy", ".machine")


class Run:
    """A finished run: its results, and what they cost on this machine."""

    def __init__(self, session: Session, outputs: Sequence[Port], torch: Any):
        self._session = session
        self.outputs: Tuple[Any, ...] = tuple(session.read(port, torch) for port in outputs)
        self.seconds: float = library.ring_seconds(session.handle)
        """Of the emulated mesh, which says nothing of a device's speed."""
        self.summary: str = text_of(library.ring_summary(session.handle)).rstrip()

    @property
    def results(self) -> Any:
        """The output, or all of them if there are several."""
        return self.outputs[0] if len(self.outputs) == 1 else self.outputs

    @property
    def statistics(self) -> Dict[str, Any]:
        """Time, bytes, FLOPs and memory of every device."""
        return _statistics(self._session)

    def __repr__(self) -> str:
        return self.summary


class Program(Handle):
    """A program for a mesh of devices. Any number of threads may use it at a time."""

    def __init__(self, file: Union[bytes, Error]):
        """Of the bytes of a program file, or with the reason why there are none."""
        self._file = file
        self._loaded = Session.of(file) if isinstance(file, bytes) else None
        self.inputs: List[Port] = ports_of(self._loaded, is_input=True) if self._loaded else []
        self.outputs: List[Port] = ports_of(self._loaded, is_input=False) if self._loaded else []
        self._numbers: Dict[str, int] = {port.name: port.index for port in self.inputs}
        # A name of the source may be one of these, at another place.
        for port in self.inputs:
            self._numbers.setdefault(f"arg{port.index}", port.index)

    @property
    def _session(self) -> Session:
        """What other sessions are made from."""
        if self._loaded is None:
            raise self._no_program()
        return self._loaded

    @property
    def devices(self) -> int:
        """How many devices the mesh has."""
        return int(library.ring_device_count(self._session.handle))

    def run(self, *inputs: Any, **options: Any) -> Any:
        """Runs it on an emulated mesh; gives the output, or a tuple of several.

        Inputs are arrays or tensors, in order or by name (`q=...`), and are read where they lie
        if they are contiguous and of the program's type. Options: backend ("cpu", "reference",
        "tile"), threads, device_memory (bytes; needing more is an OutOfMemoryError).
        """
        return self.execute(*inputs, **options).results

    def execute(self, *inputs: Any, **options: Any) -> Run:
        """As `run`, but gives the Run, with what it cost."""
        session, torch = self._bound(inputs, options, gradients=False)
        session.run()
        return Run(session, self.outputs, torch)

    def example_inputs(self, seed: int = 1) -> Tuple[Any, ...]:
        """Inputs as `check` makes them from a seed."""
        session = self._session.share()
        session.generate(seed)
        return tuple(session.read(port, None) for port in self.inputs)

    def check(self, *inputs: Any, seed: int = 1, tolerance: float = 0, **options: Any) -> Check:
        """Runs it on these inputs, or on some by seed, and judges the outputs by what is
        meant, in double precision. A tolerance takes the place of the bounds. What is meant is
        the module before any pass; of a program from a file, which has no module, the same
        program, so that a compiler's mistake shows only before it is saved."""
        session = self._ready(inputs, options, seed)
        session.run()
        self._judge(session, real_number("tolerance", tolerance, 0))
        judged = []
        for port in self.outputs:
            one = Judgement()
            session.must(library.ring_read_judgement(session.handle, port.index,
                                                     ctypes.byref(one)))
            judged.append(OutputCheck(
                port.name, bool(one.passed), bool(one.finite), one.relative_error, one.max_error,
                one.rmse, one.pcc, one.share_of_bound, text_of(one.fault)))
        return Check(judged, text_of(library.ring_check_text(session.handle)).rstrip())

    def predict(self, machine: Optional[Path] = None) -> Prediction:
        """What a run would cost on a machine: one by name, such as "t3000", or the path of
        a machine file. It is predicted for the program as it is."""
        session = self._simulated(machine)
        return Prediction(text_of(library.ring_summary(session.handle)).rstrip(),
                          _statistics(session))

    def report(self, path: Optional[Path] = None, inputs: Sequence[Any] = (), *,
               machine: Optional[Path] = None, seed: int = 1, check: bool = True,
               **options: Any) -> Report:
        """A page about a run on these inputs, or on some by seed, with the result of its
        check, which takes long where tensors are large; with a machine, about what is
        predicted for it. Written to `path`, if there is one."""
        if machine is not None:
            if inputs or options:
                raise InputError("expects no inputs and options with a machine, on which "
                                 "nothing is computed")
            session = self._simulated(machine)
        else:
            if not isinstance(inputs, (list, tuple)):
                raise InputError("expects inputs to be all of them, as a list or a tuple, but got "
                                 f"{type(inputs).__name__}")
            session = self._ready(inputs, options, seed)
            library.ring_set_trace(session.handle, 1)
            session.run()
            if check:
                self._judge(session)
        report = Report(self._page(session))
        if path is not None:
            report.save(path)
        return report

    def save(self, path: Path) -> None:
        """Writes the program file, which `ring-exec` and `load` run without the compiler. A path
        that ends as other files do, such as a.py, is refused."""
        if isinstance(self._file, Error):
            raise self._no_program()
        if path_text(path).lower().endswith(_SUFFIXES):
            raise RunError(f"expects a path such as a.ring for a program file, but got '{path}'")
        write_file(path, self._file)

    def __repr__(self) -> str:
        if self._loaded is None:
            return f"<no program: {self._no_program()}>"
        ports = [", ".join(f"{port.name}: {port.type_text}" for port in side)
                 for side in (self.inputs, self.outputs)]
        return f"<program on {self.devices} devices: ({ports[0]}) -> ({ports[1]})>"

    def _no_program(self) -> Error:
        """Why there is none: a new exception for each who asks, with frames of its own."""
        return type(self._file)(str(self._file)) if isinstance(self._file, Error) else Error()

    def _judge(self, session: Session, tolerance: float = 0) -> None:
        session.must(library.ring_check(session.handle, self._meaning().handle, tolerance))

    # What the compiler knows better.

    def _meaning(self) -> Session:
        return self._session

    def _page(self, session: Session) -> str:
        page = library.ring_report(session.handle)
        if page is None:
            raise RunError(session.error())
        return text_of(page)

    def _default_machine(self) -> Optional[str]:
        return None

    # Sessions of one run each.

    def _simulated(self, machine: Optional[Path]) -> Session:
        session = self._session.share()
        machine = machine if machine is not None else self._default_machine()
        if machine is None:
            raise RunError("expects a machine to predict for, such as t3000")
        session.must(library.ring_set_backend(session.handle, b"sim"))
        library.ring_set_machine(session.handle, os.fsencode(path_text(machine)))
        library.ring_set_trace(session.handle, 1)
        session.run()
        return session

    def _ready(self, inputs: Sequence[Any], options: Dict[str, Any], seed: int) -> Session:
        """A session with these inputs, or with some by seed if there are none."""
        if inputs or any(name in self._numbers for name in options):
            return self._bound(inputs, options)[0]
        session = self._session.share()
        self._set(session, options)
        session.generate(seed)
        return session

    def _bound(self, inputs: Sequence[Any], options: Dict[str, Any],
               gradients: bool = True) -> Tuple[Session, Any]:
        """A session with inputs, and the module torch if one of them is a tensor of it. Without
        `gradients`, a tensor that results would have gradients of is refused."""
        session = self._session.share()
        named = {name: options.pop(name) for name in list(options) if name in self._numbers}
        if len(inputs) == 1 < len(self.inputs):
            self._refuse_list(inputs[0])
        if len(inputs) > len(self.inputs):
            raise InputError(f"expects {len(self.inputs)} inputs, but got {len(inputs)}")
        given: Dict[int, Any] = dict(enumerate(inputs))
        for name, value in named.items():
            number = self._numbers[name]
            if number in given:
                raise InputError(f"expects input '{name}' once, but got it twice")
            given[number] = value
        self._set(session, options)
        for port in self.inputs:
            if port.index not in given:
                raise InputError(f"expects {len(self.inputs)} inputs, but got {len(given)}: "
                                 f"{port.name} is missing")
            if not gradients:
                _tensors.refuse_gradients(given[port.index], port.name)
            session.bind(port, given[port.index])
        torches = [_tensors.torch_of(value) for value in given.values()]
        return session, next((torch for torch in torches if torch is not None), None)

    def _refuse_list(self, value: Any) -> None:
        """All inputs as one."""
        if isinstance(value, (list, tuple)) and any(hasattr(one, "shape") for one in value):
            raise InputError(f"expects {len(self.inputs)} inputs, but got one "
                             f"{type(value).__name__} of {len(value)}; a star before it hands on "
                             "what is in it: run(*inputs)")

    def _set(self, session: Session, options: Mapping[str, Any]) -> None:
        for name, value in options.items():
            if name == "backend":
                session.must(library.ring_set_backend(session.handle, text(name, value).encode()))
            elif name == "threads":
                library.ring_set_threads(session.handle, whole_number(name, value, 0, 4096))
            elif name == "device_memory":
                library.ring_set_device_memory(session.handle,
                                               whole_number(f"{name}, in bytes,", value, 0))
            else:
                known = [*self._numbers, "backend", "threads", "device_memory"]
                raise InputError(f"expects one of {', '.join(known)}, but got '{name}'"
                                 + did_you_mean(name, known))


def load(path: Path) -> Program:
    """Loads a program file, as `Program.save` and `ring-translate --mlir-to-program` write them.
    It knows the names of its inputs, but not the model that it was compiled from: `check` judges
    whether the file is computed rightly, not whether it was compiled rightly."""
    file = read_file(path, RunError)
    try:
        return Program(file)
    except Error as problem:
        raise RunError(f"{path}: {problem}") from None


def _statistics(session: Session) -> Dict[str, Any]:
    statistics: Dict[str, Any] = json.loads(text_of(library.ring_statistics(session.handle)))
    return statistics
