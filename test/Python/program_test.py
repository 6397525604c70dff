# SPDX-License-Identifier: Apache-2.0
"""Modules, their programs, and all that is said of them."""

import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
import reference
import ring_mlir as ring

EXAMPLES = pathlib.Path(os.environ["RING_EXAMPLES"])
CAUSAL = EXAMPLES / "causal-small.mlir"

ELEMENTWISE = """
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @two(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %sum = "ttir.add"(%a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    return %sum, %a : tensor<4x8xf32>, tensor<4x8xf32>
  }
}
"""

# A device's own function: every argument is one shard of each device.
SHARDS = """
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @pass_on(%k: tensor<2x8xf32>) -> tensor<2x8xf32> {
    %0 = ring.shift %k by 1 on <1 in 1x4> : tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}
"""


class Compiling(unittest.TestCase):
    def test_plan(self):
        program = ring.compile(CAUSAL, strategy="ulysses")
        self.assertEqual([row["strategy"] for row in program.plan.chosen], ["ulysses"])
        self.assertGreater(len(program.plan), 5)
        self.assertIn("ring", {row["strategy"] for row in program.plan})
        times = [row["seconds"] for row in program.plan]
        self.assertEqual(times, sorted(times))
        self.assertIn("expects a sliding window",
                      [row["rejection"] for row in program.plan.rejected])
        text = str(program.plan)
        self.assertIn("4 heads (2 of keys), 256 tokens, dim 64, bf16", text)
        self.assertIn("\n* ulysses", text)
        self.assertIn("predicted, not covered by any published figure", text)
        self.assertIn("; * was taken: the strategy was asked for; ", text)
        self.assertIn("<td>*</td>", program.plan._repr_html_())
        self.assertEqual({row["error"] for row in program.plan}, {"not covered"})
        published = ring.compile(EXAMPLES / "wan2.2-720p.mlir", machine="blackhole-galaxy").plan
        self.assertEqual([row["error"] for row in published if row["name"] == "replicate, q288 k512"],
                         ["+-14 %"])

    def test_plan_says_why_nothing_was_planned(self):
        text = CAUSAL.read_text()
        annotation = " {ring.parallel = #ring.parallel<sequence = 1>}"
        self.assertIn(annotation, text)
        plain = text.replace(annotation, "")
        plan = ring.compile(plain, mesh="1x8").plan
        said = ("source:6:10: remark: ring-raise: left as it is: its sequence is neither gathered "
                "nor annotated with ring.parallel; the option sequence-axis names a mesh axis for it")
        self.assertEqual(str(plan), "nothing was planned\n" + said)
        self.assertEqual(plan._repr_html_(), f"<p>nothing was planned</p><p>{said}</p>")
        self.assertEqual((len(plan), plan.chosen), (0, []))
        planned = ring.compile(plain, mesh="1x8", sequence_axis=1).plan
        self.assertEqual(len(planned.chosen), 1)
        self.assertNotIn("left as it is", str(planned))

    def test_plan_has_what_the_target_has(self):
        """The fastest that the target has is on top, and the star is there unless something
        else was asked for."""
        for options, fused in (({}, False), ({"target": "launch"}, False), ({"target": "ttir"}, True),
                               ({"target": "ttnn"}, True)):
            with self.subTest(options=options):
                plan = ring.compile(EXAMPLES / "wan2.2-720p.mlir", machine="blackhole-galaxy",
                                    **options).plan
                self.assertIs(plan[0]["chosen"], True)
                self.assertEqual("ring_joint" in {row["strategy"] for row in plan}, fused)
                self.assertIn("; * was taken: the fastest by prediction, ", str(plan))
        asked = ring.compile(EXAMPLES / "wan2.2-720p.mlir", machine="blackhole-galaxy",
                             strategy="usp", q_chunk=128).plan
        self.assertEqual([row["name"] for row in asked.chosen], ["usp of 2 x 4, q128 k512"])
        self.assertTrue(all(", q128 k" in row["name"] for row in asked))
        # An attention without a pattern is only tried in order, unless somebody asks.
        dealt = ring.compile(EXAMPLES / "wan2.2-720p.mlir", machine="blackhole-galaxy",
                             strategy="all_gather", layout="zigzag").plan
        self.assertEqual([row["name"] for row in dealt.chosen], ["zigzag all_gather, q160 k512"])
        for plan in (asked, dealt):
            times = [row["seconds"] for row in plan]
            self.assertEqual(times, sorted(times))
            self.assertIn("; * was taken: the strategy was asked for; ring takes 0.", str(plan))

    def test_mesh_takes_the_place_of_the_modules(self):
        self.assertEqual(ring.compile(CAUSAL).devices, 4)
        self.assertEqual(ring.compile(CAUSAL, mesh="1x8").devices, 8)
        self.assertEqual(ring.compile(CAUSAL, mesh=(1, 2)).devices, 2)

    def test_text_path_and_bytes_are_one(self):
        text = CAUSAL.read_text()
        self.assertEqual(ring.compile(text).ir, ring.compile(str(CAUSAL)).ir)
        self.assertEqual(ring.compile(text.encode()).ir, ring.compile(CAUSAL).ir)

    def test_other_forms(self):
        program = ring.compile(CAUSAL, strategy="ring")
        self.assertIn("ring.start_shift", program.ir)
        self.assertIn("ttir.collective_permute", program.to_ttir())
        self.assertIn("ttnn.", program.to_ttnn())
        script = program.to_python()
        self.assertIn("import ttnn", script)
        compile(script, "script.py", "exec")  # Python's own
        for target in ("ttir", "ttnn", "launch"):
            with self.subTest(target=target):
                self.assertTrue(ring.compile(CAUSAL, target=target).check())

    def test_what_nothing_here_runs_is_still_text(self):
        program = ring.compile(ELEMENTWISE.replace("ttir.add", "ttir.made_up"))
        self.assertIn("ttir.made_up", program.ir)
        self.assertIn("no program: ", repr(program))
        for call in (program.run, program.check, program.predict, program.report,
                     program.example_inputs, lambda: program.predict("t3000"),
                     lambda: program.devices, lambda: program.save("a.ring")):
            with self.assertRaises(ring.CompileError) as caught:
                call()
            self.assertIn("ttir.made_up", str(caught.exception))

    def test_a_function_has_to_be_there(self):
        one = CAUSAL.read_text()
        both = ELEMENTWISE.rstrip().rstrip("}") + ELEMENTWISE[ELEMENTWISE.index("  func"):].replace(
            "@two", "@three")
        for expected, call in (
                ("4:1: expects one function 'attn' to run, but found attention",
                 lambda: ring.compile(CAUSAL, function="attn")),
                ("expects one public function to run, but found two, three",
                 lambda: ring.compile(both)),
                ("expects one function 'four' to run, but found two, three",
                 lambda: ring.compile(both, function="four")),
                ("expects a public function with a body, but found none",
                 lambda: ring.compile("module {}")),
                ("expects a public function with a body, but found none",
                 lambda: ring.compile(one.replace("func.func", "func.func private")))):
            with self.subTest(expected=expected), self.assertRaises(ring.CompileError) as caught:
                call()
            self.assertIn(expected, str(caught.exception))
        self.assertIn("a: 4x8xf32", repr(ring.compile(both, function="three")))

    def test_messages_are_kept_and_not_printed(self):
        script = ("import sys, ring_mlir as ring\n"
                  "program = ring.compile(sys.argv[1])\n"
                  "assert any('ring-plan: ' in one.text for one in program.remarks)\n"
                  "assert program.remarks[0].place.endswith('causal-small.mlir:6:10')\n"
                  "try: ring.compile('module {')\n"
                  "except ring.CompileError as error: assert str(error).startswith('source:1:')\n"
                  "try: ring.compile(sys.argv[1], strategy='rings')\n"
                  "except ring.CompileError as error: assert \"but got 'rings'\" in str(error)\n"
                  "try: ring.compile(sys.argv[1], stratgy='ring')\n"
                  "except ring.CompileError as error: assert \"mean 'strategy'\" in str(error)\n"
                  "try: ring.compile(sys.argv[1], target='metal')\n"
                  "except ring.CompileError as error: assert 'or ttmetal, but got' in str(error)\n"
                  "try: ring.compile(sys.argv[1], q_chunk='many')\n"
                  "except ring.CompileError as error: assert \"number, but got 'many'\" in str(error)\n")
        ran = subprocess.run([sys.executable, "-c", script, CAUSAL], capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "", ""))

    def test_refusals(self):
        for expected, call in (
                ("cannot read 'none.mlir': No such file", lambda: ring.compile("none.mlir")),
                ("cannot read 'model.txt': No such file", lambda: ring.compile("model.txt")),
                ("expects a module or the path of one, but got ''", lambda: ring.compile("")),
                ("expects a module or the path of one, but got None", lambda: ring.compile(None)),
                ("expects a mesh like 2x4, but got '2y4'", lambda: ring.compile(CAUSAL, mesh="2y4")),
                ("expects one function 'f' to run, but found attention",
                 lambda: ring.compile(CAUSAL, function="f"))):
            with self.subTest(expected=expected), self.assertRaises(ring.CompileError) as caught:
                call()
            self.assertIn(expected, str(caught.exception))


class Running(unittest.TestCase):
    def test_names_order_and_several_outputs(self):
        program = ring.compile(ELEMENTWISE)
        a, b = reference.normal(4, 8, seed=1), reference.normal(4, 8, seed=2)
        for outputs in (program.run(a, b), program.run(b=b, a=a), program.run(a, arg1=b)):
            self.assertTrue(np.array_equal(outputs[0], a + b))
            self.assertTrue(np.array_equal(outputs[1], a))
        # What is given back is the caller's own, and is not to be changed by accident.
        outputs[1][:] = 0
        self.assertFalse(np.array_equal(a, outputs[1]))

    def test_names_that_look_like_places(self):
        program = ring.compile(ELEMENTWISE.replace("ttir.add", "ttir.subtract")
                               .replace("%a", "%arg1").replace("%b", "%arg0"))
        self.assertEqual([port.name for port in program.inputs], ["arg1", "arg0"])
        a, b = reference.normal(4, 8, seed=1), reference.normal(4, 8, seed=2)
        self.assertTrue(np.array_equal(program.run(arg1=a, arg0=b)[0], a - b))

    def test_contiguous_inputs_are_read_where_they_lie(self):
        from ring_mlir._session import _Memory
        program = ring.compile(ELEMENTWISE)
        a, b = reference.normal(4, 8, seed=1), np.asfortranarray(reference.normal(4, 8, seed=2))
        session, _ = program._bound((a, b), {})
        where = [np.asarray(_Memory(session, port, 0)) for port in program.inputs]
        self.assertTrue(np.shares_memory(where[0], a))
        self.assertFalse(np.shares_memory(where[1], b))
        self.assertTrue(np.array_equal(where[1], b))

    def test_results_outlive_the_program(self):
        program = ring.compile(ELEMENTWISE)
        a = reference.normal(4, 8)
        total = program.run(a, a)[0]
        copy = total.copy()
        del program
        ring.compile(ELEMENTWISE).run(a * 0, a * 0)
        self.assertTrue(np.array_equal(total, copy))

    def test_bf16_is_rounded_as_it_is_defined(self):
        program = ring.compile(SHARDS.replace("f32", "bf16"))
        given = np.concatenate([reference.normal(4, 2, 7), np.full((4, 2, 1), np.inf, np.float32)], 2)
        given[0, 0, :5] = 1 + 2.0 ** -8, 1 + 3 * 2.0 ** -8, np.nan, -0.0, 3e38
        out = program.run(given)
        meant = np.roll(reference.round_to_bf16(given), 1, axis=0)
        self.assertTrue(np.array_equal(out, meant, equal_nan=True))
        bits = (given.view(np.uint32) >> 16).astype(np.uint16)
        meant = np.roll((bits.astype(np.uint32) << 16).view(np.float32), 1, axis=0)
        self.assertTrue(np.array_equal(program.run(bits), meant, equal_nan=True))

    def test_shards_have_the_devices_in_front(self):
        program = ring.compile(SHARDS)
        shards = reference.normal(4, 2, 8)
        self.assertEqual(program.inputs[0].whole_shape, (4, 2, 8))
        self.assertTrue(np.array_equal(program.run(shards), np.roll(shards, 1, axis=0)))
        self.assertTrue(program.check())

    def test_block_formats(self):
        program = ring.compile(
            SHARDS.replace("2x8xf32", "32x32x!ttcore.tile<32x32, bfp_bf8>"))
        self.assertEqual(program.inputs[0].type, "bfp8_b")
        shards = reference.normal(4, 32, 32)
        out = program.run(shards)
        self.assertEqual(out.dtype, np.float32)
        self.assertLess(np.abs(out - np.roll(shards, 1, axis=0)).max(), 0.05)

    def test_check(self):
        program = ring.compile(CAUSAL)
        check = program.check()
        self.assertTrue(check)
        self.assertEqual(check[0].name, "out0")
        self.assertLess(check[0].share_of_bound, 1)
        self.assertIn(": ok", str(check))
        given = program.example_inputs(seed=5)
        self.assertTrue(program.check(*given, backend="reference"))
        strict = program.check(*given, tolerance=1e-9)
        self.assertFalse(strict)
        self.assertFalse(strict[0].passed)
        self.assertIn("WRONG", str(strict))

    def test_a_wrong_program_is_found(self):
        """A program is judged by its module, not by itself."""
        right, wrong = ring.compile(ELEMENTWISE), ring.compile(
            ELEMENTWISE.replace("ttir.add", "ttir.subtract"))
        wrong._meant = right._meant
        self.assertFalse(wrong.check())
        self.assertEqual([output.passed for output in wrong.check()], [False, True])

    def test_cost_and_memory(self):
        program = ring.compile(CAUSAL, strategy="ring")
        run = program.execute(*program.example_inputs())
        self.assertIn("@attention on 1x4 (4 devices)", run.summary)
        self.assertEqual(len(run.statistics["devices"]), 4)
        self.assertEqual(run.statistics["devices"][0]["bytes_sent"], 98304)
        with self.assertRaises(ring.OutOfMemoryError) as caught:
            program.run(*program.example_inputs(), device_memory=1000)
        self.assertIn("buffer<", caught.exception.value)

    def test_saved_programs_run_without_the_module(self):
        program = ring.compile(CAUSAL)
        given = program.example_inputs()
        with tempfile.TemporaryDirectory() as folder:
            program.save(os.path.join(folder, "a.ring"))
            program.save(os.path.join(folder, "a.mlir"))
            loaded = ring.load(os.path.join(folder, "a.ring"))
            text = pathlib.Path(folder, "a.mlir").read_text()
            pathlib.Path(folder, "bad.ring").write_bytes(b"no program")
            with self.assertRaises(ring.RunError) as caught:
                ring.load(os.path.join(folder, "bad.ring"))
            self.assertIn("bad.ring: ", str(caught.exception))
        self.assertEqual(text, program.ir)
        self.assertTrue(np.array_equal(loaded.run(*given), program.run(*given)))
        self.assertTrue(loaded.check())
        # Inputs keep their names.
        q, k, v = given
        self.assertEqual((repr(loaded), repr(loaded.inputs)), (repr(program), repr(program.inputs)))
        for by_name in ({"q": q, "k": k, "v": v}, {"arg0": q, "k": k, "arg2": v}):
            self.assertTrue(np.array_equal(loaded.run(**by_name), program.run(*given)))

    def test_refusals(self):
        program = ring.compile(CAUSAL)
        q, k, v = program.example_inputs()
        for expected, call in (
                ("expects 3 inputs, but got 2: v is missing", lambda: program.run(q, k)),
                ("expects 3 inputs, but got 4", lambda: program.run(q, k, v, v)),
                ("expects input 'q' once, but got it twice", lambda: program.run(q, k, v, q=q)),
                ("input 'k' expects the shape 1x2x256x64, but got 1x4x256x64",
                 lambda: program.run(q, q, v)),
                ("but got float64", lambda: program.run(q.astype(float), k, v)),
                ("but got int32", lambda: program.run(q.astype(np.int32), k, v)),
                ("expects one of q, k, v, arg0, arg1, arg2, backend, threads, device_memory, but "
                 "got 'w'", lambda: program.run(q, k, v, w=v)),
                ("expects a backend of cpu,", lambda: program.run(q, k, v, backend="gpu"))):
            with self.subTest(expected=expected), self.assertRaises(ring.Error) as caught:
                call()
            self.assertIn(expected, str(caught.exception))


class Foretelling(unittest.TestCase):
    def test_prediction(self):
        program = ring.compile(CAUSAL, mesh="1x8", machine="t3000")
        predicted = program.predict()
        self.assertEqual(predicted.machine, "t3000")
        self.assertIn("not covered by any published figure", str(predicted))
        self.assertIn("% math utilisation", predicted.note)
        self.assertTrue(0 < predicted.utilisation < 1 and 0 < predicted.seconds < 1)
        self.assertTrue(predicted.fits and 0 < predicted.device_bytes < predicted.device_memory)
        self.assertNotIn("measured", str(predicted))
        with self.assertRaises(ring.RunError):
            program.predict("t3001")
        with self.assertRaises(ring.RunError):
            ring.compile(CAUSAL).predict()  # for a mesh that no machine has

    def test_report(self):
        program = ring.compile(CAUSAL, mesh="1x8", machine="t3000")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.html")
            report = program.report(path)
            self.assertEqual(pathlib.Path(path).read_text(encoding="utf-8"), report.html)
        self.assertIn("<html", report.html)
        self.assertIn("4 heads (2 of keys), 256\u00a0tokens", report.html)
        self.assertTrue(report._repr_html_().startswith('<iframe srcdoc="'))
        self.assertIn("of the bound: ok", report.html)
        self.assertNotIn("of the bound: ok", program.report(check=False).html)
        self.assertIn("predicted", program.report(machine="t3000").html)


class Threads(unittest.TestCase):
    def test_different_programs_at_once(self):
        """Threads compile and run programs of their own, and two run the same one."""
        shared = ring.compile(CAUSAL)
        given = shared.example_inputs()
        meant = shared.run(*given)
        problems = []

        def work(number):
            try:
                strategy = ("ring", "all_gather")[number % 2]
                for turn in range(3):
                    length = 40 + 13 * number + turn
                    q, k, v = reference.inputs(length)
                    out = ring.attention(q, k, v, causal=True, mesh="1x4", strategy=strategy)
                    error = np.abs(out - reference.attention(q, k, v, causal=True)).max()
                    assert error < 2e-6, f"{strategy} of {length}: {error}"
                    assert np.array_equal(shared.run(*given), meant), "the shared program"
            except Exception as problem:  # is told by the thread that started it
                problems.append(problem)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])

    def test_runs_let_go_of_pythons_lock(self):
        """While one thread is in the runtime, another goes on with Python."""
        q, k, v = reference.inputs(1500)
        program = ring.compile_attention(q, k, v, mesh="1x4")
        counted, ended = [0], threading.Event()

        def count():
            while not ended.is_set():
                counted[0] += 1
                time.sleep(0)  # the only place where this thread lets go

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)  # nobody takes the lock from anybody
        try:
            thread = threading.Thread(target=count)
            thread.start()
            before = counted[0]
            session, _ = program._bound((q, k, v), {})
            session.run()
            during = counted[0] - before
        finally:
            ended.set()
            thread.join()
            sys.setswitchinterval(interval)
        self.assertGreater(during, 0)


if __name__ == "__main__":
    unittest.main()
