# SPDX-License-Identifier: Apache-2.0
"""Attention over sequences that are too long for one chip: compile it, run it on an emulated
mesh, check it, and predict what it takes.

    >>> import numpy as np
    >>> import ring_mlir as ring
    >>> rng = np.random.default_rng(1)
    >>> q, k, v = (rng.standard_normal((1, 4, 100, 32), dtype=np.float32) for _ in range(3))
    >>> ring.attention(q, k, v, causal=True, mesh="1x4").shape
    (1, 4, 100, 32)

With IR, or for more than the result:

    >>> program = ring.compile_attention(q, k, v, causal=True, mesh="1x4", strategy="ring")
    >>> program
    <program on 4 devices: (q: 1x4x100x32xf32, k: 1x4x100x32xf32, v: 1x4x100x32xf32) -> \
(out0: 1x4x100x32xf32)>
    >>> bool(program.check(q, k, v))
    True
    >>> program.plan.chosen[0]["strategy"]
    'ring'

docs/Python.md tells the rest.
"""

from ._attention import attention, compile_attention
from ._checks import Mesh
from ._library import library as _library
from .compiler import Compiled, Message, compile
from .errors import CompileError, Error, InputError, OutOfMemoryError, RunError
from .program import Program, Run, load
from .results import Check, OutputCheck, Plan, Prediction, Report

__version__: str = _library.ring_version().decode()

__all__ = [
    "Check", "CompileError", "Compiled", "Error", "InputError", "Mesh", "Message",
    "OutOfMemoryError", "OutputCheck", "Plan", "Prediction", "Program", "Report", "Run",
    "RunError", "attention", "compile", "compile_attention", "load",
]
