# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch in and out; torch itself where it is installed, its stand-in elsewhere."""

import sys
import unittest

import numpy as np
import reference
import ring_mlir as ring


class Torch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        assert "torch" not in sys.modules, "ring_mlir must not import torch"
        import torch
        cls.torch = torch

    def tensors(self, dtype):
        """Tensors, and the same numbers in NumPy."""
        arrays = reference.inputs(60)
        if dtype != "bfloat16":
            arrays = [array.astype(dtype) for array in arrays]
            return [self.torch.from_numpy(array) for array in arrays], arrays
        bits = [(reference.round_to_bf16(array).view(np.uint32) >> 16).astype(np.uint16)
                for array in arrays]
        return ([self.torch.from_numpy(one.view(np.int16)).view(self.torch.bfloat16)
                 for one in bits], [reference.round_to_bf16(array) for array in arrays])

    def numbers(self, tensor):
        if tensor.dtype != self.torch.bfloat16:
            return tensor.numpy()
        bits = tensor.view(self.torch.int16).numpy().view(np.uint16)
        return (bits.astype(np.uint32) << 16).view(np.float32)

    def test_types_are_kept(self):
        for dtype, bound in (("float32", 2e-6), ("float16", 2e-3), ("bfloat16", 3e-2)):
            with self.subTest(dtype=dtype):
                tensors, arrays = self.tensors(dtype)
                out = ring.attention(*tensors, causal=True, mesh="1x4")
                self.assertIsInstance(out, self.torch.Tensor)
                self.assertEqual(out.dtype, getattr(self.torch, dtype))
                meant = reference.attention(*arrays, causal=True)
                self.assertLess(np.abs(self.numbers(out) - meant).max(), bound)

    def test_types_are_not_mixed(self):
        q, k, v = self.tensors("bfloat16")[0]
        other = self.tensors("float32")[0]
        with self.assertRaises(ring.InputError) as caught:
            ring.attention(q, other[1], v)
        self.assertIn("expects q, k and v of one type, but got bf16, f32", str(caught.exception))

    def test_a_bf16_program_takes_either(self):
        tensors, arrays = self.tensors("bfloat16")
        program = ring.compile_attention(*tensors, mesh="1x4")
        self.assertEqual(program.inputs[0].type, "bf16")
        out = program.run(*tensors)
        self.assertEqual(out.dtype, self.torch.bfloat16)
        self.assertTrue(np.array_equal(self.numbers(out), program.run(*arrays)))
        self.assertTrue(program.check(*tensors))


if __name__ == "__main__":
    unittest.main()
