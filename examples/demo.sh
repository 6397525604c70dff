#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What ./dev demo shows: real models' attention, compiled, run on an emulated
# mesh of 2 x 4 devices, and checked against double precision.
#   demo.sh BUILD_DIR
set -eu
build=$1
tools=$build/bin
out=$build/demo
mkdir -p "$out"

step() { printf '\n== %s\n' "$*"; }

step "1. A causal attention becomes a ring of four devices"
# A ring is asked for: of so few tokens the planner would rather gather the keys.
"$tools/ring-opt" examples/causal-small.mlir --ring-attention-pipeline=strategy=ring 2>"$out/remarks.txt"
grep -o 'remark: .*' "$out/remarks.txt" | sort -u

step "2. The same, run after every pass and compared with double precision"
"$tools/ring-run" examples/causal-small.mlir --ring-attention-pipeline=strategy=ring --bisect 2>/dev/null

step "3. Flux.1: 4096 image + 512 text tokens on 2 x 4 devices (4 of its 24 heads), checked; takes some seconds"
"$tools/ring-run" examples/flux-scaled.mlir --ring-attention-pipeline --check --distribution=outliers \
  --trace="$out/flux-trace.json" --stats="$out/flux-stats.json" 2>/dev/null

step "4. Wan2.2, scaled to 4725 tokens and 8 heads, on 2 x 4 devices, checked; takes some seconds"
"$tools/ring-run" examples/wan2.2-scaled.mlir --ring-attention-pipeline --check --distribution=outliers \
  --trace="$out/wan-trace.json" --stats="$out/wan-stats.json" --report="$out/wan-report.html" 2>/dev/null

step "5. Wan2.2 at full size, 75 600 tokens x 40 heads on 8 x 4 devices: what one device does"
"$tools/ring-opt" examples/wan2.2-720p.mlir --ring-attention-pipeline -o "$out/wan2.2-720p.ring.mlir" 2>"$out/remarks.txt"
grep -o 'remark: .*' "$out/remarks.txt" | sort -u
printf 'compiled to %s\n' "$out/wan2.2-720p.ring.mlir"

step "6. The same, predicted on a Wormhole Galaxy"
"$tools/ring-run" examples/wan2.2-720p.mlir --ring-attention-pipeline --backend=sim --machine=wormhole-galaxy \
  --report="$out/wan2.2-720p-report.html" 2>/dev/null

printf '\nreports, for a browser:\n  measured   %s\n  predicted  %s\n' "$out/wan-report.html" "$out/wan2.2-720p-report.html"
printf 'traces for https://ui.perfetto.dev: %s, %s\n' "$out/flux-trace.json" "$out/wan-trace.json"
