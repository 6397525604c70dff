// SPDX-License-Identifier: Apache-2.0
// What makes the TT dialects open: attributes and types they do not define are
// kept as text, and an op they do define loses no property in silence.
#ifndef TTMLIR_DIALECT_TTCORE_IR_OPENDIALECT_H
#define TTMLIR_DIALECT_TTCORE_IR_OPENDIALECT_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"

namespace mlir::tt::ttcore {

/// Calls the parser that TableGen made for a dialect's own attributes. It
/// returns nothing, and no error, for a mnemonic that is not one of them.
using KnownAttributeParser =
    function_ref<OptionalParseResult(StringRef *mnemonic, Attribute &result)>;
using KnownTypeParser =
    function_ref<OptionalParseResult(StringRef *mnemonic, Type &result)>;

/// Parses an attribute of `dialect`. A mnemonic that `parseKnown` does not
/// know, or a body that starts with no mnemonic at all, gives an OpaqueAttr
/// with the body's exact text; wrong text after a known mnemonic is an error.
///
/// Aliases inside a kept body are written out in full, because the names they
/// refer to need not exist where the body is printed:
///   #dram = #ttnn.buffer_type<dram>
///   #ttnn.novel<#dram, 4>  is kept as  novel<#ttnn.buffer_type<dram>, 4>
Attribute parseOpenAttribute(DialectAsmParser &parser, Type type,
                             const Dialect &dialect,
                             KnownAttributeParser parseKnown);

/// The same for types, which become an OpaqueType.
Type parseOpenType(DialectAsmParser &parser, const Dialect &dialect,
                   KnownTypeParser parseKnown);

/// True if `attr` is an attribute `#<dialect>.<mnemonic>...` kept as text.
bool isKeptAttribute(Attribute attr, StringRef dialect, StringRef mnemonic);

/// Warns of each key of `properties` that is not in `known`. MLIR drops what an
/// op's definition does not list, as tt-mlir does with properties of old, but
/// nobody should lose one without being told.
void warnOfDroppedProperties(Attribute properties, ArrayRef<StringRef> known,
                             StringRef opName,
                             function_ref<InFlightDiagnostic()> emitError);

/// `OpT` in all respects, except that it warns of properties it does not know.
/// It stands in for `OpT` at registration only.
template <typename OpT>
struct WarnsOfDroppedProperties : public OpT {
  using OpT::OpT;

  template <typename PropertiesT>
  static LogicalResult
  setPropertiesFromAttr(PropertiesT &properties, Attribute attr,
                        function_ref<InFlightDiagnostic()> emitError) {
    warnOfDroppedProperties(attr, OpT::getAttributeNames(),
                            OpT::getOperationName(), emitError);
    return OpT::setPropertiesFromAttr(properties, attr, emitError);
  }
};

/// Registers `Ops` with `dialect`, each of which warns of properties it drops.
template <typename... Ops>
void addOpenOperations(Dialect &dialect) {
  (void)std::initializer_list<int>{
      (RegisteredOperationName::insert<WarnsOfDroppedProperties<Ops>>(dialect),
       0)...};
}

} // namespace mlir::tt::ttcore

/// The stand-in has the identity of the op, so that isa and dyn_cast see the
/// op.
template <typename OpT>
class mlir::detail::TypeIDResolver<
    mlir::tt::ttcore::WarnsOfDroppedProperties<OpT>> {
public:
  static TypeID resolveTypeID() { return TypeID::get<OpT>(); }
};

#endif // TTMLIR_DIALECT_TTCORE_IR_OPENDIALECT_H
