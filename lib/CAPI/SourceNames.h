// SPDX-License-Identifier: Apache-2.0
// What a source calls the arguments of its functions, which IR in memory does
// not remember: callers name inputs as they wrote them.

#ifndef RING_CAPI_SOURCENAMES_H
#define RING_CAPI_SOURCENAMES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace mlir::ring {

/// The names by function, without their %, of the public functions of `module`
/// that have a body and that `source` spells out; empty for arguments without a
/// name, such as those of bytecode.
llvm::StringMap<std::vector<std::string>>
argumentNamesOf(StringRef source, StringRef sourceName, ModuleOp module);

} // namespace mlir::ring

#endif // RING_CAPI_SOURCENAMES_H
