// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s -split-input-file -verify-diagnostics

// One case for each constraint of ttcore, and wrong text where the mnemonic is
// known: that is an error, not something to keep.

// device C2
// expected-error @+1 {{expects 2 chip ids, one for each place of the mesh, but got 1}}
"ttnn.novel"() {a = #ttcore.device<workerGrid = #ttcore.grid<8x8>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0) -> (d0), dramMap = (d0) -> (d0), meshShape = 1x2, chipIds = [0]>} : () -> ()

// -----

// device C3
// expected-error @+1 {{expects positive worker grid dimensions, but got 0}}
"ttnn.novel"() {a = #ttcore.device<workerGrid = #ttcore.grid<8x0>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0) -> (d0), dramMap = (d0) -> (d0), meshShape = 1x2, chipIds = [0, 1]>} : () -> ()

// -----

// device C4
// expected-error @+1 {{expects a topology for each of the 2 mesh axes, but got 1}}
"ttnn.novel"() {a = #ttcore.device<workerGrid = #ttcore.grid<8x8>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0) -> (d0), dramMap = (d0) -> (d0), meshShape = 1x2, chipIds = [0, 1], meshTopology = [ring]>} : () -> ()

// -----

// core_range C1
// expected-error @+1 {{expects no negative core coordinate, but got (-1,0)}}
"ttnn.novel"() {a = #ttcore.core_range<(-1,0), (0,0)>} : () -> ()

// -----

// core_range C2
// expected-error @+1 {{expects the range to end at or after (1,0), but got (0,0)}}
"ttnn.novel"() {a = #ttcore.core_range<(1,0), (0,0)>} : () -> ()

// -----

// tile C1
// expected-error @+1 {{expects a tile of 2 dimensions, but got 1}}
"ttnn.novel"() {a = !ttcore.tile<32, f32>} : () -> ()

// -----

// wrong text after a known mnemonic
// expected-error @+2 {{failed to parse TTCore_TopologyAttr parameter 'value'}}
// expected-error @+1 {{expected ::mlir::tt::ttcore::Topology to be one of: ring, linear, mesh, torus, disabled}}
"ttnn.novel"() {a = #ttcore.topology<star>} : () -> ()

// -----

// more text than a known attribute has
// expected-error @+1 {{expected '>'}}
"ttnn.novel"() {a = #ttcore.grid<8x8 novel>} : () -> ()

// -----

// device_module C1
// expected-error @+1 {{expects exactly one op in its body, but got 2}}
ttcore.device_module {
  builtin.module {
  }
  builtin.module {
  }
}

// -----

// cpu_module C1
// expected-error @+1 {{expects its body to be a builtin.module, but got 'func.func'}}
ttcore.cpu_module {
  func.func private @f()
}

// -----

// load_cached C1
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects its callee to name a function, but there is no symbol @missing}}
  %0 = ttcore.load_cached(@missing, [%a]) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// load_cached C1
ttcore.global @g = tensor<4xf32>
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects its callee to name a func.func, but @g is 'ttcore.global'}}
  %0 = ttcore.load_cached(@g, [%a]) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// load_cached C2
// expected-note @+1 {{for this function}}
func.func private @g(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects 2 inputs, but got 1}}
  %0 = ttcore.load_cached(@g, [%a]) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// load_cached C3
// expected-note @+1 {{for this function}}
func.func private @g(tensor<4xf32>) -> tensor<8xf32>
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects result 0 of type 'tensor<8xf32>', but got 'tensor<4xf32>'}}
  %0 = ttcore.load_cached(@g, [%a]) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// composite C1
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects its decomposition to name a function, but there is no symbol @missing}}
  %0 = "ttcore.composite"(%a) <{composite_name = "n", decomposition = @missing}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// composite C2
// expected-note @+1 {{for this function}}
func.func private @g(tensor<4xbf16>) -> tensor<4xf32>
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects input 0 of type 'tensor<4xbf16>', but got 'tensor<4xf32>'}}
  %0 = "ttcore.composite"(%a) <{composite_name = "n", decomposition = @g}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// composite C3
// expected-note @+1 {{for this function}}
func.func private @g(tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects 2 results, but got 1}}
  %0 = "ttcore.composite"(%a) <{composite_name = "n", decomposition = @g}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// set_key_value C1
func.func @f(%d: !ttcore.dict) {
  // expected-error @+1 {{expects at least one value, but got none}}
  "ttcore.set_key_value"(%d) <{key = "k"}> : (!ttcore.dict) -> ()
  return
}

// -----

// get_key_value C1
func.func @f(%d: !ttcore.dict) {
  // expected-error @+1 {{expects at least one result, but got none}}
  "ttcore.get_key_value"(%d) <{key = "k"}> : (!ttcore.dict) -> ()
  return
}

// -----

// tuple C1
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects a result of type 'tuple<tensor<4xf32>>', but got 'tuple<tensor<8xf32>>'}}
  %0 = "ttcore.tuple"(%a) : (tensor<4xf32>) -> tuple<tensor<8xf32>>
  return
}

// -----

// tuple, wrong text
func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects a tuple type, but got 'i32'}}
  %0 = ttcore.tuple %a : i32
  return
}

// -----

// get_tuple_element C1
func.func @f(%t: tuple<tensor<4xf32>>) {
  // expected-error @+1 {{expects an index less than 1, but got 1}}
  %0 = ttcore.get_tuple_element %t[1] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return
}

// -----

// get_tuple_element C2
func.func @f(%t: tuple<tensor<4xf32>>) {
  // expected-error @+1 {{expects a result of type 'tensor<4xf32>', but got 'tensor<8xf32>'}}
  %0 = ttcore.get_tuple_element %t[0] : (tuple<tensor<4xf32>>) -> tensor<8xf32>
  return
}

// -----

// A property that an op does not define is dropped, as in tt-mlir, but not in
// silence.
func.func @f(%a: tensor<4xf32>) {
  // expected-warning @+1 {{'ttir.all_gather' drops the property 'novel', which is not among (all_gather_dim, cluster_axis)}}
  %0 = "ttir.all_gather"(%a) <{all_gather_dim = 0 : si32, cluster_axis = 1 : ui32, novel = 3 : i32}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}
