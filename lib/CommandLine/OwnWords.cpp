// SPDX-License-Identifier: Apache-2.0
// Taking diagnostics before MLIR's own handlers do.

#include "ring/CommandLine/OwnWords.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ring {

void writeRemarksInOneLine(MLIRContext *context) {
  context->getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
      return failure();
    // Lines of several threads must not mix.
    std::string line;
    llvm::raw_string_ostream out(line);
    Location location = diagnostic.getLocation();
    if (auto place = location->findInstanceOf<FileLineColLoc>())
      out << place.getFilename().getValue() << ":" << place.getLine() << ":"
          << place.getColumn() << ": ";
    else if (!isa<UnknownLoc>(location))
      out << location << ": ";
    out << "remark: " << diagnostic.str() << "\n";
    llvm::errs() << line;
    return success();
  });
}

void nameKnownDialects(MLIRContext *context) {
  constexpr StringLiteral kUnknown =
      "operation being parsed with an unregistered dialect";
  context->getDiagEngine().registerHandler([=](Diagnostic &diagnostic) {
    if (!StringRef(diagnostic.str()).starts_with(kUnknown))
      return failure();
    // It comes by here again, and goes on.
    emitError(diagnostic.getLocation(), "expects an op of the dialects ")
        << llvm::join(context->getAvailableDialects(), ", ")
        << ", but got one of another";
    return success();
  });
}

} // namespace mlir::ring
