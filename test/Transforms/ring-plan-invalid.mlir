// SPDX-License-Identifier: Apache-2.0
// Every plan that cannot honour an attention is refused, and the error says which
// feature stands in the way.

// RUN: split-file %s %t
// RUN: ring-opt %t/unknown-strategy.mlir --pass-pipeline="builtin.module(ring-plan{strategy=spiral})" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/unknown-layout.mlir --pass-pipeline="builtin.module(ring-plan{layout=spiral})" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/unknown-directions.mlir --pass-pipeline="builtin.module(ring-plan{directions=up})" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/unknown-form.mlir --pass-pipeline="builtin.module(ring-plan{form=blurred})" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/unknown-topology.mlir --pass-pipeline="builtin.module(ring-plan{topology=star})" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/bad-mesh.mlir --pass-pipeline="builtin.module(ring-plan{mesh-shape=8by4})" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/empty-axis.mlir --pass-pipeline="builtin.module(ring-plan{mesh-shape=8x0})" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/too-many-devices.mlir --ring-plan --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/too-many-elements.mlir --ring-plan --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/no-mesh.mlir --ring-plan --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/no-annotation.mlir --ring-plan --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/sequence-axis.mlir --ring-plan --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/heads-axis.mlir --ring-plan --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/no-links.mlir --ring-plan="num-links=0" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/odd-chunk.mlir --ring-plan="q-chunk=100" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/mirrored.mlir --ring-plan="strategy=ring layout=mirrored" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/heads-do-not-divide.mlir --ring-plan --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/key-heads-do-not-divide.mlir --ring-plan --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/dilated.mlir --ring-plan="strategy=halo" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ulysses-heads.mlir --ring-plan="strategy=ulysses" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ulysses-heads-of-a-device.mlir --ring-plan="strategy=ulysses" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ulysses-key-heads.mlir --ring-plan="strategy=ulysses" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ulysses-layout.mlir --ring-plan="strategy=ulysses layout=striped" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ulysses-mask.mlir --ring-plan="strategy=ulysses layout=zigzag" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ulysses-joint.mlir --ring-plan="strategy=ulysses" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/usp-ranks.mlir --ring-plan="strategy=usp head-ranks=3" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/usp-heads.mlir --ring-plan="strategy=usp head-ranks=16" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/usp-mask.mlir --ring-plan="strategy=usp layout=zigzag" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/usp-layout.mlir --ring-plan="strategy=usp layout=striped" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/halo-without-window.mlir --ring-plan="strategy=halo" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/halo-causal.mlir --ring-plan="strategy=halo" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/halo-layout.mlir --ring-plan="strategy=halo layout=zigzag" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/halo-mask.mlir --ring-plan="strategy=halo" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/halo-long.mlir --ring-plan="strategy=halo" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/split-kv-pattern.mlir --ring-plan="strategy=split_kv" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/split-kv-joint.mlir --ring-plan="strategy=split_kv" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/split-kv-layout.mlir --ring-plan="strategy=split_kv layout=striped" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ring-mask-zigzag.mlir --ring-plan="strategy=ring layout=zigzag" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/all-gather-mask-striped.mlir --ring-plan="strategy=all_gather layout=striped" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/fused-strategy.mlir --ring-plan="strategy=ulysses form=fused" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/other-mesh.mlir --ring-plan="mesh-shape=2x4" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/pages-strategy.mlir --ring-plan="strategy=ulysses" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/pages-negative.mlir --ring-plan="strategy=ring" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/unknown-fidelity.mlir --pass-pipeline="builtin.module(ring-plan{fidelity=hifi5})" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/bad-grid.mlir --pass-pipeline="builtin.module(ring-plan{grid=8})" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/large-grid.mlir --ring-plan="grid=9x9" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/unknown-machine.mlir --pass-pipeline="builtin.module(ring-plan{machine=nowhere})" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/machine-with-another-mesh.mlir --ring-plan="machine=n300" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/too-large.mlir --ring-plan --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ulysses-of-any.mlir --ring-plan="head-ranks=3" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ulysses-of-a-ring.mlir --ring-plan="strategy=ring head-ranks=2" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/merge-name.mlir --pass-pipeline="builtin.module(ring-plan{merge=bush})" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/merge-of-ring.mlir --ring-plan="strategy=ring merge=reduce" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/merge-of-six.mlir --ring-plan="merge=tree" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/inner-of-any.mlir --ring-plan="inner-ranks=3" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/inner-of-usp.mlir --ring-plan="strategy=usp inner-ranks=2" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/ccl-offset.mlir --ring-plan="ccl-offset=8x0" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/too-many-links.mlir --ring-plan="machine=t3000 num-links=5" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/too-many-links-of-a-guess.mlir --ring-plan="num-links=4" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/too-large-chunks.mlir --ring-plan="q-chunk=1024 k-chunk=1024" --verify-diagnostics -o /dev/null

//--- unknown-strategy.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects strategy to be auto, replicate, all_gather, ring, ulysses, usp, halo, split_kv, double_ring, pass_q, ring_joint, ring_mla, ring_distributed, but got 'spiral'}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- unknown-layout.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects layout to be auto, contiguous, mirrored, zigzag, striped, block_cyclic, balanced, but got 'spiral'}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- unknown-directions.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects directions to be auto, forward, both, but got 'up'}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- unknown-form.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects form to be auto, explicit, fused, but got 'blurred'}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- unknown-topology.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects topology to be auto, ring, linear, but got 'star'}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- bad-mesh.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention expects mesh-shape to be like 8x4, but got '8by4'}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- empty-axis.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention expects mesh-shape to be like 8x4, but got '8x0'}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- too-many-devices.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2147483648>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention expects a mesh of positive axes with at most 1048576 devices, but got [1, 2147483648]}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- too-many-elements.mlir
!t = tensor<1x8x4096x4611686018427387904xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t) -> !t {
    // expected-error @below {{attention cannot be planned: expects tensors of at most 281474976710656 elements, but got 'tensor<1x8x4096x4611686018427387904xbf16>'}}
    %0 = ring.attention %q, %q, %q parallel(<sequence = 1>) : !t, !t, !t -> !t
    return %0 : !t
  }
}

//--- no-mesh.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention expects a mesh: ttcore.meshes on the module, a ttcore.device, or the option mesh-shape}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- no-annotation.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention expects a parallel annotation to be planned}}
    %0 = ring.attention %q, %k, %k  : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- sequence-axis.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention expects the axis of the sequence to be one of the 2-D mesh, but got 2}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 2>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- heads-axis.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention expects the axis of the heads to be one of the 2-D mesh, but got 3}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1, heads = 3>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- no-links.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects at least one link, but got 0}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- odd-chunk.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects chunks to be positive multiples of 32, but got 100}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- mirrored.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects a layout of the whole sequence, but got mirrored, which is half of a zigzag}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- heads-do-not-divide.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 3x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use any strategy: expects 3 devices to divide the 8 heads}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1, heads = 0>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- key-heads-do-not-divide.mlir
!t = tensor<1x12x4096x64xbf16>
!kv = tensor<1x6x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use any strategy: expects 4 devices to divide the 6 key heads, or to be divided by them}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1, heads = 0>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- dilated.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy halo: expects ring, all_gather, ulysses, usp or replicate for a dilated pattern, but got halo}}
    %0 = ring.attention %q, %k, %k pattern(#ring.dilated<segments = [1024], rates = [2]>) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ulysses-heads.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x16>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ulysses: expects 16 ranks to divide the 8 heads of a device}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ulysses-heads-of-a-device.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ulysses: expects 8 ranks to divide the 4 heads of a device}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1, heads = 0>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ulysses-key-heads.mlir
!t = tensor<1x24x4096x64xbf16>
!kv = tensor<1x6x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ulysses: expects 4 ranks to divide the 6 key heads of a device, or to be divided by them}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ulysses-layout.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ulysses: expects a contiguous or zigzag layout, but got striped: the stripes of a group of ranks are not those of a ring}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ulysses-mask.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!mask = tensor<1x1x4096x4096xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %m: !mask) -> !t {
    // expected-error @below {{attention cannot use strategy ulysses: expects a contiguous layout beside a mask}}
    %0 = ring.attention %q, %k, %k mask(%m : !mask) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ulysses-joint.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!j = tensor<1x8x128x64xbf16>
!jkv = tensor<1x4x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %j: !j, %jk: !jkv) -> !t {
    // expected-error @below {{attention cannot use strategy ulysses: expects ring or all_gather for sharded joint tokens, but got ulysses}}
    %0, %1 = ring.attention %q, %k, %k joint(%j, %jk, %jk : !j, !jkv, !jkv) parallel(<sequence = 1, joint = sharded>) : !t, !kv, !kv -> !t joint(!j)
    return %0 : !t
  }
}

//--- usp-ranks.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects the head ranks to divide 8, but got 3}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- usp-heads.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x32>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy usp: expects 16 ranks to divide the 8 heads of a device}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- usp-mask.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!mask = tensor<1x1x4096x4096xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %m: !mask) -> !t {
    // expected-error @below {{attention cannot use strategy usp: expects a contiguous layout beside a mask}}
    %0 = ring.attention %q, %k, %k mask(%m : !mask) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- usp-layout.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy usp: expects a contiguous or zigzag layout, but got striped: the stripes of a group of ranks are not those of a ring}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- halo-without-window.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy halo: expects a sliding window}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- halo-causal.mlir
// Causal is bounded on one side only.
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy halo: expects a sliding window}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- halo-layout.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy halo: expects a contiguous layout, but got zigzag}}
    %0 = ring.attention %q, %k, %k pattern(#ring.window<before = 255, after = 0>) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- halo-mask.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!mask = tensor<1x1x4096x4096xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %m: !mask) -> !t {
    // expected-error @below {{attention cannot use strategy halo: expects no mask beside the window}}
    %0 = ring.attention %q, %k, %k mask(%m : !mask) pattern(#ring.window<before = 255, after = 0>) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- halo-long.mlir
// Shards of 512 rows: 2049 reach into the fifth before, 1537 into the fourth after.
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy halo: expects the window to reach fewer than 8 other ranks, but it reaches 5 before and 4 after}}
    %0 = ring.attention %q, %k, %k pattern(#ring.window<before = 2049, after = 1537>) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- split-kv-pattern.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy split_kv: expects every query to attend to every key}}
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- split-kv-joint.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!j = tensor<1x8x128x64xbf16>
!jkv = tensor<1x4x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %j: !j, %jk: !jkv) -> !t {
    // expected-error @below {{attention cannot use strategy split_kv: expects no joint tokens}}
    %0, %1 = ring.attention %q, %k, %k joint(%j, %jk, %jk : !j, !jkv, !jkv) parallel(<sequence = 1>) : !t, !kv, !kv -> !t joint(!j)
    return %0 : !t
  }
}

//--- split-kv-layout.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy split_kv: expects a contiguous layout, but got striped}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ring-mask-zigzag.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!mask = tensor<1x1x4096x4096xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %m: !mask) -> !t {
    // expected-error @below {{attention cannot use strategy ring: expects a contiguous layout beside a mask}}
    %0 = ring.attention %q, %k, %k mask(%m : !mask) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- all-gather-mask-striped.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
!mask = tensor<1x1x4096x4096xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv, %m: !mask) -> !t {
    // expected-error @below {{attention cannot use strategy all_gather: expects a contiguous layout beside a mask}}
    %0 = ring.attention %q, %k, %k mask(%m : !mask) parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- fused-strategy.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot use strategy ulysses (fused): expects ring or all_gather for a fused form, but got ulysses}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- other-mesh.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention expects mesh-shape to be the file's own mesh, 1x8, but got 2x4}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- pages-strategy.mlir
!t = tensor<1x8x2048x64xbf16>
!cache = tensor<64x2x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !cache, %pages: tensor<1x32xi32>, %start: tensor<1xi32>) -> !t {
    // expected-error @below {{attention cannot use strategy ulysses: expects ring, all_gather, split_kv, pass_q or replicate for a paged cache, but got ulysses}}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x32xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !cache, !cache -> !t
    return %0 : !t
  }
}

//--- pages-negative.mlir
!t = tensor<1x8x2048x64xbf16>
!cache = tensor<64x2x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !cache, %pages: tensor<1x32xi32>) -> !t {
    %start = "ttir.constant"() <{value = dense<-1> : tensor<1xi32>}> : () -> tensor<1xi32>
    // expected-error @below {{attention cannot use strategy ring: expects a chunk to start at 0 or later, but got -1}}
    %0 = ring.attention %q, %k, %k pages(%pages : tensor<1x32xi32>) start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1>) : !t, !cache, !cache -> !t
    return %0 : !t
  }
}

//--- unknown-fidelity.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects fidelity to be auto, lofi, hifi2, hifi3, hifi4, but got 'hifi5'}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- bad-grid.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects grid to be like 8x7, but got '8'}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- large-grid.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects a grid within 8x8, but got 9x9}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- unknown-machine.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error-re @below {{attention cannot be planned: expects a machine of {{.*}} or the path of a machine file, but got 'nowhere'}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- machine-with-another-mesh.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects at most the 2 chips of 1x2 for machine 'n300', but got 1x8}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- too-large.mlir
!t = tensor<1x16x8000000x128xbf16>
!kv = tensor<1x16x8000000x128xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error-re @below {{attention cannot use any strategy: {{.*}} needs least, but needs {{[0-9.]+}} GiB a device, t3000 has 11.2 GiB; fits from 32 devices on}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ulysses-of-any.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects the head ranks to divide 8, but got 3}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ulysses-of-a-ring.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects strategy usp or auto with head ranks, but got ring}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- merge-name.mlir
!q = tensor<1x8x1x64xbf16>
!t = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @unknown(%q: !q, %k: !t) -> !q {
    // expected-error @below {{attention cannot be planned: expects merge to be auto, tree, round, gather, reduce, but got 'bush'}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !q, !t, !t -> !q
    return %0 : !q
  }
}

//--- merge-of-ring.mlir
!t = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @nothing_to_merge(%q: !t) -> !t {
    // expected-error @below {{attention cannot be planned: expects strategy split_kv or auto with merge reduce, but got ring}}
    %0 = ring.attention %q, %q, %q parallel(<sequence = 1>) : !t, !t, !t -> !t
    return %0 : !t
  }
}

//--- merge-of-six.mlir
!q = tensor<1x8x1x64xbf16>
!t = tensor<1x8x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x6>]>} {
  func.func @no_pairs(%q: !q, %k: !t) -> !q {
    // expected-error @below {{attention cannot be planned: expects ranks that are a power of two for merge = tree, but got 6}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !q, !t, !t -> !q
    return %0 : !q
  }
}

//--- inner-of-any.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects the ranks of the inner ring to divide 8, but got 3}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- inner-of-usp.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects strategy double_ring or auto with ranks of the inner ring, but got usp}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- ccl-offset.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects a ccl-offset within 8x8, but got 8x0}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- too-many-links.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error @below {{attention cannot be planned: expects num-links of at most 1, which t3000 has to a neighbour, but got 5}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}

//--- too-many-links-of-a-guess.mlir
!t = tensor<1x8x512x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @attention(%q: !t) -> !t {
    // expected-error @below {{attention cannot be planned: expects num-links of at most 2, which n300 has to a neighbour, but got 4}}
    %0 = ring.attention %q, %q, %q parallel(<sequence = 1>) : !t, !t, !t -> !t
    return %0 : !t
  }
}

//--- too-large-chunks.mlir
!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: !t, %k: !kv) -> !t {
    // expected-error-re @below {{attention cannot use strategy ring (fused), one of 10 that were tried: needs {{[0-9]+}} KiB of L1 a core, there are 1464}}
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }
}
