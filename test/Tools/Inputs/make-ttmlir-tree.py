# SPDX-License-Identifier: Apache-2.0
"""Makes a tree that is laid out as a built tt-mlir is, out of our own subset.

Headers are in one root, imported targets name it and each other, one archive
registers everything and is listed nowhere.
"""

import argparse
import pathlib
import subprocess

REGISTER_H = """\
namespace mlir {
class DialectRegistry;
namespace tt {
void registerAllDialects(DialectRegistry &registry);
void registerAllExtensions(DialectRegistry &registry);
void registerAllPasses();
} // namespace tt
} // namespace mlir
"""

REGISTER_CPP = """\
#include "ttmlir/RegisterAll.h"
namespace mlir::tt {
void registerAllDialects(DialectRegistry &) {}
void registerAllExtensions(DialectRegistry &) {}
void registerAllPasses() {}
namespace ttnn { void registerTTNNToFlatbuffer() {} }
namespace ttmetal { void registerTTMetalToFlatbuffer() {} }
} // namespace mlir::tt
"""

DIALECTS = {
    "MLIRTTCoreDialect": "MLIRDialect;MLIRFuncDialect;MLIRIR",
    "MLIRTTKernelDialect": "MLIRIR",
    "MLIRTTIRDialect": "MLIRTTCoreDialect",
    "MLIRTTNNDialect": "MLIRTTCoreDialect",
    "MLIRTTMetalDialect": "MLIRTTCoreDialect;MLIRTTKernelDialect",
}


def archive(path: pathlib.Path, source: str, compiler: str, include: pathlib.Path):
    """Compiles one source into an archive."""
    cpp = path.with_suffix(".cpp")
    cpp.write_text(source)
    obj = path.with_suffix(".o")
    subprocess.run([compiler, "-std=c++17", "-fPIC", "-I", include, "-c", cpp, "-o", obj], check=True)
    subprocess.run(["ar", "rcs", path, obj], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    args = parser.parse_args()

    include = args.tree / "include"
    for root in (args.source, args.build):
        subset = root / "include" / "subset"
        for header in subset.rglob("*"):
            if header.suffix in (".h", ".inc", ".td"):
                link = include / header.relative_to(subset)
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(header)
    (include / "ttmlir" / "RegisterAll.h").write_text(REGISTER_H)

    lib = args.tree / "lib"
    listed = lib / "cmake" / "ttmlir"
    listed.mkdir(parents=True)
    archive(lib / "libTTMLIRCompilerStatic.a", REGISTER_CPP, args.compiler, include)
    with open(listed / "TTMLIRTargets.cmake", "w") as targets:
        for name, needs in DIALECTS.items():
            targets.write(
                f"add_library({name} STATIC IMPORTED)\n"
                f"set_target_properties({name} PROPERTIES\n"
                f'  INTERFACE_INCLUDE_DIRECTORIES "{include}"\n'
                f'  INTERFACE_LINK_LIBRARIES "{needs}"\n'
                f'  IMPORTED_LOCATION "{args.build}/lib/lib{name}.a")\n'
            )


if __name__ == "__main__":
    main()
