#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a file, emits a Python script, runs that against the stand-in for ttnn
and compares it with the file itself in double precision.

    run-emitted.py --tools BIN --work DIR [--shrink 4096=256,...] [--trace]
                   [--pipeline "form=fused ..."] FILE
    run-emitted.py --tools BIN --work DIR --cases FILE

With --trace nothing is computed: the script's functions run on tensors without
numbers, so that all rules and shapes are checked at the file's own sizes. With
--cases the file has CASE: lines, as test/Integration/run-cases.py reads them.
"""

import argparse
import ast
import importlib.util
import os
import re
import runpy
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
STAND_IN = os.path.join(HERE, "..", "..", "TtnnStandIn")
SCRIPT_NAME = "emitted"
sys.dont_write_bytecode = True


class Failed(Exception):
    pass


def fail(reason, details=""):
    raise Failed(f"{reason}\n{details}")


def call(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        fail(f"exit code {done.returncode} of {' '.join(command)}",
             (done.stdout + done.stderr)[-4000:])
    return done.stdout


def shrink(text, sizes):
    """The text with other numbers: 4096=256 wherever 4096 stands alone."""
    others = dict(pair.split("=") for pair in filter(None, sizes.split(",")))
    number = re.compile(r"(?<![0-9.])[0-9]+(?![0-9.])")
    return "".join(
        line if line.lstrip().startswith("//") else
        number.sub(lambda found: others.get(found.group(), found.group()), line)
        for line in text.splitlines(keepends=True))


def load(script):
    """What the script defines, without running it."""
    if STAND_IN not in sys.path:
        sys.path.insert(0, STAND_IN)
    return runpy.run_path(script, run_name=SCRIPT_NAME)


def emit(arguments, source, script):
    """Writes the script; what the compiler said goes into the error, if any."""
    options = f"target=ttnn {arguments.pipeline}".strip()
    module = os.path.join(arguments.work, "module.mlir")
    call([os.path.join(arguments.tools, "ring-opt"), source,
          f"--ring-attention-pipeline={options}", "-o", module])
    call([os.path.join(arguments.tools, "ring-translate"), "--mlir-to-python", module, "-o", script,
          f"--score-mebibytes={arguments.score_mebibytes}"])
    unused = unused_names(script)
    if unused:
        fail(f"the script has names that nobody uses: {', '.join(unused)}")


def unused_names(script):
    """Imports and variables of functions that are set and never read."""
    with open(script) as file:
        tree = ast.parse(file.read())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    unused = []
    for scope in [tree, *functions]:
        names = [node for node in ast.walk(scope) if isinstance(node, ast.Name)]
        read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
        if scope is tree:
            kept = {alias.asname or alias.name for node in tree.body
                    if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
            kept |= {function.name for function in functions}
        else:
            kept = {node.id for node in names if isinstance(node.ctx, ast.Store)} - {"_"}
        unused += sorted(kept - read)
    return unused


def make_inputs(arguments, names, name, ports):
    """A file for each input: normal numbers, and numbers of rows in order."""
    import ttnn
    generator = np.random.default_rng(7)
    paths = []
    for index, (shape, dtype, place) in enumerate(ports):
        shape = names["file_shape"](shape, place)
        if dtype in (ttnn.bfloat16, ttnn.float32):
            array = generator.standard_normal(shape, dtype=np.float32)
        else:
            array = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        paths.append(os.path.join(arguments.work, f"{name}-in{index}.npy"))
        np.save(paths[-1], array)
    return paths


def run(arguments, source, script, names):
    for name, function in names["FUNCTIONS"].items():
        inputs = make_inputs(arguments, names, name, function["inputs"])
        expected = [os.path.join(arguments.work, f"{name}-out{index}.npy")
                    for index in range(len(function["outputs"]))]
        given = [f"--input={path}" for path in inputs]
        call([os.path.join(arguments.tools, "ring-run"), source, f"--function={name}",
              "--backend=reference", *given, *(f"--output={path}" for path in expected)])
        print(call([sys.executable, script, f"--function={name}", *given,
                    *(f"--expected={path}" for path in expected), f"--repeat={arguments.repeat}",
                    f"--pcc={arguments.pcc}", f"--error={arguments.error}"],
                   env={**os.environ, "PYTHONPATH": STAND_IN, "PYTHONDONTWRITEBYTECODE": "1"}),
              end="")


def trace_functions(names, device):
    """Runs every function on tensors without numbers."""
    import ttnn
    rings = names["make_rings"](device)
    for name, function in names["FUNCTIONS"].items():
        inputs = []
        for shape, dtype, place in function["inputs"]:
            parts = device.get_num_devices() if place == names["DEVICES"] else 1
            tensor = ttnn.stand_in.traced_tensor(shape, dtype, parts)
            if place != names["HOST"]:
                tensor = ttnn.to_device(tensor, device)
            inputs.append(tensor)
        results = function["run"](device, *([rings] if function["rings"] else []), *inputs)
        results = results if isinstance(results, tuple) else (results,)
        for index, (result, (shape, dtype, _)) in enumerate(zip(results, function["outputs"])):
            if (result.shape, result.dtype) != (shape, dtype):
                fail(f"{name} out{index}: expects {shape} of {dtype}, but got {result}")
        print(f"{name}: traced, a device holds {ttnn.stand_in.peak_bytes() / 2**30:.2f} GiB at most")


def trace(names):
    import ttnn
    ttnn.set_fabric_config(names["FABRIC"])
    try:
        device = ttnn.open_mesh_device(ttnn.MeshShape(*names["MESH"]))
        try:
            trace_functions(names, device)
        finally:
            ttnn.close_mesh_device(device)
    finally:
        ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)


def compile_and_run(arguments, text):
    """Everything, for one module."""
    source = os.path.join(arguments.work, "source.mlir")
    with open(source, "w") as file:
        file.write(text)
    script = os.path.join(arguments.work, "script.py")
    emit(arguments, source, script)
    names = load(script)
    if arguments.trace:
        trace(names)
    else:
        run(arguments, source, script, names)


def run_cases(arguments):
    """Runs the cases of a file; how many failed."""
    folder = os.path.join(HERE, "..", "..", "Integration")
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location("run_cases", os.path.join(folder, "run-cases.py"))
    cases = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cases)
    with open(arguments.cases) as file:
        texts = [text for line in file if "CASE:" in line
                 for text in cases.expand(line.split("CASE:", 1)[1])]
    failures = 0
    for text in texts:
        case = cases.Case(text)
        arguments.pipeline = case.flags[-1].split("=", 1)[1]
        try:
            compile_and_run(arguments, case.module)
        except Failed as problem:
            failures += 1
            print(f"FAILED: {case.text}: {problem}")
    print(f"{len(texts) - failures} of {len(texts)} cases are right")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True, help="where ring-opt is")
    parser.add_argument("--work", required=True, help="a folder for files")
    parser.add_argument("--shrink", default="", help="numbers to replace, such as 4096=256,512=64")
    parser.add_argument("--pipeline", default="", help="options of the pipeline beside the target")
    parser.add_argument("--trace", action="store_true", help="check rules and shapes alone")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--score-mebibytes", type=int, default=128)
    parser.add_argument("--pcc", type=float, default=0.9999)
    parser.add_argument("--error", type=float, default=0.01)
    parser.add_argument("--cases", metavar="FILE", help="a file with CASE: lines")
    parser.add_argument("file", nargs="?")
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    if arguments.trace:
        os.environ["TTNN_STAND_IN"] = "trace"
    if arguments.cases:
        sys.exit(1 if run_cases(arguments) else 0)
    try:
        with open(arguments.file) as file:
            compile_and_run(arguments, shrink(file.read(), arguments.shrink))
    except Failed as problem:
        sys.exit(f"run-emitted.py: {problem}")


if __name__ == "__main__":
    main()
