#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a device holds at most, over the length of the sequence and the number of
# devices: measured on the CPU mesh, values and buffers without scratch. The ring
# holds O(n/P), all_gather O(n).
#   memory.sh BUILD_DIR [TOKENS...]
set -eu
build=$1
shift
[ $# -gt 0 ] || set -- 4096 16384 65536
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
printf '%8s %8s %18s %18s\n' tokens devices 'ring KiB/device' 'all_gather KiB'
for tokens in "$@"; do
  type="tensor<1x1x${tokens}x64xbf16>"
  for devices in 1 2 4 8 16; do
    cat >"$dir/attention.mlir" <<MLIR
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x$devices>]>} {
  func.func @attention(%q: $type, %k: $type, %v: $type) -> $type {
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1>} : ($type, $type, $type) -> $type
    return %0 : $type
  }
}
MLIR
    for strategy in ring all_gather; do
      "$build/bin/ring-run" "$dir/attention.mlir" \
        --ring-attention-pipeline="strategy=$strategy directions=forward" --stats="$dir/$strategy.json" >/dev/null 2>&1
    done
    peak() { sed '/^"host"/,$d' "$dir/$1.json" | grep -o '"peak_value_bytes": [0-9]*' | awk '$2 > m { m = $2 } END { printf "%d", m / 1024 }'; }
    printf '%8d %8d %18d %18d\n' "$tokens" "$devices" "$(peak ring)" "$(peak all_gather)"
  done
done
