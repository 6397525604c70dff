# SPDX-License-Identifier: Apache-2.0
"""The few calls of torch that ring_mlir makes, on NumPy's memory, for machines without torch.

It shows that tensors are recognised and keep their types and memory, by the documented
behaviour of these calls; it does not show that torch behaves so.
"""

import contextlib

import numpy as np

__version__ = "stand-in"
_grad_enabled = True

bfloat16, float16, float32, int16, int32, int64 = (
    f"torch.{name}" for name in ("bfloat16", "float16", "float32", "int16", "int32", "int64"))
_HELD = {bfloat16: np.uint16, float16: np.float16, float32: np.float32, int16: np.int16,
         int32: np.int32, int64: np.int64}


class Tensor:
    def __init__(self, array, dtype):
        assert array.dtype == _HELD[dtype]
        self.array, self.dtype, self.device = array, dtype, "cpu"
        self.requires_grad = False

    shape = property(lambda self: self.array.shape)

    def detach(self):
        return Tensor(self.array, self.dtype)

    def cpu(self):
        return self

    def contiguous(self):
        return Tensor(np.ascontiguousarray(self.array), self.dtype)

    def numpy(self):
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.dtype == bfloat16:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.array

    def view(self, dtype):
        return Tensor(self.array.view(_HELD[dtype]), dtype)

    def to(self, what):
        if what == "cpu":
            return self
        assert bfloat16 not in (self.dtype, what)
        return Tensor(self.array.astype(_HELD[what]), what)

    def __getitem__(self, index):
        part = Tensor(self.array[index], self.dtype)
        part.requires_grad = self.requires_grad
        return part


def from_numpy(array):
    return Tensor(array, f"torch.{array.dtype}")


def is_grad_enabled():
    return _grad_enabled


@contextlib.contextmanager
def no_grad():
    global _grad_enabled
    _grad_enabled = False
    try:
        yield
    finally:
        _grad_enabled = True


def stack(tensors):
    return Tensor(np.stack([one.array for one in tensors]), tensors[0].dtype)
