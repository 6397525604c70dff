// SPDX-License-Identifier: Apache-2.0
// RUN: grep -v "^//" %s > %t.in
// RUN: ring-opt %s > %t.out
// RUN: diff -B %t.in %t.out

// REQUIRES: open-dialects

// What kernels are written in is kept as text: attributes, types and ops.

module {
  func.func private @reader(!ttkernel.noc_addr) attributes {tt.function_type = "kernel", ttkernel.arg_spec = #ttkernel.arg_spec< ct_args = [<arg_type = cb_port, operand_index = 0>]>, ttkernel.thread = #ttkernel.thread<noc>}
  func.func @writer(%arg0: !ttkernel.cb<4, !ttcore.tile<32x32, bf16>>) {
    %0 = "ttkernel.get_write_ptr"(%arg0) : (!ttkernel.cb<4, !ttcore.tile<32x32, bf16>>) -> i32
    "ttkernel.cb_push_back"(%arg0, %0) : (!ttkernel.cb<4, !ttcore.tile<32x32, bf16>>, i32) -> ()
    return
  }
}
