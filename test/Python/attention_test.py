# SPDX-License-Identifier: Apache-2.0
"""ring.attention against the definition."""

import unittest

import numpy as np
import reference
import ring_mlir as ring


class Attention(unittest.TestCase):
    def agrees(self, q, k, v, *, bound=2e-6, **options):
        out = ring.attention(q, k, v, **options)
        meant = reference.attention(q, k, v, **{
            name: options[name] for name in ("causal", "window", "scale", "mask")
            if name in options})
        self.assertEqual(out.shape, meant.shape)
        self.assertLess(np.abs(out - meant).max(), bound)
        return out

    def test_lengths_that_nothing_divides(self):
        for length in (1, 3, 31, 101, 257):
            with self.subTest(length=length):
                self.agrees(*reference.inputs(length), mesh="1x4")
                self.agrees(*reference.inputs(length), causal=True)

    def test_fewer_queries_than_keys(self):
        self.agrees(*reference.inputs(10, 77), mesh="1x4")

    def test_batch_and_groups_of_heads(self):
        for heads, key_heads in ((8, 1), (8, 8), (6, 2)):
            with self.subTest(heads=heads, key_heads=key_heads):
                self.agrees(*reference.inputs(64, heads=heads, key_heads=key_heads, batch=2),
                            mesh="1x4", causal=True)

    def test_strategies_and_meshes(self):
        given = reference.inputs(96, heads=8, key_heads=8)
        for strategy in ("ring", "ulysses", "all_gather", "replicate", "usp"):
            with self.subTest(strategy=strategy):
                self.agrees(*given, causal=True, strategy=strategy, mesh=(2, 4))
        self.agrees(*given, mesh="4x2", sequence_axis=1, head_axis=0)

    def test_window_scale_and_mask(self):
        given = reference.inputs(90)
        self.agrees(*given, causal=True, window=17, mesh="1x4", strategy="halo")
        self.agrees(*given, causal=True, window=1, mesh="1x4")
        self.agrees(*given, scale=0.3, mesh="1x4")
        self.agrees(*given, scale=-1e-20, mesh="1x4")
        mask = reference.normal(1, 1, 90, 90, seed=4)
        self.agrees(*given, mask=mask, mesh="1x4")
        out = ring.attention(*given, mask=mask, mesh="1x4")
        for fewer in (mask[0], mask[0, 0]):
            self.assertTrue(np.array_equal(out, ring.attention(*given, mask=fewer, mesh="1x4")))

    def test_without_a_batch(self):
        q, k, v = (x[0] for x in reference.inputs(50))
        self.assertEqual(self.agrees(q, k, v, mesh="1x4").ndim, 3)
        program = ring.compile_attention(q, k, v, mesh="1x4")
        self.assertEqual({port.shape for port in program.inputs[1:]}, {(1, *k.shape)})
        out = program.run(q[None], k[None], v[None])
        self.assertTrue(np.array_equal(out, ring.attention(q, k, v, mesh="1x4")[None]))

    def test_f16_is_computed_in_f32(self):
        given = [x.astype(np.float16) for x in reference.inputs(70)]
        out = self.agrees(*given, mesh="1x4", bound=2e-3)
        self.assertEqual(out.dtype, np.float16)
        wide = ring.attention(*(x.astype(np.float32) for x in given), mesh="1x4")
        self.assertTrue(np.array_equal(out, wide.astype(np.float16)))
        program = ring.compile_attention(*given, mesh="1x4")
        self.assertTrue(np.array_equal(program.run(*given), wide))

    def test_any_memory(self):
        """What is not contiguous is copied, and what is may begin anywhere."""
        q, k, v = reference.inputs(64)
        meant = ring.attention(q, k, v, mesh="1x4")
        turned = [np.asfortranarray(x) for x in (q, k, v)]
        self.assertTrue(np.array_equal(ring.attention(*turned, mesh="1x4"), meant))
        for offset in (1, 2, 3, 5, 8, 15):
            moved = []
            for array in (q, k, v):
                room = np.empty(array.size + 64, np.float32)
                part = room[offset:offset + array.size].reshape(array.shape)
                part[:] = array
                moved.append(part)
            self.assertTrue(np.array_equal(ring.attention(*moved, mesh="1x4"), meant))

    def test_refusals(self):
        q, k, v = reference.inputs(32)
        for expected, call in (
                ("expects causal=True with a window", lambda: ring.attention(q, k, v, window=3)),
                ("expects window to be a whole number of at least 1, but got 0",
                 lambda: ring.attention(q, k, v, causal=True, window=0)),
                ("expects window to be a whole number of at least 1, but got 2.5",
                 lambda: ring.attention(q, k, v, causal=True, window=2.5)),
                ("expects scale to be a finite number, but got nan",
                 lambda: ring.attention(q, k, v, scale=float("nan"))),
                ("expects scale to be a finite number, but got 'x'",
                 lambda: ring.attention(q, k, v, scale="x")),
                ("expects scale to be a number that f32 holds, but got 1e+39",
                 lambda: ring.attention(q, k, v, scale=1e39)),
                ("expects causal to be True or False, but got 'False'",
                 lambda: ring.attention(q, k, v, causal="False")),
                ("expects as many queries as keys with causal=True, but got 1 and 32; a last query "
                 "sees all keys, without causal",
                 lambda: ring.attention(q[:, :, :1], k, v, causal=True)),
                ("expects causal=False with a mask, which can hide later keys itself, but got True",
                 lambda: ring.attention(q, k, v, causal=True, mask=q[0, 0])),
                ("expects q to have at least one element, but got the shape 4x0x32",
                 lambda: ring.attention(q[0, :, :0], k, v)),
                ("expects q to have at least one element, but got the shape 1x0x32x32",
                 lambda: ring.attention(q[:, :0], k[:, :0], v[:, :0])),
                ("expects k to have at least one element, but got the shape 1x0x32x32",
                 lambda: ring.attention(q, k[:, :0], v)),
                ("expects sequence_axis, an axis of the mesh 2x4, to be a whole number from 0 to 1, "
                 "but got 2", lambda: ring.attention(q, k, v, mesh="2x4", sequence_axis=2)),
                ("expects head_axis, an axis of the mesh 1x8,",
                 lambda: ring.attention(q, k, v, head_axis="heads")),
                ("expects q of [batch, heads, length, dim] or without the batch, but got 2",
                 lambda: ring.attention(q[0, 0], k, v)),
                ("expects a mesh like 2x4, but got 'a'",
                 lambda: ring.attention(q, k, v, mesh="a")),
                ("expects a mesh like '2x4' or (2, 4), but got 8",
                 lambda: ring.attention(q, k, v, mesh=8)),
                ("attention expects a mesh of positive axes with at most 1048576 devices, but got "
                 "[1, 9999999999]", lambda: ring.attention(q, k, v, mesh="1x9999999999")),
                ("expects v of k's shape, 1x2x32x32, but got 1x2x9x32",
                 lambda: ring.attention(q, k, v[:, :, :9])),
                ("expects k to have the batch and the dim of q, 1 and 32, but got 1x2x32x16",
                 lambda: ring.attention(q, k[..., :16], v)),
                ("expects the heads of k to divide the 3 of q, but got 2",
                 lambda: ring.attention(q[:, :3], k, v)),
                ("expects a mask of [1, 1 or 4, 1 or 32, 32], but got 1x2x32x32",
                 lambda: ring.attention(q, k, v, mask=k)),
                ("expects a mask of [batch, heads, queries, keys], perhaps without the first one or "
                 "two of them, but got 1 dimensions",
                 lambda: ring.attention(q, k, v, mask=q[0, 0, 0])),
                ("expects a mask of numbers that are added to the scores, 0 for a key that is seen "
                 "and -inf for one that is not, but got bool",
                 lambda: ring.attention(q, k, v, mask=q > 0)),
                ("expects a sliding window", lambda: ring.attention(q, k, v, strategy="halo")),
                ("expects an option of ring-attention-pipeline, but got 'lay_out'; did you mean "
                 "'layout'?", lambda: ring.attention(q, k, v, lay_out="zigzag")),
                ("but got 'cuasal'; did you mean 'causal'?",
                 lambda: ring.attention(q, k, v, cuasal=True))):
            with self.subTest(expected=expected), self.assertRaises(ring.Error) as caught:
                call()
            self.assertIn(expected, str(caught.exception))
            self.assertNotIn("source:", str(caught.exception))
        for mesh in ("", "x", "1x0", "1x-8", "1x8.0", "1 x 8", "1x8x", "0x1x2", "\uff11x8",
                     "1x99999999999999999999", (), (0,), (1, -8)):
            with self.subTest(mesh=mesh), self.assertRaises(ring.InputError) as caught:
                ring.attention(q, k, v, mesh=mesh)
            text = mesh if isinstance(mesh, str) else "x".join(map(str, mesh))
            self.assertEqual(str(caught.exception), f"expects a mesh like 2x4, but got '{text}'")

    def test_types_that_are_refused(self):
        """With the name of the argument, and with a cast where one would help."""
        q, k, v = reference.inputs(32)
        cast = "; a cast such as astype(np.float32) says that its roundings are meant"
        for value, expected in (
                (q.astype(float), "float64" + cast), (q.astype(int), "int64" + cast),
                (q.astype(">f4"), ">f4" + cast), (q.astype(complex), "complex128"),
                (q.astype(object), "object"), (None, "NoneType"), ("q", "str"), (3, "int"),
                (q.tolist(), "list" + cast.replace("astype(", "np.array(..., "))):
            for name, given in (("q", [value, k, v]), ("k", [q, value, v]), ("v", [q, k, value]),
                                ("mask", [q, k, v, value])):
                if name == "mask" and value is None:
                    continue
                with self.subTest(name=name, expected=expected), \
                        self.assertRaises(ring.InputError) as caught:
                    ring.attention(*given[:3], mask=given[3] if len(given) > 3 else None)
                self.assertEqual(str(caught.exception), f"expects {name} to be an array of float32, "
                                 f"bfloat16 or float16, but got {expected}")

    def test_what_changes_nothing(self):
        q, k, v = reference.inputs(32)
        meant = ring.attention(q, k, v, causal=True)
        for options in ({"window": 32}, {"window": 2 ** 32}, {"window": 2 ** 63 - 1},
                        {"mesh": None}, {"mesh": "01x8"}, {"mesh": np.array([1, 8])}):
            with self.subTest(options=options):
                out = ring.attention(q, k, v, causal=np.True_, **options)
                self.assertTrue(np.array_equal(out, meant))
        self.agrees(q[:, :, -1:], k, v)


if __name__ == "__main__":
    unittest.main()
