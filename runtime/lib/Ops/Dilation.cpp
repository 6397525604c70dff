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

std::vector<AttributeSpec> dilationAttributes() {
  return {{"segments", AttributeKind::Ints},    {"rates", AttributeKind::Ints},
          {"segmentation", AttributeKind::Int}, {"phase", AttributeKind::Int},
          {"mix", AttributeKind::Int},          {"norm", AttributeKind::Int},
          {"shorter", AttributeKind::Int},      {"causal", AttributeKind::Int},
          {"extra", AttributeKind::Int},        {"chunks", AttributeKind::Int}};
}

int64_t DilatedRows::countBefore(int64_t chunk, int64_t limit) const {
  int64_t first = beginOf(chunk);
  return limit <= first ? 0
                        : std::min(count, (limit - first + rate - 1) / rate);
}

Result<Dilation> Dilation::get(const OpTypes &types, int64_t length,
                               int64_t heads) {
  Dilation dilation;
  dilation.length = length;
  dilation.heads = heads;
  dilation.limit = std::min(types.intOr("length", length), length);
  dilation.chunks = types.intOr("chunks", 1);
  dilation.segments = types.ints("segments");
  dilation.rates = types.ints("rates");
  dilation.isCausal = types.flag("causal");
  int64_t norm = 0;
  for (Status status :
       {readChoice(types, "segmentation", 3, dilation.segmentation),
        readChoice(types, "phase", 5, dilation.phase),
        readChoice(types, "mix", 3, dilation.mix),
        readChoice(types, "extra", 2, dilation.extra),
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
  bool prefixes = dilation.segmentation == Segmentation::Prefix;
  if (dilation.chunks < 1 || length % dilation.chunks != 0 ||
      (dilation.chunks > 1 && !prefixes))
    return error("expects chunks of prefixes to divide ", length, ", but got ",
                 dilation.chunks);
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
    if (dilation.segmentation == Segmentation::Prefix &&
        segment > length / dilation.chunks)
      return error("expects prefixes of at most ", length / dilation.chunks,
                   ", but got ", segment);
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
  case Phase::Zero:
    return {0};
  case Phase::AllResidues:
    break;
  }
  std::vector<int64_t> phases(std::min(rate, length));
  std::iota(phases.begin(), phases.end(), 0);
  return phases;
}

/// Heads are dealt in order; the first `heads mod groups` groups, or the last
/// ones, get one more.
bool Dilation::serves(size_t pair, int64_t head) const {
  if (mix != Mix::HeadPartition)
    return true;
  int64_t groups = static_cast<int64_t>(segments.size()), first = 0;
  for (size_t group = 0; group <= pair; ++group) {
    int64_t place = static_cast<int64_t>(group);
    bool larger = extra == Extra::First ? place < heads % groups
                                        : place >= groups - heads % groups;
    int64_t size = heads / groups + (larger ? 1 : 0);
    if (group == pair)
      return head >= first && head < first + size;
    first += size;
  }
  return false;
}

std::vector<DilatedRows> Dilation::rowsOf(int64_t head) const {
  std::vector<DilatedRows> sets;
  int64_t firstRow = 0;
  bool prefixes = segmentation == Segmentation::Prefix;
  for (size_t pair = 0; pair < segments.size(); ++pair) {
    int64_t start = segmentation == Segmentation::Concat ? firstRow : 0;
    firstRow += segments[pair];
    bool skipped = segments[pair] > length && shorter == Shorter::Skip;
    if (!serves(pair, head) || skipped)
      continue;
    int64_t segment = std::min(segments[pair], length), rate = rates[pair];
    int64_t span = prefixes ? length / chunks : segment;
    int64_t count = segmentation == Segmentation::Tiled ? length / segment : 1;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t residue : phasesOf(pair, head)) {
        int64_t rows = (span - residue + rate - 1) / rate;
        if (prefixes)
          rows = std::min(rows, segment);
        if (residue < span)
          sets.push_back({pair, start + i * segment + residue, rows, rate,
                          chunks, prefixes ? span : 0});
      }
  }
  return sets;
}

double Dilation::divisor() const {
  if (dividesByGroups || averages())
    return static_cast<double>(segments.size());
  return 1;
}

double Dilation::countPairs() const {
  double pairs = 0;
  for (int64_t head = 0; head < heads; ++head)
    for (const DilatedRows &set : rowsOf(head)) {
      int64_t rows = set.count * set.chunks, keys = 0;
      for (int64_t chunk = 0; chunk < set.chunks; ++chunk)
        keys += set.countBefore(chunk, limit);
      // Causal, the first keys see up to themselves, later queries all keys.
      double later = static_cast<double>(rows - keys);
      double real = static_cast<double>(keys);
      pairs += isCausal ? real * (real + 1) / 2 + later * real
                        : static_cast<double>(rows) * real;
    }
  return pairs;
}

int64_t Dilation::largestSet() const {
  int64_t largest = 1;
  for (size_t i = 0; i < segments.size(); ++i) {
    int64_t segment = std::min(segments[i], length);
    int64_t span =
        segmentation == Segmentation::Prefix ? length / chunks : segment;
    largest =
        std::max(largest, std::min(segment, (span + rates[i] - 1) / rates[i]));
  }
  return largest;
}

} // namespace ring::rt
