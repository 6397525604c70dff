// SPDX-License-Identifier: Apache-2.0
//
// Reading a dilated pattern.

#include "Ops/Dilation.h"

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

} // namespace

std::vector<AttributeSpec> dilationAttributes() {
  return {{"segments", AttributeKind::Ints},    {"rates", AttributeKind::Ints},
          {"segmentation", AttributeKind::Int}, {"phase", AttributeKind::Int},
          {"mix", AttributeKind::Int},          {"norm", AttributeKind::Int},
          {"shorter", AttributeKind::Int},      {"causal", AttributeKind::Int},
          {"extra", AttributeKind::Int},        {"chunks", AttributeKind::Int}};
}

Result<Dilation> dilationOf(const OpTypes &types, int64_t length) {
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
  return misfit ? Result<Dilation>(error(*misfit)) : dilation;
}

} // namespace ring::rt
