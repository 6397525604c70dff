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
memory() { sh bench/memory.sh "$build" "$@"; }
ring() { sh bench/ring-mesh.sh "$build" "$@"; }

case $name in
  kernels) kernels "$@" ;;
  compile-time) compile_time "$@" ;;
  memory) memory "$@" ;;
  ring) ring "$@" ;;
  all) kernels && ring && compile_time && memory ;;
  *)
    printf 'bench: unknown benchmark "%s"; there are: kernels, ring, compile-time, memory\n' "$name" >&2
    exit 2
    ;;
esac
