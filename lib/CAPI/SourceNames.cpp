// SPDX-License-Identifier: Apache-2.0
// An argument's location is where the source spells its name.

#include "SourceNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {

/// The name that begins with % in this line and column, both from 1 on.
static std::string nameAt(ArrayRef<StringRef> lines, unsigned line,
                          unsigned column) {
  if (line == 0 || line > lines.size() || column == 0 ||
      column > lines[line - 1].size())
    return "";
  StringRef rest = lines[line - 1].drop_front(column - 1);
  if (!rest.consume_front("%"))
    return "";
  return rest
      .take_while([](char letter) {
        return llvm::isAlnum(letter) || StringRef("$._-").contains(letter);
      })
      .str();
}

llvm::StringMap<std::vector<std::string>>
argumentNamesOf(StringRef source, StringRef sourceName, ModuleOp module) {
  SmallVector<StringRef> lines;
  source.split(lines, '\n');
  llvm::StringMap<std::vector<std::string>> names;
  module.walk([&](func::FuncOp function) {
    if (function.isExternal() || !function.isPublic())
      return;
    std::vector<std::string> &found = names[function.getSymName()];
    for (BlockArgument argument : function.getArguments()) {
      // A location that the source states may be of another file.
      auto place = dyn_cast<FileLineColLoc>(argument.getLoc());
      bool here = place && place.getFilename() == sourceName;
      found.push_back(here ? nameAt(lines, place.getLine(), place.getColumn())
                           : "");
    }
  });
  return names;
}

} // namespace mlir::ring
