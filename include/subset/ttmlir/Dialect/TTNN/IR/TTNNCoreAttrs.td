// SPDX-License-Identifier: Apache-2.0
// Attributes that name places: shapes, cores and positions in a mesh.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNCOREATTRS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNCOREATTRS_TD

include "ttmlir/Dialect/TTNN/IR/TTNNBase.td"
include "ttmlir/Dialect/TTNN/IR/TTNNOpsEnums.td"

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class TTNN_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TTNN_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let attrName = "ttnn." # attrMnemonic;
}

class TTNN_EnumAttr<EnumAttrInfo info, string attrMnemonic>
    : EnumAttr<TTNN_Dialect, info, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def TTNN_ShapeAttr : TTNN_Attr<"Shape", "shape"> {
  let summary = "a shape";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = "`<` custom<DimensionList>($shape) `>`";
}

//===----------------------------------------------------------------------===//
// Cores
//===----------------------------------------------------------------------===//

def TTNN_CoreCoordAttr : TTNN_Attr<"CoreCoord", "core_coord"> {
  let summary = "coordinate of a core, column first";
  let parameters = (ins "uint64_t":$x, "uint64_t":$y);
  let assemblyFormat = "`<` params `>`";
}

def TTNN_CoreRangeAttr : TTNN_Attr<"CoreRange", "core_range"> {
  let summary = "rectangle of cores, both corners included";
  let description = [{
    Example: `#ttnn.core_range<(0,0), (7,7)>` is 64 cores.

    Constraints:
    - (C1) the start is not past the end in either dimension
  }];
  let parameters = (ins "CoreCoordAttr":$start_coord,
                        "CoreCoordAttr":$end_coord);
  let assemblyFormat = [{
    `<` custom<CoordBracketStyle>($start_coord) `,`
        custom<CoordBracketStyle>($end_coord) `>`
  }];
  let extraClassDeclaration = [{
    /// True if a core lies in both ranges.
    bool intersects(CoreRangeAttr other) const;
  }];
  let genVerifyDecl = 1;
}

def TTNN_CoreRangeSetAttr : TTNN_Attr<"CoreRangeSet", "core_range_set"> {
  let summary = "set of cores, as rectangles that do not overlap";
  let description = [{
    Example: `#ttnn.core_range_set<[#ttnn.core_range<(0,0), (7,7)>]>`.

    Constraints:
    - (C1) no two ranges share a core
  }];
  let parameters = (ins OptionalArrayRefParameter<"CoreRangeAttr">:
                        $core_ranges);
  let assemblyFormat = "`<` (`[` qualified($core_ranges)^ `]`)? `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Mesh
//===----------------------------------------------------------------------===//

class TTNN_MeshCoordAttr<string name, string mnemonic, string what>
    : TTNN_Attr<name, mnemonic> {
  let summary = what;
  let parameters = (ins "int64_t":$y, "int64_t":$x);
  let assemblyFormat = "custom<VargDimensionList>($y, $x)";
}

def TTNN_MeshShapeAttr
    : TTNN_MeshCoordAttr<"MeshShape", "mesh_shape", "rows x columns of a mesh">;
def TTNN_MeshOffsetAttr
    : TTNN_MeshCoordAttr<"MeshOffset", "mesh_offset",
                         "where in the system a mesh starts">;

def TTNN_PlacementAttr : TTNN_Attr<"Placement", "placement"> {
  let summary = "what one mesh axis does: repeat a tensor or cut a dimension";
  let parameters = (ins "PlacementType":$type,
                        OptionalParameter<"::mlir::IntegerAttr">:$dim);
  let assemblyFormat = "`<` $type (`,` $dim^)? `>`";
}

def TTNN_MeshMapperConfigAttr
    : TTNN_Attr<"MeshMapperConfig", "mesh_mapper_config"> {
  let summary = "how a host tensor is spread over a mesh";
  let parameters = (ins
    ArrayRefParameter<"PlacementAttr">:$placements,
    OptionalArrayRefParameter<"::mlir::IntegerAttr">:$mesh_shape_override);
  let assemblyFormat = [{
    `<` `placements` `=` `[` $placements `]`
        (`,` `mesh_shape_override` `=` `[` $mesh_shape_override^ `]`)? `>`
  }];
}

def TTNN_MeshComposerConfigAttr
    : TTNN_Attr<"MeshComposerConfig", "mesh_composer_config"> {
  let summary = "how the parts of a mesh are joined into a host tensor";
  let parameters = (ins
    ArrayRefParameter<"::mlir::IntegerAttr">:$dims,
    OptionalArrayRefParameter<"::mlir::IntegerAttr">:$mesh_shape_override);
  let assemblyFormat = [{
    `<` `dims` `=` `[` $dims `]`
        (`,` `mesh_shape_override` `=` `[` $mesh_shape_override^ `]`)? `>`
  }];
}

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNCOREATTRS_TD
