# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as exceptions with the compiler's and the runtime's own words."""

from __future__ import annotations

from typing import Any, Tuple


class Error(Exception):
    """Something that the compiler or the runtime refuses; its text says what it
    expected and what it got."""


class CompileError(Error):
    """A module cannot be read, compiled or translated."""


class RunError(Error):
    """A program cannot be run as it was asked to."""


class OutOfMemoryError(RunError):
    """The memory of a device does not suffice; `value` is what did not fit."""

    def __init__(self, text: str, value: str):
        super().__init__(text)
        self.value = value

    def __reduce__(self) -> Tuple[Any, ...]:
        # Exceptions travel between processes by their arguments.
        return type(self), (str(self), self.value)


class InputError(Error, ValueError):
    """An input is none that the program takes."""
