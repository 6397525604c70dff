// SPDX-License-Identifier: Apache-2.0
// Handles of the compiler for C: what they are made of, and what is said.

#include "Compiler.h"
#include "mlir/Transforms/Passes.h"
#include "ring/InitAll.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace mlir;
using namespace mlir::ring;

static DialectRegistry makeRegistry() {
  // Passes are known to the whole process.
  static std::once_flag once;
  std::call_once(once, [] {
    registerTransformsPasses();
    registerRingPasses();
  });
  DialectRegistry registry;
  registerRingDialects(registry);
  registerModelDialects(registry);
  return registry;
}

ring_compiler::ring_compiler()
    : context(makeRegistry(), MLIRContext::Threading::DISABLED),
      handler(&context, [this](Diagnostic &diagnostic) {
        remember(diagnostic);
        return success();
      }) {
  // Meshes and placements are written down here, whatever the module uses.
  context.loadDialect<tt::ttcore::TTCoreDialect>();
  context.printOpOnDiagnostic(false);
}

/// "model.mlir:4:10", or nothing where nobody knows.
static std::string placeOf(Location location) {
  std::string place;
  llvm::raw_string_ostream out(place);
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    out << file.getFilename().getValue() << ":" << file.getLine() << ":"
        << file.getColumn();
    return WalkResult::interrupt();
  });
  return place;
}

static int severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return RING_NOTE;
  case DiagnosticSeverity::Warning:
    return RING_WARNING;
  case DiagnosticSeverity::Error:
    return RING_ERROR;
  case DiagnosticSeverity::Remark:
    return RING_REMARK;
  }
  llvm_unreachable("all severities are there");
}

void ring_compiler::remember(Diagnostic &diagnostic) {
  std::string said = diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string place = placeOf(note.getLocation());
    said += "\n" + (place.empty() ? "" : place + ": ") + "note: " + note.str();
  }
  messages.push_back({severityOf(diagnostic.getSeverity()),
                      placeOf(diagnostic.getLocation()), said});
}

int ring_compiler::fail(const std::string &reason) {
  error = reason;
  return 1;
}

int ring_compiler::end(bool succeeded) {
  if (succeeded)
    return 0;
  for (size_t i = errorsFrom; i < messages.size(); ++i) {
    const Message &message = messages[i];
    if (message.severity != RING_ERROR)
      continue;
    error += error.empty() ? "" : "\n";
    error += (message.place.empty() ? "" : message.place + ": ") + message.text;
  }
  if (error.empty())
    error = "failed without a reason";
  return 1;
}

bool ring_compiler::hasModule() {
  if (module)
    return true;
  fail("expects a module that was read");
  return false;
}
