#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the ring costs beside its arithmetic: one attention on one device, on a
# ring of two and on a ring of eight, all with as many threads as there are
# cores, as shares of the cores' FMA peak. Programs are compiled as for a mesh.
#   ring-mesh.sh BUILD_DIR [mesh_bench ARGUMENTS]
# HEADS, TOKENS, DIM and CAUSAL in the environment change the attention.
set -eu
build=$1
shift
heads=${HEADS:-4} tokens=${TOKENS:-8192} dim=${DIM:-128} causal=${CAUSAL:-false}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
type="tensor<1x${heads}x${tokens}x${dim}xf32>"
for devices in 1 2 8; do
  cat >"$dir/attention.mlir" <<MLIR
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x$devices>]>} {
  func.func @attention(%q: $type, %k: $type, %v: $type) -> $type {
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = $causal, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1>} : ($type, $type, $type) -> $type
    return %0 : $type
  }
}
MLIR
  case $devices in
    1) name=one-device passes=--ring-attention-pipeline ;;
    *) name=ring-of-$devices passes=--ring-attention-pipeline=strategy=ring ;;
  esac
  "$build/bin/ring-opt" "$dir/attention.mlir" "$passes" 2>/dev/null |
    "$build/bin/ring-translate" --mlir-to-program -o "$dir/$name.program"
done
printf '%s heads, %s tokens, %s dimensions, causal %s\n' "$heads" "$tokens" "$dim" "$causal"
"$build/bin/mesh_bench" "$@" "$dir/one-device.program" "$dir/ring-of-2.program" "$dir/ring-of-8.program"
