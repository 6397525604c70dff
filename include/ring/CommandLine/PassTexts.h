// SPDX-License-Identifier: Apache-2.0
// What somebody wrote of passes and their options, judged before MLIR parses
// it: names that were mistyped, values that an option cannot have. Command
// lines and the interface for C say the same of it.

#ifndef RING_COMMANDLINE_PASSTEXTS_H
#define RING_COMMANDLINE_PASSTEXTS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlir {
class PassRegistryEntry;
} // namespace mlir

namespace mlir::ring {

/// The pipeline that does the whole of it.
constexpr char kAttentionPipeline[] = "ring-attention-pipeline";

/// The names of the options that a pass or pipeline has; none if they are not
/// known.
std::vector<std::string> optionNames(StringRef pass);

/// The pass or pipeline of a name, or null.
const PassRegistryEntry *findPass(StringRef name);

/// What is wrong with the options of a pass or pipeline, such as "strategy=ring
/// q-chunk=64": one that it does not have, or a value that is not of its kind.
/// Empty if nothing is. Which texts an option takes its pass says itself.
std::string checkOptions(StringRef pass, StringRef options);

/// The same of all passes of a text such as
/// "ring-raise,func.func(ring-overlap),ring-plan{strategy=ring}", and whether
/// each may run on the ops that it is within; `anchor` is around the text,
/// empty where nothing is.
std::string checkPipeline(StringRef text, StringRef anchor = "builtin.module");

} // namespace mlir::ring

#endif // RING_COMMANDLINE_PASSTEXTS_H
