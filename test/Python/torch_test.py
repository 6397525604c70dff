# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch in and out: torch itself, or its stand-in, which shows less."""

import sys
import threading
import unittest

import numpy as np
import reference
import ring_mlir as ring

assert "torch" not in sys.modules, "ring_mlir must not import torch"
import torch  # noqa: E402

REAL = torch.__version__ != "stand-in"
real = unittest.skipUnless(REAL, "expects torch itself")

MIXED = """
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @mixed(%a: tensor<4x8xf32>, %b: tensor<4x8xbf16>, %n: tensor<4xi32>) -> (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4xi32>) {
    %0 = "ttir.add"(%a, %a) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = "ttir.add"(%b, %b) : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
    return %0, %1, %n : tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4xi32>
  }
}
"""

SHARDS = """
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @pass_on(%k: tensor<2x8xbf16>) -> tensor<2x8xbf16> {
    %0 = ring.shift %k by 1 on <1 in 1x4> : tensor<2x8xbf16>
    return %0 : tensor<2x8xbf16>
  }
}
"""


def tensors(dtype, length=60):
    """Tensors, and the same numbers in NumPy."""
    arrays = reference.inputs(length)
    if dtype != "bfloat16":
        arrays = [array.astype(dtype) for array in arrays]
        return [torch.from_numpy(array) for array in arrays], arrays
    bits = [(reference.round_to_bf16(array).view(np.uint32) >> 16).astype(np.uint16)
            for array in arrays]
    return ([torch.from_numpy(one.view(np.int16)).view(torch.bfloat16) for one in bits],
            [reference.round_to_bf16(array) for array in arrays])


def numbers(tensor):
    if tensor.dtype != torch.bfloat16:
        return tensor.numpy()
    bits = tensor.view(torch.int16).numpy().view(np.uint16)
    return (bits.astype(np.uint32) << 16).view(np.float32)


class Torch(unittest.TestCase):
    def refuses(self, expected, call):
        with self.assertRaises(ring.InputError) as caught:
            call()
        self.assertIn(expected, str(caught.exception))

    def test_types_are_kept(self):
        for dtype, bound in (("float32", 2e-6), ("float16", 2e-3), ("bfloat16", 3e-2)):
            with self.subTest(dtype=dtype):
                given, arrays = tensors(dtype)
                out = ring.attention(*given, causal=True, mesh="1x4")
                self.assertIsInstance(out, torch.Tensor)
                self.assertEqual(out.dtype, getattr(torch, dtype))
                meant = reference.attention(*arrays, causal=True)
                self.assertLess(np.abs(numbers(out) - meant).max(), bound)

    def test_types_are_not_mixed(self):
        q, _, v = tensors("bfloat16")[0]
        self.refuses("expects q, k and v of one type, but got bf16, f32",
                     lambda: ring.attention(q, tensors("float32")[0][1], v))

    def test_a_bf16_program_takes_either(self):
        given, arrays = tensors("bfloat16")
        program = ring.compile_attention(*given, mesh="1x4")
        self.assertEqual(program.inputs[0].type, "bf16")
        out = program.run(*given)
        self.assertEqual(out.dtype, torch.bfloat16)
        self.assertTrue(np.array_equal(numbers(out), program.run(*arrays)))
        self.assertTrue(program.check(*given))

    def test_several_results_keep_their_types(self):
        program = ring.compile(MIXED)
        a = torch.from_numpy(reference.normal(4, 8))
        b = tensors("bfloat16")[0][0][0][0][:4]
        b = torch.from_numpy(np.ascontiguousarray(
            b.view(torch.int16).numpy()[:, :8])).view(torch.bfloat16)
        n = torch.from_numpy(np.arange(4, dtype=np.int64))
        outputs = program.run(a, b, n=n)
        self.assertIsInstance(outputs, tuple)
        self.assertEqual([out.dtype for out in outputs],
                         [torch.float32, torch.bfloat16, torch.int32])
        self.assertTrue(np.array_equal(numbers(outputs[0]), 2 * numbers(a)))
        self.assertTrue(np.array_equal(numbers(outputs[1]), 2 * numbers(b)))
        self.assertTrue(np.array_equal(numbers(outputs[2]), np.arange(4)))

    def test_shards_have_the_devices_in_front(self):
        program = ring.compile(SHARDS)
        bits = np.arange(64, dtype=np.int16).reshape(4, 2, 8)
        out = program.run(torch.from_numpy(bits).view(torch.bfloat16))
        self.assertEqual(out.dtype, torch.bfloat16)
        self.assertTrue(np.array_equal(out.view(torch.int16).numpy(), np.roll(bits, 1, axis=0)))

    def test_arrays_and_tensors_together(self):
        given, arrays = tensors("float16")
        out = ring.attention(arrays[0], given[1], arrays[2], mesh="1x4")
        self.assertIsInstance(out, torch.Tensor)
        self.assertEqual(out.dtype, torch.float16)
        self.assertTrue(np.array_equal(numbers(out), ring.attention(*arrays, mesh="1x4")))

    def test_gradients_are_not_lost_in_silence(self):
        q, k, v = tensors("float32")[0]
        program = ring.compile_attention(q, k, v, mesh="1x4")
        q.requires_grad = True
        self.refuses("input 'q' expects a tensor that requires no gradients, since results have "
                     "none, but got one that does; detach() it", lambda: program.run(q, k, v))
        self.refuses("input 'q' expects a tensor that requires no gradients",
                     lambda: ring.attention(q, k, v, mesh="1x4"))
        with torch.no_grad():
            out = program.run(q, k, v)
        self.assertFalse(out.requires_grad)
        self.assertTrue(np.array_equal(numbers(program.run(q.detach(), k, v)), numbers(out)))
        # A check gives no tensors back.
        self.assertTrue(program.check(q, k, v))

    @real
    def test_memory_is_shared(self):
        from ring_mlir._session import _Memory
        for dtype in ("float32", "bfloat16"):
            with self.subTest(dtype=dtype):
                given = tensors(dtype)[0]
                given[1] = given[1].transpose(1, 2).contiguous().transpose(1, 2)
                program = ring.compile_attention(*given, mesh="1x4")
                session, _ = program._bound(given, {})
                where = [np.asarray(_Memory(session, port, 0)).ctypes.data
                         for port in program.inputs]
                self.assertEqual([at == one.data_ptr() for at, one in zip(where, given)],
                                 [True, False, True], "what is contiguous is read where it lies")
                run = program.execute(*given)
                output = np.asarray(_Memory(run._session, program.outputs[0], 0))
                self.assertEqual(run.results.data_ptr(), output.ctypes.data)

    @real
    def test_results_outlive_their_run(self):
        given = tensors("float32")[0]
        program = ring.compile_attention(*given, mesh="1x4")
        out = program.run(*given)
        copy = out.clone()
        for _ in range(3):
            program.run(*[one * 0 for one in given])
        self.assertTrue(torch.equal(out, copy))
        out += 1  # is the caller's own
        self.assertTrue(torch.equal(program.run(*given), copy))

    @real
    def test_any_strides(self):
        q, k, v = tensors("float32")[0]
        meant = ring.attention(q, k, v, mesh="1x4")
        for name, change in (
                ("turned", lambda x: x.transpose(1, 2).contiguous().transpose(1, 2)),
                ("every other", lambda x: torch.stack([x, x + 1], -1)[..., 0]),
                ("expanded", lambda x: x[:, :, :, :].expand(1, -1, -1, -1)),
                ("moved", lambda x: torch.cat([torch.zeros(1), x.flatten()])[1:].view(x.shape))):
            for dtype in (torch.float32, torch.bfloat16):
                with self.subTest(name=name, dtype=dtype):
                    given = [change(x).to(dtype) if dtype == torch.float32 else
                             change(x.to(dtype).float()).to(dtype) for x in (q, k, v)]
                    out = ring.attention(*given, mesh="1x4")
                    plain = ring.attention(*[x.to(dtype) for x in (q, k, v)], mesh="1x4")
                    self.assertTrue(torch.equal(out, plain))
        self.assertEqual(meant.stride(), meant.contiguous().stride())

    @real
    def test_agrees_with_torch(self):
        """In f64, as torch computes it."""
        q, k, v = tensors("float32")[0]
        out = ring.attention(q, k, v, mesh="1x4", causal=True)
        wide_q, wide_k, wide_v = q.double(), k.double(), v.double()
        wide_k, wide_v = (x.repeat_interleave(2, dim=1) for x in (wide_k, wide_v))
        scores = wide_q @ wide_k.transpose(-1, -2) / q.shape[-1] ** 0.5
        hidden = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).triu(1)
        meant = scores.masked_fill(hidden, float("-inf")).softmax(-1) @ wide_v
        self.assertLess((out - meant).abs().max().item(), 2e-6)
        mask = torch.zeros(q.shape[2], k.shape[2]).masked_fill(hidden, float("-inf"))
        out = ring.attention(q, k, v, mesh="1x4", mask=mask)
        self.assertLess((out - meant).abs().max().item(), 2e-6)

    @real
    def test_what_has_no_numbers_is_refused(self):
        q, k, v = tensors("float32")[0]
        # Shapes and types are all that counts for compiling.
        program = ring.compile_attention(*[x.to("meta") for x in (q, k, v)], mesh="1x4")
        self.assertTrue(torch.equal(program.run(q, k, v), ring.attention(q, k, v, mesh="1x4")))
        for expected, tensor in (("torch.float32 on meta: ", q.to("meta")),
                                 ("torch.float32 on cpu: ", q.to_sparse()),
                                 ("torch.quint8 on cpu: ",
                                  torch.quantize_per_tensor(q, 0.1, 0, torch.quint8))):
            self.refuses("input 'q' expects a tensor that NumPy can read, but got " + expected,
                         lambda tensor=tensor: program.run(tensor, k, v))
        self.refuses("but got float64; a cast such as float() says that its roundings are meant",
                     lambda: program.run(q.double(), k, v))
        self.refuses("but got float64; a cast such as float()",
                     lambda: ring.attention(q.double(), k, v))
        self.refuses("input 'q' expects numbers of f32, bf16 or f16 for f32, but got complex64",
                     lambda: program.run(torch.complex(q, q), k, v))

    @real
    def test_parameters_and_inference(self):
        q, k, v = tensors("float32")[0]
        meant = ring.attention(q, k, v, mesh="1x4")
        self.refuses("requires no gradients",
                     lambda: ring.attention(torch.nn.Parameter(q), k, v, mesh="1x4"))
        with torch.inference_mode():
            out = ring.attention(torch.nn.Parameter(q) * 1, k, v, mesh="1x4")
        self.assertTrue(torch.equal(out, meant))

    def test_threads(self):
        given = tensors("bfloat16")[0]
        program = ring.compile_attention(*given, mesh="1x4")
        meant = numbers(program.run(*given))
        problems = []

        def work():
            try:
                for _ in range(5):
                    assert np.array_equal(numbers(program.run(*given)), meant)
            except Exception as problem:  # is told by the thread that started it
                problems.append(problem)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])


if __name__ == "__main__":
    print(f"torch {torch.__version__}", flush=True)
    unittest.main()
