// SPDX-License-Identifier: Apache-2.0
// Writing remarks.

#include "ring/CommandLine/OneLineRemarks.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
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

} // namespace mlir::ring
