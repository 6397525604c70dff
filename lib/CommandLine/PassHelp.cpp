// SPDX-License-Identifier: Apache-2.0
// The passes by what they are for. The registry knows what each does, but not
// where it stands; test/Tools/help.test holds this list to be complete.

#include "mlir/Pass/PassRegistry.h"
#include "ring/CommandLine/PassTexts.h"
#include "ring/CommandLine/ToolStart.h"
#include "llvm/Support/raw_ostream.h"

#include <utility>

namespace mlir::ring {
namespace {

struct Group {
  const char *title;
  ArrayRef<const char *> names;
};

constexpr const char *kPipelines[] = {"ring-attention-pipeline"};
constexpr const char *kWhat[] = {"ring-raise", "ring-outline-dilated"};
constexpr const char *kHow[] = {"ring-explain", "ring-plan",
                                "ring-outline-fused", "ring-shard",
                                "ring-keep-sharded"};
constexpr const char *kWhen[] = {"ring-merge-lse", "ring-overlap",
                                 "ring-verify-schedule"};
constexpr const char *kTTIR[] = {
    "ring-block-transfers", "ring-split-blocks",    "ring-place-on-devices",
    "convert-ring-to-ttir", "convert-ring-to-ttnn", "ring-verify-device-rules"};
constexpr const char *kKernels[] = {
    "ring-form-launches", "ring-verify-launches", "ring-outline-launches",
    "convert-ring-to-ttmetal"};
constexpr const char *kCleanUp[] = {"canonicalize", "cse", "inline",
                                    "symbol-dce"};

const Group kGroups[] = {
    {"pipelines", kPipelines},
    {"what: attentions whose sequence is distributed", kWhat},
    {"how: a plan for each, written out as one device's program", kHow},
    {"when: transfers beside the compute", kWhen},
    {"to TTIR and TTNN", kTTIR},
    {"to our own device kernels", kKernels},
    {"of MLIR, to clean up", kCleanUp}};

} // namespace

std::vector<std::string> passNames() {
  std::vector<std::string> names;
  for (const Group &group : kGroups)
    names.insert(names.end(), group.names.begin(), group.names.end());
  return names;
}

bool printPassHelp(StringRef name) {
  constexpr size_t kIndent = 2, kColumn = 32;
  if (!name.empty()) {
    const PassRegistryEntry *entry = findPass(name);
    if (entry)
      entry->printHelpStr(kIndent, kColumn);
    return entry != nullptr;
  }
  // A tool without passes has none to list.
  if (!findPass(kPipelines[0]))
    return false;
  llvm::raw_ostream &out = llvm::outs();
  out << "Every pass and pipeline is a flag; --help-passes=NAME shows the "
         "options of one.\n";
  for (const Group &group : kGroups) {
    bool titled = false;
    for (const char *member : group.names) {
      const PassRegistryEntry *entry = findPass(member);
      // A build without the runtime has no kernels of our own.
      if (!entry)
        continue;
      if (!std::exchange(titled, true))
        out << "\n" << group.title << "\n";
      out.indent(kIndent) << "--" << member;
      out.indent(kColumn - kIndent - 2 - StringRef(member).size())
          << entry->getPassDescription() << "\n";
    }
  }
  out << "\nring-opt --list-passes names all of them, those of MLIR "
         "included.\n";
  return true;
}

} // namespace mlir::ring
