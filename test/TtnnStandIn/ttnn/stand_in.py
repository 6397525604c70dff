# SPDX-License-Identifier: Apache-2.0
"""What tests ask of the stand-in that ttnn does not have."""

import numpy as np

from .mesh import peak_bytes  # noqa: F401
from .rules import TRACING
from .tensor import Buffer, Tensor
from .values import Layout


def traced_tensor(shape, dtype, parts=1):
    """A tensor of the host without numbers, in `parts` buffers."""
    assert TRACING, "only shapes are traced"
    array = np.broadcast_to(np.float32(0), tuple(shape))
    return Tensor._make(Buffer([array] * parts), shape, dtype, Layout.TILE)
