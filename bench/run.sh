#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the benchmarks. Timings are ratios within one run; nothing here is a test.
#   run.sh BUILD_DIR [NAME [ARGUMENTS]] [--record]
# With --record, as the last word, what is printed goes to bench/results too, with
# the machine and the date.
set -eu
build=$1
shift
name=${1:-all}
[ $# -eq 0 ] || shift

for last in "$@"; do :; done
if [ "${last:-}" = --record ]; then
  count=$#
  for word in "$@"; do
    shift
    count=$((count - 1))
    [ "$count" -eq 0 ] || set -- "$@" "$word"
  done
  exec python3 bench/record.py "$name${1:+ $*}" -- sh bench/run.sh "$build" "$name" "$@"
fi

kernels() { "$build/bin/attention_bench" "$@"; }
compile_time() { sh bench/compile-time.sh "$build" "$@"; }
# The machine model against published figures, then a model of the machine at
# hand, for ring-run --backend=sim --machine=FILE.
machine() {
  file=${1:-$build/this.machine}
  "$build/bin/published_bench"
  "$build/bin/machine_bench" >"$file"
  cat "$file"
  printf 'bench: wrote %s\n' "$file" >&2
}
# The plots need Python alone, the million tokens also NumPy.
memory() {
  python=python3
  python3 -c 'import numpy' 2>/dev/null || python=/usr/bin/python3
  "$python" bench/memory.py "$build" "$@"
}
ring() { sh bench/ring-mesh.sh "$build" "$@"; }
plans() { "$build/bin/planner_bench" plans; }
scale() {
  [ $# -gt 0 ] || set -- blackhole-galaxy galaxies-4 galaxies-32
  "$build/bin/planner_bench" scale "$@"
  python3 bench/planner/simulate.py "$build" machines/galaxies-4.machine
}
planner() { python3 bench/planner/measure.py "$build" "$@"; }
# Five benchmarks of dilated attention; each has --help.
dilated() { python3 bench/dilated/bench.py "$build" "$@"; }

case $name in
  kernels | machine | memory | ring | plans | scale | planner) "$name" "$@" ;;
  compile-time) compile_time "$@" ;;
  quick | dilated-vs-standard | comprehensive | memory-scaling | extreme-sequence)
    dilated "$name" "$@"
    ;;
  all)
    kernels && ring && compile_time && memory && plans && scale && planner &&
      dilated dilated-vs-standard && dilated memory-scaling
    ;;
  *)
    printf 'bench: unknown benchmark "%s"; there are: kernels, ring, compile-time,
machine, memory, plans, scale, planner, quick, dilated-vs-standard,
comprehensive, memory-scaling, extreme-sequence\n' "$name" >&2
    exit 2
    ;;
esac
