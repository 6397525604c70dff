// SPDX-License-Identifier: Apache-2.0
// RUN: grep -v "^//" %s > %t.in
// RUN: ring-opt %s > %t.out
// RUN: diff -B %t.in %t.out

// Every op of ttcore, in the form it is printed in: text in is text out.

#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <wormhole_b0>, grid = 8x8}], [0], [1 : i32], [ 0x0x0x0]>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>, <"other" = 1x8>]>} {
  ttcore.device_module {
    builtin.module attributes {ttcore.system_desc = #system_desc} {
      ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1] -> (0, 0, d0 * s1, d1 floordiv 12 + d2 mod 7), meshShape = 2x4, chipIds = [0, 1, 2, 3, 4, 5, 6, 7], meshTopology = [ring, linear]>
      ttcore.device @single = <workerGrid = #ttcore.grid<8x8>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0) -> (d0), dramMap = (d0) -> (d0), meshShape = , chipIds = [0]>
      ttcore.global @weights = tensor<2x2xf32> [0]
      ttcore.global @plain = tensor<2x2xf32>
      func.func private @const_eval(tensor<32x32xbf16>) -> (tensor<32x32xbf16>, tensor<32x32xf32>)
      func.func private @const_eval_tuple(tuple<tensor<32x32xbf16>>) -> tuple<tensor<32x32xf32>>
      func.func private @fallback(tensor<32x32xbf16>) -> tensor<32x32xbf16>
      func.func @main(%arg0: tensor<32x32xbf16> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<32x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<presharded>}, %arg1: !ttcore.dict) -> (tensor<32x32xbf16> {ttcore.shard_status = #ttcore.shard_status<unsharded>}) {
        %0:2 = ttcore.load_cached(@const_eval, [%arg0]) : (tensor<32x32xbf16>) -> (tensor<32x32xbf16>, tensor<32x32xf32>)
        %1 = ttcore.load_cached(@const_eval_tuple, [%arg0]) : (tensor<32x32xbf16>) -> tensor<32x32xf32>
        %2 = ttcore.get_global @weights : tensor<2x2xf32>
        %3 = ttcore.tuple %arg0, %2 : tuple<tensor<32x32xbf16>, tensor<2x2xf32>>
        %4 = ttcore.get_tuple_element %3[1] : (tuple<tensor<32x32xbf16>, tensor<2x2xf32>>) -> tensor<2x2xf32>
        ttcore.set_key_value %arg1["key"] = %arg0, %2 : !ttcore.dict, tensor<32x32xbf16>, tensor<2x2xf32>
        %5:2 = ttcore.get_key_value %arg1["key"] : (!ttcore.dict) -> (tensor<32x32xbf16>, tensor<2x2xf32>)
        %6 = ttcore.get_key_value %arg1[3 : index] : (!ttcore.dict) -> tensor<2x2xf32>
        %7 = "ttcore.optimization_barrier"(%arg0) : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
        %8 = "ttcore.composite"(%arg0) <{composite_attributes = {cluster_axis = 1 : ui32, topology = #ttcore.topology<ring>}, composite_name = "novel", decomposition = @fallback}> : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
        return %8 : tensor<32x32xbf16>
      }
    }
  }
  ttcore.cpu_module {
    builtin.module {
      func.func @hoisted() {
        return
      }
    }
  }
}
