// SPDX-License-Identifier: Apache-2.0
//
// Reading the patterns that are sets of rows.

#include "Ops/SetPattern.h"

namespace ring::rt {

namespace {

/// Reads a choice by number.
template <typename Choice>
Status readChoice(const OpTypes &types, const char *name, Choice last,
                  Choice &choice) {
  int64_t number = types.intOr(name, static_cast<int64_t>(choice));
  if (number < 0 || number > static_cast<int64_t>(last))
    return error("expects '", name, "' from 0 to ", static_cast<int64_t>(last),
                 ", but got ", number);
  choice = static_cast<Choice>(number);
  return Status::success();
}

/// The dilated pattern of an instruction.
Result<SetPattern> dilationOf(const OpTypes &types, int64_t length) {
  Dilation dilation;
  dilation.segments = types.ints("segments");
  dilation.rates = types.ints("rates");
  dilation.chunks = types.intOr("chunks", 1);
  dilation.causal = types.flag("causal");
  for (Status status :
       {readChoice(types, "segmentation", positions::Segmentation::Prefix,
                   dilation.segmentation),
        readChoice(types, "phase", positions::DilationPhase::Zero,
                   dilation.phase),
        readChoice(types, "mix", positions::DilationMix::Mean, dilation.mix),
        readChoice(types, "extra", positions::ExtraHeads::Last, dilation.extra),
        readChoice(types, "shorter", positions::ShortSequence::Clamp,
                   dilation.shorter),
        readChoice(types, "norm", positions::DilationNorm::None,
                   dilation.norm)})
    if (!status)
      return status;
  std::optional<std::string> misfit = dilation.misfit();
  if (!misfit)
    misfit = dilation.misfitOf(length);
  if (misfit)
    return error(*misfit);
  return SetPattern(dilation);
}

/// The packed documents of an instruction.
Result<SetPattern> documentsOf(const OpTypes &types, int64_t length) {
  Documents documents{types.ints("ends"), types.flag("causal")};
  std::optional<std::string> misfit = documents.misfit();
  if (!misfit)
    misfit = documents.misfitOf(length);
  if (misfit)
    return error(*misfit);
  return SetPattern(documents);
}

} // namespace

std::vector<AttributeSpec> rowSetAttributes() {
  return {{"segments", AttributeKind::Ints},    {"rates", AttributeKind::Ints},
          {"segmentation", AttributeKind::Int}, {"phase", AttributeKind::Int},
          {"mix", AttributeKind::Int},          {"norm", AttributeKind::Int},
          {"shorter", AttributeKind::Int},      {"causal", AttributeKind::Int},
          {"extra", AttributeKind::Int},        {"chunks", AttributeKind::Int},
          {"ends", AttributeKind::Ints}};
}

Result<SetPattern> setPatternOf(const OpTypes &types, int64_t length) {
  if (types.has("segments") && types.has("ends"))
    return error("expects segments or ends of documents, but got both");
  return types.has("ends") ? documentsOf(types, length)
                           : dilationOf(types, length);
}

std::vector<DilatedRows> SetPattern::rowsOf(int64_t head, int64_t heads,
                                            int64_t length) const {
  if (dilation)
    return dilation->rowsOf(head, heads, length);
  std::vector<DilatedRows> sets;
  int64_t begin = 0;
  for (int64_t end : documents.ends) {
    if (end > begin)
      sets.push_back({/*pair=*/0, begin, end - begin, /*rate=*/1});
    begin = end;
  }
  return sets;
}

int64_t SetPattern::largestSet(int64_t length) const {
  return dilation ? dilation->largestSet(length) : documents.longest();
}

int64_t SetPattern::countPairs(int64_t heads, int64_t length,
                               int64_t keyLimit) const {
  return dilation ? dilation->countPairs(heads, length, keyLimit)
                  : heads * documents.countPairs(keyLimit);
}

} // namespace ring::rt
