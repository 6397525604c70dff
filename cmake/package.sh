#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a release archive of what a build tree installs, with its pages and examples.
# The folder in it runs where it is put, on a Debian 12 with the packages that its
# INSTALL names.
#
# usage: package.sh BUILD_DIR [--no-archive]
set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build_dir=$(cd "$1" && pwd)

version=$(sed -n 's/^set(RING_VERSION \([0-9.]*\)).*/\1/p' "$source_dir/cmake/modules/RingVersion.cmake")
[ -n "$version" ] || { echo "package.sh: expects RingVersion.cmake to set RING_VERSION" >&2; exit 1; }
name=ring-mlir-$version-linux-$(uname -m)
folder=$build_dir/package/$name

rm -rf "$folder"
mkdir -p "$folder"
cmake --install "$build_dir" --prefix "$folder" --strip >"$build_dir/package/install.log"
for page in README.md LICENSE CHANGELOG.md CONTRIBUTING.md docs examples machines; do
  cp -r "$source_dir/$page" "$folder/"
done

# The Debian packages of the shared libraries that our own files ask for by name.
elf_files() {
  find "$folder/bin" "$folder/lib" -type f \( -perm -u+x -o -name '*.so*' \)
}
packages() {
  elf_files | while read -r file; do
    needed=$(objdump -p "$file" 2>/dev/null | sed -n 's/^ *NEEDED *//p')
    for library in $needed; do
      ldd "$file" | sed -n "s|^[[:space:]]*$library => \(/[^ ]*\).*|\1|p"
    done
  done | sort -u | while read -r path; do
    case $path in "$folder"/*) continue ;; esac
    # A link to a library may belong to another package than the library, and
    # what is in /lib may be known as in /usr/lib.
    file=$(readlink -f "$path")
    dpkg-query -S "$file" 2>/dev/null || dpkg-query -S "${file#/usr}" 2>/dev/null ||
      dpkg-query -S "$path" 2>/dev/null || echo "unknown-owner-of-$path:"
  done | sed 's/:.*//' | sort -u | grep -vE '^(libc6|libgcc-s1)$'
}
run_packages=$(packages | tr '\n' ' ')

python=
[ ! -d "$folder/lib/python" ] ||
  python="lib/python the Python package ring_mlir: PYTHONPATH=\"<this folder>/lib/python\"; install also: python3-numpy"

cat >"$folder/INSTALL" <<TEXT
ring-mlir $version for Debian 12 (bookworm), $(uname -m)

1. Unpack this folder anywhere.

2. Install the shared libraries that the tools use:

     apt-get install --no-install-recommends $run_packages

3. Try it, in this folder:

     bin/ring-run examples/causal-small.mlir --ring-attention-pipeline --check

bin/       the tools; README.md says which to run first
lib/       libraries, the plugin for mlir-opt, and the CMake packages RingMLIR and RingRuntime:
           cmake -DCMAKE_PREFIX_PATH="<this folder>;/usr/lib/llvm-22"
$python
include/   headers
docs/      the manual, from README.md on
examples/  attentions to try
machines/  descriptions of the machines that are planned for

To compile against RingMLIR, install also: libmlir-22-dev mlir-22-tools llvm-22-dev zlib1g-dev libzstd-dev
To compile against RingRuntime: libhwy-dev libopenmpi-dev
TEXT

if [ "${2:-}" = --no-archive ]; then
  echo "$folder"
else
  tar -C "$build_dir/package" -czf "$build_dir/$name.tar.gz" "$name"
  echo "$build_dir/$name.tar.gz"
fi
