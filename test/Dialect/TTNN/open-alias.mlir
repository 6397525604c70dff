// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s | FileCheck %s
// RUN: ring-opt %s > %t.once && ring-opt %t.once | diff %t.once -

// Aliases inside what is kept as text are written out, because their names need
// not exist in the output: #core and !t are used nowhere else.

#dram = #ttnn.buffer_type<dram>
#core = #ttnn.core_coord<1, 2>
#inner = #ttnn.novel_inner<#core>
!t = tensor<4x4xf32>

// CHECK: a = #ttnn.novel<#ttnn.buffer_type<dram>, "#dram", [#ttnn.core_coord<1, 2>, #ttnn.core_coord<3, 4>]>
"ttnn.novel"() {a = #ttnn.novel<#dram, "#dram", [#core, #ttnn.core_coord<3, 4>]>} : () -> ()

// An alias in an unknown attribute in an unknown attribute.
// CHECK: a = #ttnn.novel<at = #ttnn.novel_arg<#ttnn.core_coord<1, 2>, 5>, #ttnn.novel_inner<#ttnn.core_coord<1, 2>>>
"ttnn.novel"() {a = #ttnn.novel<at = #ttnn.novel_arg<#core, 5>, #inner>} : () -> ()

// Affine expressions, floats and shapes around it stay as they are.
// CHECK: a = #ttnn.novel<(d0)[s0] -> (d0 * s0 - 1, d0 floordiv 8), -2.5, 4x8, @sym, {x = ?}, #ttnn.core_coord<1, 2>>
"ttnn.novel"() {a = #ttnn.novel<(d0)[s0] -> (d0 * s0 - 1, d0 floordiv 8), -2.5, 4x8, @sym, {x = ?}, #core>} : () -> ()

// CHECK: a = !ttnn.novel<tensor<4x4xf32>, memref<2xtensor<4x4xf32>, #ttnn.buffer_type<dram>>>
"ttnn.novel"() {a = !ttnn.novel<!t, memref<2x!t, #dram>>} : () -> ()

// Known attributes keep their aliases.
// CHECK: a = #ttnn.memory_config<#dram, <interleaved>>
"ttnn.novel"() {a = #ttnn.memory_config<#dram, <interleaved>>} : () -> ()
