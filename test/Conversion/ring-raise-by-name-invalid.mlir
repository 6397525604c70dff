// SPDX-License-Identifier: Apache-2.0
// Names that are wrong are errors that say what there is; names that are right
// and come to nothing are warnings.

// RUN: not ring-opt %s --ring-raise="parallel=@mian:sequence=1" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: ring-raise option parallel: '@mian' names no function; there are @main, @encoder, @classes

// RUN: not ring-opt %s --ring-raise="parallel=@main:sequence=1;attn2*:sequence=1" 2>&1 | FileCheck %s --check-prefix=ATTENTION
// ATTENTION: error: ring-raise option parallel: 'attn2*' names no attention; there are 'attn/one', 'attn/two', 'softmax.3'

// RUN: not ring-opt %s --ring-raise="parallel=@encoder/attn/*:sequence=1" 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// ELSEWHERE: error: ring-raise option parallel: '@encoder/attn/*' names no attention; there are

// RUN: not ring-opt %s --ring-raise="parallel=4711:sequence=1" 2>&1 | FileCheck %s --check-prefix=LINE
// LINE: error: ring-raise option parallel: '4711' names no attention; there are

// RUN: not ring-opt %s --ring-raise="parallel=@main" 2>&1 | FileCheck %s --check-prefix=NO-AXES
// NO-AXES: error: ring-raise option parallel: expects NAME:AXES, such as @main:sequence=1, but got '@main'

// RUN: not ring-opt %s --ring-raise="parallel=:sequence=1" 2>&1 | FileCheck %s --check-prefix=NO-NAME
// RUN: not ring-opt %s --ring-raise="parallel=@:sequence=1" 2>&1 | FileCheck %s --check-prefix=NO-NAME
// NO-NAME: error: ring-raise option parallel: expects NAME:AXES, such as @main:sequence=1, but got '{{@?}}:sequence=1'

// RUN: not ring-opt %s --ring-raise="parallel=@main:sequenz=1" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: ring-raise option parallel: expects axes such as sequence=1,heads=0, or none, but got 'sequenz=1': duplicate or unknown struct parameter name: sequenz

// RUN: not ring-opt %s --ring-raise="parallel=@main:sequence=1,heads=1" 2>&1 | FileCheck %s --check-prefix=AXES
// AXES: error: ring-raise option parallel: expects axes such as sequence=1,heads=0, or none, but got 'sequence=1,heads=1': expects sequence and heads on different mesh axes, but got 1 for both

// RUN: not ring-opt %s --ring-raise="parallel=attn/[o:sequence=1" 2>&1 | FileCheck %s --check-prefix=GLOB
// GLOB: error: ring-raise option parallel: expects a name with wildcards, but got 'attn/[o'

// Two rules that are as precise as each other have to agree. A third that is more
// precise than both decides.
// RUN: not ring-opt %s --ring-raise="parallel=attn/o*:sequence=1;attn/*e:sequence=0" 2>&1 | FileCheck %s --check-prefix=AGREE
// RUN: ring-opt %s --ring-raise="parallel=attn/o*:sequence=1;attn/*e:sequence=0;attn/one:sequence=2" -o /dev/null
// RUN: ring-opt %s --ring-raise="parallel=attn/o*:sequence=1;attn/*e:sequence=1" -o /dev/null
// AGREE: error: {{.*}}ring-raise option parallel: expects rules that agree, but got 'attn/o*' and 'attn/*e', which name this attention as precisely as each other

// RUN: ring-opt %s --ring-raise="parallel=@classes:sequence=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: warning: ring-raise: 0 attentions raised, no attention op and no softmax between two products in
// RUN: ring-opt %s --ring-raise="parallel=softmax.3:sequence=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SOFTMAX
// SOFTMAX-DAG: warning: {{.*}}ring-raise: 0 attentions raised, though ring.parallel or an option asks for it
// SOFTMAX-DAG: remark: {{.*}}ring-raise: left as it is: a softmax that is not between two products
// RUN: ring-opt %s --ring-raise="parallel=attn/two:sequence=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT-DAG: remark: {{.*}}ring-raise: left as it is: a sliding window without is_causal
// LEFT-DAG: warning: {{.*}}ring-raise: 0 attentions raised, though ring.parallel or an option asks for it

!t = tensor<1x2x64x16xbf16>

func.func @main(%q: !t) -> (!t, !t) {
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t loc("attn/one")
  %1 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = false, sliding_window_size = 16 : ui32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t loc("attn/two")
  return %0, %1 : !t, !t
}

func.func @encoder(%q: !t) -> !t {
  return %q : !t
}

func.func @classes(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = "ttir.softmax"(%x) <{dimension = 1 : si32}> : (tensor<4x8xbf16>) -> tensor<4x8xbf16> loc("softmax.3")
  return %0 : tensor<4x8xbf16>
}
