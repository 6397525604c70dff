// SPDX-License-Identifier: Apache-2.0
// Attributes of ttcore that describe machines, meshes and arguments. Each
// prints exactly as tt-mlir prints it; C++ names and parameter order are its
// own too, so that code builds against either.
#ifndef TTMLIR_DIALECT_TTCORE_IR_TTCOREOPSATTRS_TD
#define TTMLIR_DIALECT_TTCORE_IR_TTCOREOPSATTRS_TD

include "ttmlir/Dialect/TTCore/IR/TTCoreBase.td"
include "ttmlir/Dialect/TTCore/IR/TTCoreOpsEnums.td"

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class TTCore_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TTCore_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let attrName = "ttcore." # attrMnemonic;
}

class TTCore_EnumAttr<EnumAttrInfo info, string attrMnemonic>
    : EnumAttr<TTCore_Dialect, info, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def TTCore_ArchAttr : TTCore_EnumAttr<TTCore_Arch, "arch">;
def TTCore_DataTypeAttr
    : TTCore_EnumAttr<TTCore_DataType, "supportedDataTypes">;
def TTCore_MemorySpaceAttr
    : TTCore_EnumAttr<TTCore_MemorySpace, "memory_space">;
def TTCore_IteratorTypeAttr
    : TTCore_EnumAttr<TTCore_IteratorType, "iterator_type">;
def TTCore_OOBValAttr : TTCore_EnumAttr<TTCore_OOBVal, "oob_val">;
def TTCore_TensorMemoryLayoutAttr
    : TTCore_EnumAttr<TTCore_TensorMemoryLayout, "tensor_memory_layout">;
def TTCore_ReduceTypeAttr : TTCore_EnumAttr<TTCore_ReduceType, "reduce_type">;
def TTCore_MeshShardDirectionAttr
    : TTCore_EnumAttr<TTCore_MeshShardDirection, "shard_direction">;
def TTCore_MeshShardTypeAttr
    : TTCore_EnumAttr<TTCore_MeshShardType, "shard_type">;
def TTCore_ShardStatusAttr
    : TTCore_EnumAttr<TTCore_ShardStatus, "shard_status">;
def TTCore_ArgumentTypeAttr
    : TTCore_EnumAttr<TTCore_ArgumentType, "argument_type">;
def TTCore_TopologyAttr : TTCore_EnumAttr<TTCore_Topology, "topology">;
def TTCore_AttentionMaskTypeAttr
    : TTCore_EnumAttr<TTCore_AttentionMaskType, "attention_mask_type">;

//===----------------------------------------------------------------------===//
// Grids, cores and the device
//===----------------------------------------------------------------------===//

def TTCore_GridAttr : TTCore_Attr<"Grid", "grid"> {
  let summary = "shape of a grid of cores, with its virtual mapping if any";
  let description = [{
    Example: `#ttcore.grid<8x8>`, or with both maps
    `#ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1),
    physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>`.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    DefaultValuedParameter<"::mlir::AffineMap",
                           "$_builder.getEmptyAffineMap()">:$virtToPhysicalMap,
    DefaultValuedParameter<"::mlir::AffineMap",
                           "$_builder.getEmptyAffineMap()">:$physicalToVirtMap);
  let assemblyFormat = [{
    `<` custom<DimensionList>($shape)
    (`,` `virt_to_physical_map` `=` $virtToPhysicalMap
     `,` `physical_to_virt_map` `=` $physicalToVirtMap^)? `>`
  }];
  let extraClassDeclaration = [{
    /// The grid of one core.
    static GridAttr get(::mlir::MLIRContext *context);
    /// A grid whose virtual and physical coordinates are the same.
    static GridAttr get(::mlir::MLIRContext *context,
                        ::llvm::ArrayRef<int64_t> shape);
    /// A grid of one core with `rank` dimensions.
    static GridAttr get(::mlir::MLIRContext *context, int64_t rank);

    uint64_t getGridVolume() const;
    uint64_t getRank() const { return getShape().size(); }
  }];
}

def TTCore_CoreCoordAttr : TTCore_Attr<"CoreCoord", "core_coord"> {
  let summary = "physical coordinate of one core, row first";
  let parameters = (ins "int64_t":$y, "int64_t":$x);
  let assemblyFormat = "custom<VargDimensionList>($y, $x)";
}

def TTCore_CoreRangeAttr : TTCore_Attr<"CoreRange", "core_range"> {
  let summary = "rectangle of cores, both corners included";
  let description = [{
    Constraints:
    - (C1) no coordinate is negative
    - (C2) the start is not past the end in either dimension
  }];
  let parameters = (ins "CoreCoordAttr":$start_coord,
                        "CoreCoordAttr":$end_coord);
  let assemblyFormat = [{
    `<` custom<CoordBracketStyle>($start_coord) `,`
        custom<CoordBracketStyle>($end_coord) `>`
  }];
  let genVerifyDecl = 1;
}

def TTCore_DeviceAttr : TTCore_Attr<"Device", "device"> {
  let summary = "the device, one chip or a mesh of them, a module is for";
  let description = [{
    `meshShape` is the logical arrangement of the chips, `chipIds` names them
    in row-major order, and `meshTopology`, where known, says how each mesh
    axis is wired.

    Constraints:
    - (C1) there is at least one chip
    - (C2) `chipIds` names as many chips as the mesh has places
    - (C3) each dimension of `workerGrid` is positive
    - (C4) `meshTopology` is empty or has one entry for each mesh axis
  }];
  let parameters = (ins
    "GridAttr":$workerGrid,
    "GridAttr":$dramGrid,
    "::mlir::AffineMap":$l1Map,
    "::mlir::AffineMap":$dramMap,
    ArrayRefParameter<"int64_t">:$meshShape,
    ArrayRefParameter<"unsigned">:$chipIds,
    OptionalArrayRefParameter<"Topology">:$meshTopology);
  let assemblyFormat = [{
    `<` `workerGrid` `=` qualified($workerGrid) `,`
        `dramGrid` `=` qualified($dramGrid) `,`
        `l1Map` `=` qualified($l1Map) `,`
        `dramMap` `=` qualified($dramMap) `,`
        `meshShape` `=` custom<DimensionList>($meshShape) `,`
        `chipIds` `=` `[` $chipIds `]`
        (`,` `meshTopology` `=` `[` $meshTopology^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
}

def TTCore_FabricConnectionConfigAttr
    : TTCore_Attr<"FabricConnectionConfig", "fabric_connection_config"> {
  let summary = "how the workers of a program reach the fabric";
  let parameters = (ins "NocIndex":$noc_index,
                        "Topology":$topology,
                        "uint32_t":$cluster_axis,
                        "RoutingMode":$routing_mode,
                        "uint32_t":$num_links);
  let assemblyFormat = [{
    `<` `noc_index` `=` $noc_index `,` `topology` `=` $topology `,`
        `cluster_axis` `=` $cluster_axis `,`
        `routing_mode` `=` $routing_mode `,` `num_links` `=` $num_links `>`
  }];
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

def TTCore_MeshAttr : TTCore_Attr<"Mesh", "mesh"> {
  let summary = "name and shape of a mesh of chips";
  let description = "Example: `#ttcore.mesh<\"mesh\" = 2x4>`.";
  let parameters = (ins "::mlir::StringAttr":$name,
                        ArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = "`<` $name `=` custom<DimensionList>($shape) `>`";
}

def TTCore_MeshesAttr : TTCore_Attr<"Meshes", "meshes"> {
  let summary = "the meshes a module's programs run on";
  let description = [{
    Carried by a module as `ttcore.meshes`.
    Example: `#ttcore.meshes<[<"mesh" = 2x4>]>`.
  }];
  let parameters = (ins ArrayRefParameter<"MeshAttr">:$meshes);
  let assemblyFormat = "`<` `[` $meshes `]` `>`";
  let extraClassDeclaration = [{
    /// The mesh called `name`, or null if there is none.
    MeshAttr getMesh(::llvm::StringRef name);
  }];
}

def TTCore_MeshTopologyAttr : TTCore_Attr<"MeshTopology", "mesh_topology"> {
  let summary = "wiring of each axis of a mesh";
  let parameters = (ins ArrayRefParameter<"Topology">:$topologies);
  let assemblyFormat = "`<` `[` $topologies `]` `>`";
}

def TTCore_TensorMeshAttr : TTCore_Attr<"TensorMesh", "tensor_mesh"> {
  let summary = "the mesh, by name, a tensor is spread over";
  let parameters = (ins "::mlir::StringAttr":$name);
  let assemblyFormat = "`<` $name `>`";
  let extraClassDeclaration = [{
    static TensorMeshAttr get(::mlir::MLIRContext *context,
                              ::llvm::StringRef name);
  }];
}

//===----------------------------------------------------------------------===//
// Function arguments
//===----------------------------------------------------------------------===//

def TTCore_LocalShapeAttr : TTCore_Attr<"LocalShape", "local_shape"> {
  let summary = "type of an argument or result on one device";
  let parameters = (ins "::mlir::RankedTensorType":$localShape);
  let assemblyFormat = "`local_shape` `=` $localShape";
}

def TTCore_ArgumentAllocationAttr
    : TTCore_Attr<"ArgumentAllocation", "arg_alloc"> {
  let summary = "memory set aside for a function argument";
  let parameters = (ins "uint64_t":$address, "uint64_t":$size,
                        "MemorySpace":$memorySpace);
  let assemblyFormat = "`<` $address `,` $size `,` $memorySpace `>`";
}

#endif // TTMLIR_DIALECT_TTCORE_IR_TTCOREOPSATTRS_TD
