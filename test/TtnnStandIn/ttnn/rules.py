# SPDX-License-Identifier: Apache-2.0
"""How a rule of a device op is checked."""

import os

TILE = 32
TRACING = os.environ.get("TTNN_STAND_IN") == "trace"


def require(condition, rule):
    """Fails as ttnn does where it refuses to run."""
    if not condition:
        raise RuntimeError(f"TT_FATAL: {rule}")


def check_type(value, kind, name):
    """Fails as a binding does that gets something else than it takes."""
    if not isinstance(value, kind):
        raise TypeError(f"incompatible function arguments: {name} is {type(value).__name__}")
    return value


def check_int(value, name):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"incompatible function arguments: {name} is {type(value).__name__}")
    return value


def check_flag(value, name):
    if not isinstance(value, bool):
        raise TypeError(f"incompatible function arguments: {name} is {type(value).__name__}")
    return value
