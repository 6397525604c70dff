// SPDX-License-Identifier: Apache-2.0
// Keeps attributes and types that a TT dialect does not define, as text.

#include "ttmlir/Dialect/TTCore/IR/OpenDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tt::ttcore;

namespace {

bool isIdentifierStart(char c) { return llvm::isAlpha(c) || c == '_'; }

bool isIdentifierPart(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
}

/// The name after the `#` or `!` that `text` starts with, if it refers to an
/// alias. Names with a dot or a `<` after them belong to a dialect instead.
StringRef aliasAt(StringRef text) {
  StringRef name = text.drop_front().take_while(isIdentifierPart);
  StringRef rest = text.drop_front(1 + name.size());
  if (name.empty() || name.contains('.') || rest.starts_with("<"))
    return {};
  // `!llvm.ptr` and friends have the dot; `#-` or `!=` have no name.
  return isIdentifierStart(name.front()) || llvm::isDigit(name.front())
             ? name
             : StringRef();
}

/// Finds the first `#` or `!` outside a string in `text`.
size_t findSigil(StringRef text) {
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (inString && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      inString = !inString;
    else if (!inString && (text[i] == '#' || text[i] == '!'))
      return i;
  }
  return StringRef::npos;
}

/// True if `text` refers to any alias, so that most bodies need no second look.
bool mentionsAlias(StringRef text) {
  for (size_t at = findSigil(text); at != StringRef::npos;
       at = findSigil(text)) {
    text = text.drop_front(at);
    if (!aliasAt(text).empty())
      return true;
    text = text.drop_front(1);
  }
  return false;
}

/// Walks the tokens of a body with the parser that stands in it, to learn what
/// the aliases in it stand for. The parser offers no way to jump, only to try
/// one kind of token after the other.
class BodyWalker {
public:
  BodyWalker(DialectAsmParser &parser, StringRef body)
      : parser(parser), body(body), copiedTo(body.begin()) {}

  /// Returns the body with each alias replaced by what it stands for.
  FailureOr<std::string> expandAliases() {
    while (position() < body.end())
      if (failed(step()))
        return failure();
    out.append(copiedTo, body.end());
    return std::move(out);
  }

private:
  const char *position() { return parser.getCurrentLocation().getPointer(); }

  LogicalResult step() {
    const char *start = position();
    StringRef rest(start, body.end() - start);
    if (rest.starts_with("#"))
      return reference<Attribute>(start, rest);
    if (rest.starts_with("!"))
      return reference<Type>(start, rest);
    if (succeeded(punctuation()) || succeeded(word()))
      return success();
    return parser.emitError(parser.getCurrentLocation())
           << "expects the body of an unknown attribute or type to be made of "
              "MLIR tokens, but got '"
           << rest.take_front(1) << "'";
  }

  /// Replaces an alias, or an attribute or type that mentions one, by its full
  /// text. `rest` is the body from the reference on.
  template <typename T>
  LogicalResult reference(const char *start, StringRef rest) {
    T value;
    if constexpr (std::is_same_v<T, Type>) {
      if (parser.parseType(value))
        return failure();
    } else if (parser.parseAttribute(value)) {
      return failure();
    }
    StringRef source = rest.take_front(position() - start).rtrim();
    if (!mentionsAlias(source))
      return success();
    out.append(copiedTo, start);
    llvm::raw_string_ostream(out) << value;
    copiedTo = source.end();
    return success();
  }

  LogicalResult punctuation() {
    return success(succeeded(parser.parseOptionalArrow()) ||
                   succeeded(parser.parseOptionalComma()) ||
                   succeeded(parser.parseOptionalEqual()) ||
                   succeeded(parser.parseOptionalColon()) ||
                   succeeded(parser.parseOptionalLess()) ||
                   succeeded(parser.parseOptionalGreater()) ||
                   succeeded(parser.parseOptionalLParen()) ||
                   succeeded(parser.parseOptionalRParen()) ||
                   succeeded(parser.parseOptionalLSquare()) ||
                   succeeded(parser.parseOptionalRSquare()) ||
                   succeeded(parser.parseOptionalLBrace()) ||
                   succeeded(parser.parseOptionalRBrace()) ||
                   succeeded(parser.parseOptionalPlus()) ||
                   succeeded(parser.parseOptionalMinus()) ||
                   succeeded(parser.parseOptionalStar()) ||
                   succeeded(parser.parseOptionalSlash()) ||
                   succeeded(parser.parseOptionalQuestion()) ||
                   succeeded(parser.parseOptionalVerticalBar()) ||
                   succeeded(parser.parseOptionalEllipsis()));
  }

  LogicalResult word() {
    StringRef keyword;
    std::string string;
    StringAttr symbol;
    APInt integer;
    if (succeeded(parser.parseOptionalKeyword(&keyword)) ||
        succeeded(parser.parseOptionalString(&string)) ||
        succeeded(parser.parseOptionalSymbolName(symbol)))
      return success();
    if (OptionalParseResult parsed = parser.parseOptionalInteger(integer);
        parsed.has_value())
      return *parsed;
    double number;
    return parser.parseFloat(number);
  }

  DialectAsmParser &parser;
  StringRef body;
  const char *copiedTo;
  std::string out;
};

/// The text to keep for the symbol that `parser` stands in, whose first word
/// may have been consumed already.
FailureOr<std::string> keptBody(DialectAsmParser &parser) {
  StringRef body = parser.getFullSymbolSpec();
  if (!mentionsAlias(body))
    return body.str();
  return BodyWalker(parser, body).expandAliases();
}

bool startsWithMnemonic(DialectAsmParser &parser) {
  StringRef body = parser.getFullSymbolSpec();
  return !body.empty() && isIdentifierStart(body.front());
}

} // namespace

Attribute
mlir::tt::ttcore::parseOpenAttribute(DialectAsmParser &parser, Type type,
                                     const Dialect &dialect,
                                     KnownAttributeParser parseKnown) {
  if (startsWithMnemonic(parser)) {
    StringRef mnemonic;
    Attribute known;
    if (parseKnown(&mnemonic, known).has_value())
      return known;
  }
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<std::string> body = keptBody(parser);
  if (failed(body))
    return {};
  MLIRContext *context = parser.getContext();
  return OpaqueAttr::getChecked(
      [&] { return parser.emitError(loc); },
      StringAttr::get(context, dialect.getNamespace()), *body,
      type ? type : NoneType::get(context));
}

Type mlir::tt::ttcore::parseOpenType(DialectAsmParser &parser,
                                     const Dialect &dialect,
                                     KnownTypeParser parseKnown) {
  if (startsWithMnemonic(parser)) {
    StringRef mnemonic;
    Type known;
    if (parseKnown(&mnemonic, known).has_value())
      return known;
  }
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<std::string> body = keptBody(parser);
  if (failed(body))
    return {};
  return OpaqueType::getChecked(
      [&] { return parser.emitError(loc); },
      StringAttr::get(parser.getContext(), dialect.getNamespace()), *body);
}

bool mlir::tt::ttcore::isKeptAttribute(Attribute attr, StringRef dialect,
                                       StringRef mnemonic) {
  auto kept = dyn_cast<OpaqueAttr>(attr);
  if (!kept || kept.getDialectNamespace().strref() != dialect)
    return false;
  StringRef body = kept.getAttrData();
  return body.consume_front(mnemonic) &&
         (body.empty() || !isIdentifierPart(body.front()));
}

void mlir::tt::ttcore::warnOfDroppedProperties(
    Attribute properties, ArrayRef<StringRef> known, StringRef opName,
    function_ref<InFlightDiagnostic()> emitError) {
  auto dictionary = dyn_cast_or_null<DictionaryAttr>(properties);
  if (!dictionary || !emitError)
    return;
  for (NamedAttribute property : dictionary) {
    StringRef name = property.getName();
    // Old spellings of the segment sizes, which MLIR still reads.
    if (llvm::is_contained(known, name) || name == "operand_segment_sizes" ||
        name == "result_segment_sizes")
      continue;
    // The caller offers errors only; take the place of one for a warning.
    InFlightDiagnostic error = emitError();
    Location loc = error.getUnderlyingDiagnostic()->getLocation();
    error.abandon();
    InFlightDiagnostic warning = emitWarning(loc);
    warning << "'" << opName << "' drops the property '" << name
            << "', which is not among (";
    llvm::interleaveComma(known, warning);
    warning << ")";
  }
}
