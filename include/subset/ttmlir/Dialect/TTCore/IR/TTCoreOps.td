// SPDX-License-Identifier: Apache-2.0
// Ops of ttcore: the structure of a program around its computation.
#ifndef TTMLIR_DIALECT_TTCORE_IR_TTCOREOPS_TD
#define TTMLIR_DIALECT_TTCORE_IR_TTCOREOPS_TD

include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.td"

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Modules and devices
//===----------------------------------------------------------------------===//

class TTCore_ModuleWrapperOp<string mnemonic>
    : TTCore_Op<mnemonic, [IsolatedFromAbove, NoRegionArguments, NoTerminator,
                           SingleBlock, SymbolTable]> {
  let regions = (region SizedRegion<1>:$bodyRegion);
  let assemblyFormat = "attr-dict-with-keyword $bodyRegion";
  let builders = [OpBuilder<(ins)>];
  let skipDefaultBuilders = 1;
  let hasVerifier = 1;
}

def TTCore_DeviceModuleOp : TTCore_ModuleWrapperOp<"device_module"> {
  let summary = "holds the module whose functions run on the device";
  let description = [{
    Constraints:
    - (C1) the body is exactly one `builtin.module`

    ```mlir
    ttcore.device_module {
      builtin.module {
        func.func @main() { return }
      }
    }
    ```
  }];
}

def TTCore_CPUModuleOp : TTCore_ModuleWrapperOp<"cpu_module"> {
  let summary = "holds the module whose functions run on the host";
  let description = [{
    Constraints:
    - (C1) the body is exactly one `builtin.module`

    ```mlir
    ttcore.cpu_module {
      builtin.module {
        func.func @hoisted() { return }
      }
    }
    ```
  }];
}

def TTCore_DeviceOp : TTCore_Op<"device", [Symbol]> {
  let summary = "declares a device by name";
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TTCore_DeviceAttr:$device_attr);
  let assemblyFormat = "$sym_name `=` $device_attr attr-dict";
}

//===----------------------------------------------------------------------===//
// Calls of other functions
//===----------------------------------------------------------------------===//

def TTCore_LoadCachedOp : TTCore_Op<"load_cached",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "results of a function that is computed once and kept";
  let description = [{
    Constraints:
    - (C1) `callee` names a function
    - (C2) its argument types, or the members of its one tuple argument, are
      the types of `inputs`
    - (C3) likewise its results and `results`

    ```mlir
    %0 = ttcore.load_cached(@const_eval_0, [%arg0])
        : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `(` $callee `,` `[` $inputs `]` `)` attr-dict `:`
    functional-type($inputs, $results)
  }];
}

def TTCore_CompositeOp : TTCore_Op<"composite",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a named operation that carries its own decomposition";
  let description = [{
    A compiler that knows `composite_name` may replace the op by one of its
    own; any other inlines `decomposition`. `composite_attributes` are the
    parameters of the named operation.

    Constraints:
    - (C1) `decomposition` names a `func.func` of the enclosing module
    - (C2) its arguments have the types of `inputs`
    - (C3) its results have the types of `results`
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       StrAttr:$composite_name,
                       FlatSymbolRefAttr:$decomposition,
                       OptionalAttr<DictionaryAttr>:$composite_attributes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
}

def TTCore_OptimizationBarrierOp : TTCore_Op<"optimization_barrier",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "hands values on, unseen by optimisations";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
}

//===----------------------------------------------------------------------===//
// Globals, dictionaries and tuples
//===----------------------------------------------------------------------===//

def TTCore_GlobalOp : TTCore_Op<"global", [Symbol]> {
  let summary = "declares a global value";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
                       OptionalAttr<SI32Attr>:$index);
  let assemblyFormat = "$sym_name `=` $type (` ` `[` $index^ `]`)? attr-dict";
}

def TTCore_GetGlobalOp : TTCore_Op<"get_global", [Pure]> {
  let summary = "reads a global value";
  let arguments = (ins SymbolNameAttr:$sym_name);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$sym_name attr-dict `:` type($result)";
}

def TTCore_SetKeyValueOp : TTCore_Op<"set_key_value",
    [MemoryEffects<[MemWrite]>]> {
  let summary = "stores values under a key";
  let description = [{
    Constraints:
    - (C1) there is at least one value
  }];
  let arguments = (ins TTCore_DictType:$dict,
                       AnyAttrOf<[StrAttr, IndexAttr]>:$key,
                       Variadic<AnyType>:$values);
  let assemblyFormat = [{
    $dict `[` $key `]` `=` $values attr-dict `:` type($dict) `,` type($values)
  }];
  let hasVerifier = 1;
}

def TTCore_GetKeyValueOp : TTCore_Op<"get_key_value",
    [MemoryEffects<[MemRead]>]> {
  let summary = "reads the values stored under a key";
  let description = [{
    Constraints:
    - (C1) there is at least one result
  }];
  let arguments = (ins TTCore_DictType:$dict,
                       AnyAttrOf<[StrAttr, IndexAttr]>:$key);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $dict `[` $key `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TTCore_TupleOp : TTCore_Op<"tuple", [Pure]> {
  let summary = "makes a tuple";
  let description = [{
    Constraints:
    - (C1) the tuple's members have the types of `operands`
  }];
  let arguments = (ins Variadic<TTCore_TupleMemberType>:$operands);
  let results = (outs TTCore_Tuple:$result);
  let assemblyFormat = [{
    $operands attr-dict `:` custom<TupleOpType>(type($operands), type($result))
  }];
  let hasVerifier = 1;
}

def TTCore_GetTupleElementOp : TTCore_Op<"get_tuple_element", [Pure]> {
  let summary = "takes one member out of a tuple";
  let description = [{
    Constraints:
    - (C1) `index` is less than the number of members
    - (C2) the result has the type of that member
  }];
  let arguments = (ins TTCore_Tuple:$operand,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$index);
  let results = (outs TTCore_TupleMemberType:$result);
  let assemblyFormat = [{
    $operand `[` $index `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // TTMLIR_DIALECT_TTCORE_IR_TTCOREOPS_TD
