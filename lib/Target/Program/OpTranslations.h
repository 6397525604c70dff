// SPDX-License-Identifier: Apache-2.0
// One registration per op: how it becomes instructions, and where it runs.

#ifndef RING_LIB_TARGET_PROGRAM_OPTRANSLATIONS_H
#define RING_LIB_TARGET_PROGRAM_OPTRANSLATIONS_H

#include "ProgramWriter.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace mlir::ring {

/// Where an op runs.
enum class Runs {
  /// Where its operands are.
  Anywhere,
  /// On devices only: it exchanges data or depends on the rank.
  OnDevices,
  /// Its operands are the host's, its results the devices'.
  FromHost,
  /// The reverse.
  ToHost
};

struct OpTranslation {
  std::function<LogicalResult(Operation *, ProgramWriter &)> translate;
  std::function<Runs(Operation *)> runs;
};

/// The translations of all ops, by name.
class OpTranslations {
public:
  static const OpTranslations &get();

  const OpTranslation *find(Operation *op) const;

  void add(StringRef name,
           std::function<LogicalResult(Operation *, ProgramWriter &)> translate,
           Runs runs = Runs::Anywhere);
  void add(StringRef name,
           std::function<LogicalResult(Operation *, ProgramWriter &)> translate,
           std::function<Runs(Operation *)> runs);
  /// An op that becomes one instruction with the same operands. `attributes`
  /// lists pairs of the op's attribute and the instruction's.
  void addDirect(StringRef name, StringRef instruction,
                 ArrayRef<std::pair<StringRef, StringRef>> attributes = {},
                 Runs runs = Runs::Anywhere);

private:
  OpTranslations();
  llvm::StringMap<OpTranslation> translations;
};

/// Converts an attribute of the builtin or ring dialect under the given name;
/// an error at `op` for one that has no form in a program.
LogicalResult writeAttribute(Operation *op, StringRef name, Attribute attribute,
                             rt::Attributes &attributes);

void addRingTranslations(OpTranslations &translations);
void addTTIRTranslations(OpTranslations &translations);
void addTTNNTranslations(OpTranslations &translations);
void addCallTranslations(OpTranslations &translations);

} // namespace mlir::ring

#endif // RING_LIB_TARGET_PROGRAM_OPTRANSLATIONS_H
