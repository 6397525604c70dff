// SPDX-License-Identifier: Apache-2.0
//
// Segments, phases and heads of dilated attention.

#include "Ops/Dilation.h"

#include <algorithm>
#include <numeric>

namespace ring::rt {

namespace {

/// Reads a choice by number.
template <typename Choice>
Status readChoice(const OpTypes &types, const char *name, int64_t count,
                  Choice &choice) {
  int64_t number = types.intOr(name, static_cast<int64_t>(choice));
  if (number < 0 || number >= count)
    return error("expects '", name, "' from 0 to ", count - 1, ", but got ",
                 number);
  choice = static_cast<Choice>(number);
  return Status::success();
}

} // namespace

Result<Dilation> Dilation::get(const OpTypes &types, int64_t length,
                               int64_t heads) {
  Dilation dilation;
  dilation.length = length;
  dilation.heads = heads;
  dilation.segments = types.ints("segments");
  dilation.rates = types.ints("rates");
  dilation.isCausal = types.flag("causal");
  int64_t norm = 0;
  for (Status status :
       {readChoice(types, "segmentation", 3, dilation.segmentation),
        readChoice(types, "phase", 4, dilation.phase),
        readChoice(types, "mix", 3, dilation.mix),
        readChoice(types, "shorter", 3, dilation.shorter),
        readChoice(types, "norm", 2, norm)})
    if (!status)
      return status;
  dilation.dividesByGroups = norm == 0;
  if (dilation.segments.empty() ||
      dilation.segments.size() != dilation.rates.size())
    return error("expects as many rates as segments, at least one, but got ",
                 dilation.segments.size(), " and ", dilation.rates.size());
  constexpr int64_t kLongest = int64_t(1) << 40;
  int64_t sum = 0;
  for (size_t i = 0; i < dilation.segments.size(); ++i) {
    int64_t segment = dilation.segments[i];
    if (segment < 1 || segment > kLongest || dilation.rates[i] < 1 ||
        dilation.rates[i] > segment)
      return error("expects a positive segment and a rate up to it, but got ",
                   segment, " and ", dilation.rates[i]);
    sum = std::min(sum + segment, kLongest);
    bool allowed = length < segment && dilation.shorter != Shorter::Error;
    if (dilation.segmentation == Segmentation::Tiled && length % segment != 0 &&
        !allowed)
      return error("expects segments to divide ", length, ", but got ",
                   segment);
    if (dilation.segmentation == Segmentation::Prefix && segment > length)
      return error("expects prefixes of at most ", length, ", but got ",
                   segment);
  }
  if (dilation.segmentation == Segmentation::Concat && sum != length)
    return error("expects concatenated segments to make up ", length,
                 ", but got ", sum);
  if (dilation.dividesByGroups && dilation.mix != Mix::HeadPartition)
    return error("expects to divide by the groups only with a mix by heads");
  return dilation;
}

std::vector<int64_t> Dilation::phasesOf(size_t pair, int64_t head) const {
  int64_t rate = rates[pair];
  switch (phase) {
  case Phase::Group:
    return {static_cast<int64_t>(pair) % rate};
  case Phase::HeadMod:
    return {head % rate};
  case Phase::HeadBlock:
    return {head / ((heads + rate - 1) / rate)};
  case Phase::AllResidues:
    break;
  }
  std::vector<int64_t> phases(rate);
  std::iota(phases.begin(), phases.end(), 0);
  return phases;
}

std::vector<DilatedRows> Dilation::rowsOf(int64_t head) const {
  int64_t groups = static_cast<int64_t>(segments.size());
  std::vector<DilatedRows> sets;
  int64_t firstHead = 0, firstRow = 0;
  for (int64_t pair = 0; pair < groups; ++pair) {
    // Heads are dealt in order; the first heads mod groups get one more.
    int64_t size = heads / groups + (pair < heads % groups ? 1 : 0);
    bool serves = mix != Mix::HeadPartition ||
                  (head >= firstHead && head < firstHead + size);
    firstHead += size;
    int64_t start = segmentation == Segmentation::Concat ? firstRow : 0;
    firstRow += segments[pair];
    bool skipped = segments[pair] > length && shorter == Shorter::Skip;
    if (!serves || skipped)
      continue;
    int64_t segment = std::min(segments[pair], length);
    int64_t count = segmentation == Segmentation::Tiled ? length / segment : 1;
    int64_t rate = rates[pair];
    for (int64_t i = 0; i < count; ++i)
      for (int64_t residue : phasesOf(pair, head))
        if (residue < segment)
          sets.push_back({static_cast<size_t>(pair),
                          start + i * segment + residue,
                          (segment - residue + rate - 1) / rate, rate});
  }
  return sets;
}

double Dilation::divisor() const {
  if (dividesByGroups || averages())
    return static_cast<double>(segments.size());
  return 1;
}

int64_t Dilation::largestSet() const {
  int64_t largest = 1;
  for (size_t i = 0; i < segments.size(); ++i)
    largest = std::max(largest, (std::min(segments[i], length) + rates[i] - 1) /
                                    rates[i]);
  return largest;
}

} // namespace ring::rt
