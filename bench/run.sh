#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the benchmarks. Timings are ratios within one run; nothing here is a test.
#   run.sh BUILD_DIR [NAME [ARGUMENTS]]
set -eu
build=$1
shift
name=${1:-all}
[ $# -eq 0 ] || shift

kernels() { "$build/bin/attention_bench" "$@"; }
compile_time() { sh bench/compile-time.sh "$build" "$@"; }
# The machine at hand, for ring-run --backend=sim --machine=FILE.
machine() {
  file=${1:-$build/this.machine}
  "$build/bin/machine_bench" >"$file"
  cat "$file"
  printf 'bench: wrote %s\n' "$file" >&2
}
memory() { sh bench/memory.sh "$build" "$@"; }

case $name in
  kernels) kernels "$@" ;;
  compile-time) compile_time "$@" ;;
  machine) machine "$@" ;;
  memory) memory "$@" ;;
  all) kernels && compile_time && memory ;;
  *)
    printf 'bench: unknown benchmark "%s"; there are: kernels, compile-time, machine, memory\n' "$name" >&2
    exit 2
    ;;
esac
