# SPDX-License-Identifier: Apache-2.0
"""What people do with Python's objects, and what they mistype."""

import copy
import os
import pathlib
import pickle
import tempfile
import unittest

import numpy as np
import reference
import ring_mlir as ring

CAUSAL = pathlib.Path(os.environ["RING_EXAMPLES"]) / "causal-small.mlir"

# Nothing to plan, and an op that nothing here runs.
UNKNOWN = """
func.func @unknown(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "ttir.made_up"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
"""


class Usage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = ring.compile(CAUSAL)
        cls.given = cls.program.example_inputs()

    def refuses(self, kind, expected, call):
        with self.subTest(expected=expected):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(expected, str(caught.exception))

    def test_programs_are_not_copied(self):
        """A copy would free the same handle a second time."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.ring")
            self.program.save(path)
            loaded = ring.load(path)
        for program in (self.program, loaded, self.program.execute(*self.given)):
            for how in (pickle.dumps, copy.deepcopy):
                self.refuses(TypeError, "cannot be pickled or copied; a program can be saved",
                             lambda how=how, program=program: how(program))

    def test_what_is_known_of_them_is(self):
        check = self.program.check(*self.given)
        self.assertEqual(pickle.loads(pickle.dumps(check))[0], check[0])
        plan = self.program.plan
        self.assertEqual(pickle.loads(pickle.dumps(plan)).chosen, plan.chosen)
        out = self.program.run(*self.given)
        self.assertTrue(np.array_equal(copy.deepcopy(out), out))
        with self.assertRaises(ring.OutOfMemoryError) as caught:
            self.program.run(*self.given, device_memory=10)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.value),
                         (str(caught.exception), caught.exception.value))

    def test_a_program_goes_on_after_a_failure(self):
        meant = self.program.run(*self.given)
        for options in ({"device_memory": 10}, {"backend": "gpu"}, {"backend": "tile"}):
            with self.assertRaises(ring.Error):
                self.program.run(*self.given, **options)
            self.assertTrue(np.array_equal(self.program.run(*self.given), meant))

    def test_a_reason_is_told_anew(self):
        """An exception that were raised twice would gather the frames of both."""
        program = ring.compile(UNKNOWN)
        caught = []
        for _ in range(2):
            with self.assertRaises(ring.CompileError) as one:
                program.run()
            caught.append(one.exception)
        self.assertIsNot(*caught)
        self.assertEqual(*map(str, caught))

    def test_numbers_of_numpy_are_numbers(self):
        meant = self.program.run(*self.given)
        out = self.program.run(*self.given, threads=np.int64(1), device_memory=np.int64(1 << 30))
        self.assertTrue(np.array_equal(out, meant))
        self.assertEqual(ring.compile(CAUSAL, mesh=np.array([1, 2])).devices, 2)
        self.assertTrue(self.program.check(seed=np.uint8(3), tolerance=np.float32(0.1)))

    def test_paths(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for path in (folder / "a.ring", folder / "a.mlir"):
                self.program.save(path)
            self.program.report(folder / "a.html", check=False)
            self.assertIn("<html", (folder / "a.html").read_text(encoding="utf-8"))
            self.assertEqual(ring.load(folder / "a.ring").devices, 4)
            self.assertIn("ring.", (folder / "a.mlir").read_text())
            self.refuses(ring.CompileError, f"expects a module, but '{folder / 'a.ring'}' is a "
                         "program file", lambda: ring.compile(folder / "a.ring"))
            self.refuses(ring.RunError, f"cannot read '{folder}': Is a directory",
                         lambda: ring.load(folder))
        self.refuses(ring.RunError, "cannot read 'none.ring': No such file or directory",
                     lambda: ring.load("none.ring"))
        self.refuses(ring.RunError, "expects a program file, which has the identifier RING, but got",
                     lambda: ring.load(CAUSAL))
        for path in ("none/a.ring", "none/a.mlir"):
            self.refuses(ring.RunError, f"cannot write '{path}': No such file or directory",
                         lambda path=path: self.program.save(path))
        self.refuses(ring.RunError, "cannot write 'none/a.html': No such file or directory",
                     lambda: self.program.report("none/a.html", check=False))
        for call in (self.program.save, ring.load):
            for path in (b"x", None, 3):
                self.refuses(ring.InputError, "expects a path as a string or a pathlib.Path, but "
                             f"got {path!r}", lambda call=call, path=path: call(path))
            self.refuses(ring.RunError, "null byte", lambda call=call: call("a\0b"))
        self.refuses(ring.CompileError, "null byte", lambda: ring.compile("a\0b"))
        self.refuses(ring.InputError, "expects a path as a string or a pathlib.Path, but got b'x'",
                     lambda: self.program.predict(b"x"))

    def test_what_a_file_is_called(self):
        """By its end it is what other tools take it for."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.program.save(folder / "a.MLIR")
            self.assertEqual((folder / "a.MLIR").read_text(), self.program.ir)
            for path in (folder / "a", folder / "a.program"):
                self.program.save(path)
                loaded = ring.load(path)
            for program, ends in ((self.program, (".mlirbc", ".py", ".PY", ".html")),
                                  (loaded, (".mlir", ".MLIR", ".mlirbc", ".py", ".html"))):
                for end in ends:
                    path = folder / f"b{end}"
                    self.refuses(ring.RunError, "expects a path such as a.ring for a program file, "
                                 f"but got '{path}'", lambda: program.save(path))
                    self.assertFalse(path.exists())

    def test_wrong_values(self):
        run, given = self.program.run, self.given
        for expected, call in (
                ("expects threads to be a whole number from 0 to 4096, but got '2'",
                 lambda: run(*given, threads="2")),
                ("expects threads to be a whole number from 0 to 4096, but got -1",
                 lambda: run(*given, threads=-1)),
                ("expects device_memory, in bytes, to be a whole number of at least 0, but got "
                 "'12GiB'", lambda: run(*given, device_memory="12GiB")),
                ("expects backend to be a string, but got 3", lambda: run(*given, backend=3)),
                ("expects function to be a string, but got 3",
                 lambda: ring.compile(CAUSAL, function=3)),
                ("expects seed to be a whole number of at least 0, but got -1",
                 lambda: self.program.example_inputs(-1)),
                ("expects tolerance to be a finite number of at least 0, but got 'x'",
                 lambda: self.program.check(tolerance="x")),
                ("expects inputs to be all of them, as a list or a tuple, but got ndarray",
                 lambda: self.program.report(None, given[0])),
                ("expects a mesh like '2x4' or (2, 4), but got (1, 2.5)",
                 lambda: ring.compile(CAUSAL, mesh=(1, 2.5))),
                ("expects a mesh like '2x4' or (2, 4), but got b'1x8'",
                 lambda: ring.compile(CAUSAL, mesh=b"1x8")),
                ("expects a mesh like '2x4' or (2, 4), but got (True, 8)",
                 lambda: ring.compile(CAUSAL, mesh=(True, 8))),
                ("expects a mesh like '2x4' or (2, 4), but got {1: 8}",
                 lambda: ring.compile(CAUSAL, mesh={1: 8})),
                ("expects a mesh like '2x4' or (2, 4), but got ['1', '8']",
                 lambda: ring.compile(CAUSAL, mesh=["1", "8"])),
                ("input 'q' expects an array or a tensor of numbers, but got str",
                 lambda: run("q", "k", "v")),
                ("input 'q' expects an array or a tensor of numbers, but got NoneType",
                 lambda: run(None, *given[1:])),
                ("input 'q' expects the shape 1x4x256x64, but got ()",
                 lambda: run(3.0, *given[1:])),
                ("input 'q' expects an array or a tensor, but got list: ",
                 lambda: run([[1.0], [1.0, 2.0]], *given[1:])),
                ("but got float64; a cast such as astype(np.float32) says",
                 lambda: run(given[0].astype(float), *given[1:])),
                ("but got float64; a cast such as np.array(..., np.float32) says",
                 lambda: run(given[0].tolist(), *given[1:]))):
            self.refuses(ring.InputError, expected, call)

    def test_a_star_that_was_forgotten(self):
        for call in (self.program.run, self.program.execute, self.program.check,
                     lambda inputs: self.program.report(None, (inputs,))):
            for kind in (list, tuple):
                self.refuses(ring.InputError, f"expects 3 inputs, but got one {kind.__name__} of 3; "
                             "a star before it hands on what is in it: run(*inputs)",
                             lambda call=call, kind=kind: call(kind(self.given)))
        self.refuses(ring.InputError, "expects 3 inputs, but got one list of 2; a star",
                     lambda: self.program.run(list(self.given[:2])))
        self.refuses(ring.InputError, "expects 3 inputs, but got 1: k is missing",
                     lambda: self.program.run(self.given[0]))

    def test_typing_errors(self):
        for kind, expected, call in (
                (ring.InputError, "but got 'thread'; did you mean 'threads'?",
                 lambda: self.program.run(*self.given, thread=2)),
                (ring.CompileError, "but got 'q_chnk'; did you mean 'q_chunk'?",
                 lambda: ring.compile(CAUSAL, q_chnk=64)),
                (ring.CompileError, "but got 'mesch'; did you mean 'mesh'?",
                 lambda: ring.compile(CAUSAL, mesch="1x2")),
                (ring.CompileError, "but got 'rign'; did you mean 'ring'?",
                 lambda: ring.compile(CAUSAL, strategy="rign")),
                (ring.CompileError, "expects target to be ring, launch, ttir, ttnn or ttmetal, but "
                 "got 'ttri'; did you mean 'ttir'?", lambda: ring.compile(CAUSAL, target="ttri")),
                (ring.RunError, "but got 'cpuu'; did you mean 'cpu'?",
                 lambda: self.program.run(*self.given, backend="cpuu")),
                (ring.RunError, "but got 't300'; did you mean 't3000'?",
                 lambda: self.program.predict("t300"))):
            self.refuses(kind, expected, call)
        with self.assertRaises(ring.CompileError) as caught:
            ring.compile(CAUSAL, completely="else")
        self.assertNotIn("did you mean", str(caught.exception))
        # What another call takes is no help.
        given = reference.inputs(20)
        for call in (lambda: ring.attention(*given, function="f"),
                     lambda: ring.compile(CAUSAL, causal=True)):
            with self.assertRaises(ring.CompileError) as caught:
                call()
            self.assertNotIn("did you mean", str(caught.exception))

    def test_texts(self):
        self.assertEqual(repr(self.program),
                         "<program on 4 devices: (q: 1x4x256x64xbf16, k: 1x2x256x64xbf16, "
                         "v: 1x2x256x64xbf16) -> (out0: 1x4x256x64xbf16)>")
        self.assertEqual(repr(self.program.inputs[1]), "<input k: 1x2x256x64xbf16>")
        self.assertEqual(repr(self.program.outputs[0]), "<output out0: 1x4x256x64xbf16>")
        self.assertIn("in order or by name", self.program.run.__doc__)
        nothing = ring.compile(UNKNOWN).plan
        self.assertEqual(str(nothing), "nothing was planned")
        self.assertEqual(nothing._repr_html_(), "<p>nothing was planned</p>")
        self.assertEqual(sorted(set(ring.__all__) - set(dir(ring))), [])

    def test_equal_options_are_compiled_once(self):
        given = reference.inputs(20)
        first = ring.compile_attention(*given, mesh="1x2", q_chunk=32)
        self.assertIs(first, ring.compile_attention(*given, mesh=[1, 2], q_chunk=np.int64(32)))
        self.assertIsNot(first, ring.compile_attention(*given, mesh="1x2", q_chunk=64))

    def test_a_machine_file_is_read_again(self):
        """Its text decides, and that of the files that it is based on, not its name."""
        given = reference.inputs(4096)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)

            def seconds(links, path):
                base = "[machine]\nbased on = t3000\nname = base\n"
                (folder / "base.machine").write_text(f"{base}[links]\ncount = {links}\n")
                (folder / "mine.machine").write_text("[machine]\nbased on = ./base.machine\nname = mine\n")
                program = ring.compile_attention(*given, machine=path, strategy="all_gather")
                return program.plan.chosen[0]["seconds"], program.predict().seconds

            for path in (folder / "mine.machine", str(folder / "mine.machine")):
                for one, four in zip(seconds(1, path), seconds(4, path)):
                    self.assertLess(four, one)
        first = ring.compile_attention(*given, machine="t3000")
        self.assertIs(first, ring.compile_attention(*given, machine="t3000"))


if __name__ == "__main__":
    unittest.main()
