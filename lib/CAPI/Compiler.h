// SPDX-License-Identifier: Apache-2.0
// What a handle of ring_compiler.h holds: a module, the context that it lives
// in, and everything that was said about it.

#ifndef RING_CAPI_COMPILER_H
#define RING_CAPI_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "ring-c/ring_compiler.h"
#include "ring/Planner/AttentionPlanner.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <string>
#include <vector>

struct ring_compiler {
  ring_compiler();

  /// A module is there; otherwise the call fails.
  bool hasModule();
  /// What a call returns: 0, or 1 with a reason. Without one, the errors that
  /// were said since `begin` are the reason.
  int fail(const std::string &reason);
  int end(bool succeeded);
  /// Forgets why the last call failed.
  void begin() {
    error.clear();
    errorsFrom = messages.size();
  }
  /// Keeps a text that is asked for.
  const char *say(std::string said) {
    text = std::move(said);
    return text.c_str();
  }

  struct Message {
    int severity;
    std::string place, text;
  };

  /// Without threads of its own: a caller that wants several compiles with
  /// several handles, and each context that lives would keep a pool.
  mlir::MLIRContext context;
  std::deque<Message> messages;
  size_t errorsFrom = 0;
  std::string error;
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  bool passesRan = false;
  /// What the source calls the arguments of functions; "" where it does not.
  llvm::StringMap<std::vector<std::string>> argumentNames;
  std::vector<mlir::ring::PlannedAttention> planned;
  std::vector<uint8_t> program;

private:
  void remember(mlir::Diagnostic &diagnostic);
};

#endif // RING_CAPI_COMPILER_H
