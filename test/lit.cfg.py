# SPDX-License-Identifier: Apache-2.0
# lit configuration: every test runs the tools of the build tree and checks
# what they print.

import os
import shutil
import subprocess

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "RING"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.ring_binary_dir, "test")

# Tools of ours come first on the path, then LLVM's.
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.ring_tools_dir, append_path=True)
llvm_config.use_default_substitutions()
llvm_config.add_tool_substitutions(
    [ToolSubst(name, unresolved="ignore") for name in config.ring_tools]
    + [ToolSubst(name) for name in ("mlir-opt", "mlir-tblgen", "split-file")],
    [config.ring_tools_dir, config.llvm_tools_dir],
)
config.substitutions += [
    ("%ring_src", config.ring_source_dir),
    ("%ring_bin", config.ring_binary_dir),
    ("%ring_version", config.ring_version),
    ("%ring_plugin", config.ring_plugin),
    ("%cmake", config.cmake),
    ("%cc", config.cc),
    ("%cxx", config.cxx),
    ("%llvm_prefix", config.llvm_prefix),
    ("%python", config.python_executable),
]

# Scripts that calculate need NumPy, which the build's own Python may not have.
for candidate in (config.python_executable, "/usr/bin/python3"):
    if shutil.which(candidate) and not subprocess.run(
            [candidate, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode:
        config.available_features.add("numpy")
        config.substitutions.append(("%numpy", candidate))
        break

# Its torch takes the place of our stand-in; it is too large to be installed for a test.
if "numpy" in config.available_features:
    if not subprocess.run([candidate, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode:
        config.available_features.add("torch")
    else:
        lit_config.note(f"{candidate} has no torch: Python/torch.test has its stand-in alone; "
                        "python3-torch brings it to Debian's own")

# The package's types are held against what mypy says, where it is.
if shutil.which("mypy"):
    config.available_features.add("mypy")

# Pages that show Python have it run, where an ordinary Python can load our library.
runs_python = "numpy" in config.available_features and not config.sanitize
config.substitutions.append(("%page_python", f"--python={candidate}" if runs_python else ""))

# C++ host programs are compiled against our declarations of tt-metal's calls: those
# of the runtime's tests, and a few more.
declarations = os.path.join(config.ring_source_dir, "runtime", "test", "Ttnn", "standin", "include")
if os.path.isdir(declarations):
    config.available_features.add("ttnn-declarations")
    config.substitutions.append(("%ttnn_declarations", declarations))

# Programs over several ranks: as root, and with more ranks than cores.
if shutil.which("mpirun"):
    config.available_features.add("mpirun")
    allow = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
    config.substitutions.append(("%mpirun", f"env {allow} mpirun --oversubscribe"))

# Sources are compared with what clang-format would write, where it is.
if shutil.which("clang-format-22"):
    config.available_features.add("clang-format")

# Pages are used in a real browser where there is one.
if shutil.which("chromium"):
    config.available_features.add("chromium")

# Our subset of the TT dialects is open; a real tt-mlir's dialects are not.
if not config.ttmlir_dir:
    config.available_features.add("open-dialects")

# tt-mlir's own tools judge what we emit, where there are any.
ttmlir = os.environ.get("RING_TTMLIR_TOOLS") or config.ttmlir_tools
judges = [shutil.which(tool, path=ttmlir or None) for tool in ("ttmlir-opt", "ttmlir-translate")]
if all(judges):
    config.available_features.add("ttmlir-tools")
    config.substitutions.append(("%ttmlir", os.path.dirname(judges[0])))
elif ttmlir:
    lit_config.fatal(f"expects ttmlir-opt and ttmlir-translate in RING_TTMLIR_TOOLS, {ttmlir}")
else:
    lit_config.note("ttmlir-opt and ttmlir-translate were not found: tests in TTMLIR that need "
                    "them are unsupported; RING_TTMLIR_TOOLS says where they are")

# Launches run on devices, or on their simulator, where a ring-exec that was built
# with TT-Metalium is named; TT-Metalium is told by the environment what to use.
metal = os.environ.get("RING_METAL_EXEC")
if metal and not shutil.which(metal):
    lit_config.fatal(f"expects a ring-exec that was built with TT-Metalium in RING_METAL_EXEC, {metal}")
elif metal:
    for devices in range(1, int(os.environ.get("RING_METAL_DEVICES", "1")) + 1):
        config.available_features.add(f"metal-{devices}")
    config.substitutions.append(("%metal_exec", metal))
    config.environment.update((name, value) for name, value in os.environ.items()
                              if name.startswith(("TT_", "TTSIM_")) or name == "LD_LIBRARY_PATH")
else:
    lit_config.note("RING_METAL_EXEC names no ring-exec that was built with TT-Metalium: tests in "
                    "Metal that need devices are unsupported; RING_METAL_DEVICES says how many there are")

# libMLIR is not instrumented: its containers look poisoned to ours, and what it
# keeps until the end looks like a leak.
if "address" in config.sanitize:
    config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0:detect_leaks=0"

# Code of ours in a program that was built without them has no sanitizers to call. What
# tests build themselves is built with them.
if config.sanitize:
    config.available_features.add("sanitizers")
    config.environment["CXXFLAGS"] = f"-fsanitize={config.sanitize}"
