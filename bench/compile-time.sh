#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compile time over the number of attention layers on a ring of 32: ten times the
# layers should cost ten times the time.
#   compile-time.sh BUILD_DIR [LAYERS...]
set -eu
build=$1
shift
[ $# -gt 0 ] || set -- 10 100 1000
file=$(mktemp)
trap 'rm -f "$file"' EXIT
type='tensor<1x8x8192x64xbf16>'
printf '%8s %12s %16s\n' layers seconds 'ms per layer'
for layers in "$@"; do
  {
    printf 'module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x32>]>, ring.parallel = #ring.parallel<sequence = 1>} {\n'
    printf 'func.func @model(%%x0: %s) -> %s {\n' "$type" "$type"
    i=0
    while [ "$i" -lt "$layers" ]; do
      printf '%%x%d = "ttir.scaled_dot_product_attention"(%%x%d, %%x%d, %%x%d) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (%s, %s, %s) -> %s\n' \
        $((i + 1)) "$i" "$i" "$i" "$type" "$type" "$type" "$type"
      i=$((i + 1))
    done
    printf 'return %%x%d : %s\n}\n}\n' "$layers" "$type"
  } >"$file"
  start=$(date +%s.%N)
  "$build/bin/ring-opt" "$file" --ring-attention-pipeline="strategy=ring layout=zigzag directions=forward" -o /dev/null 2>/dev/null
  end=$(date +%s.%N)
  awk -v l="$layers" -v s="$start" -v e="$end" 'BEGIN { printf "%8d %12.2f %16.2f\n", l, e - s, (e - s) * 1000 / l }'
done
