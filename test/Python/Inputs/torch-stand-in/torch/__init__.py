# SPDX-License-Identifier: Apache-2.0
"""The few calls of torch that ring_mlir makes, on NumPy's memory, for machines without torch.

It shows that tensors are recognised and keep their types and memory, by the documented
behaviour of these calls; it does not show that torch behaves so.
"""

import numpy as np

bfloat16, float16, float32, int16, int32, int64 = (
    f"torch.{name}" for name in ("bfloat16", "float16", "float32", "int16", "int32", "int64"))
_HELD = {bfloat16: np.uint16, float16: np.float16, float32: np.float32, int16: np.int16,
         int32: np.int32, int64: np.int64}


class Tensor:
    def __init__(self, array, dtype):
        assert array.dtype == _HELD[dtype]
        self.array, self.dtype, self.device = array, dtype, "cpu"

    shape = property(lambda self: self.array.shape)

    def detach(self):
        return self

    def cpu(self):
        return self

    def contiguous(self):
        return Tensor(np.ascontiguousarray(self.array), self.dtype)

    def numpy(self):
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
        return Tensor(self.array[index], self.dtype)


def from_numpy(array):
    return Tensor(array, f"torch.{array.dtype}")


def stack(tensors):
    return Tensor(np.stack([one.array for one in tensors]), tensors[0].dtype)
