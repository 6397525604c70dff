// SPDX-License-Identifier: Apache-2.0
// Segments, heads and residues of dilated attention.

#include "ring/Positions/Dilation.h"

#include <algorithm>
#include <numeric>

namespace ring::positions {
namespace {

int64_t divideCeil(int64_t number, int64_t by) {
  return (number + by - 1) / by;
}

std::string but(const std::string &expected, int64_t found) {
  return "expects " + expected + ", but got " + std::to_string(found);
}

/// Pairs of `rows` queries and the first `keys` of the same rows.
///
///   3 rows: 9 pairs, 6 when causal; only 2 of them keys: 6, and 1 + 2 + 2
int64_t countOfSet(int64_t rows, int64_t keys, bool causal) {
  return causal ? keys * (keys + 1) / 2 + (rows - keys) * keys : rows * keys;
}

/// Pairs of all spans, keys from `limit` on being padding: spans that end
/// before it are alike, and behind the one that it cuts there are none.
int64_t countOfPair(const DilatedPair &pair, int64_t phase, int64_t limit,
                    bool causal) {
  int64_t rows = pair.rowsOf(phase);
  DilatedRows first{0, pair.begin + phase, rows, pair.rate, 1, pair.span};
  int64_t whole =
      std::clamp<int64_t>((limit - pair.begin) / pair.span, 0, pair.count);
  int64_t cut = whole < pair.count ? first.countBefore(whole, limit) : 0;
  if (pair.joined)
    return countOfSet(pair.count * rows, whole * rows + cut, causal);
  return whole * countOfSet(rows, rows, causal) + countOfSet(rows, cut, causal);
}

} // namespace

int64_t DilatedPair::rowsOf(int64_t phase) const {
  return phase >= span ? 0 : std::min(most, divideCeil(span - phase, rate));
}

int64_t DilatedRows::countBefore(int64_t chunk, int64_t limit) const {
  int64_t first = beginOf(chunk);
  return limit <= first ? 0 : std::min(count, divideCeil(limit - first, rate));
}

std::optional<std::string> Dilation::misfit() const {
  if (segments.empty() || segments.size() != rates.size())
    return "expects as many rates as segments, at least one, but got " +
           std::to_string(segments.size()) + " segments and " +
           std::to_string(rates.size()) + " rates";
  for (int64_t i = 0; i < segments.size(); ++i)
    if (segments[i] <= 0 || segments[i] > kMostPositions || rates[i] <= 0 ||
        rates[i] > segments[i])
      return "expects a segment of 1 to " + std::to_string(kMostPositions) +
             " and a rate of 1 to the segment, but got segment " +
             std::to_string(segments[i]) + " and rate " +
             std::to_string(rates[i]);
  if (norm == DilationNorm::Groups && mix != DilationMix::HeadPartition)
    return std::string("expects norm = none with mix = ") +
           (averages() ? "mean" : "lse") +
           ": only a partition of the heads has groups";
  if (chunks < 1 || chunks > kMostPositions)
    return but("1 to " + std::to_string(kMostPositions) + " chunks", chunks);
  if (chunks > 1 && segmentation != Segmentation::Prefix)
    return std::string("expects chunks only of prefixes, but got ") +
           (segmentation == Segmentation::Tiled ? "tiled" : "concat") +
           " segments and " + std::to_string(chunks) + " chunks";
  return std::nullopt;
}

std::optional<std::string> Dilation::misfitOf(int64_t length) const {
  const std::string whole = std::to_string(length);
  switch (segmentation) {
  case Segmentation::Tiled:
    for (int64_t segment : segments)
      if (length % segment != 0 &&
          (length > segment || shorter == ShortSequence::Error))
        return but("segments to divide " + whole, segment);
    return std::nullopt;
  case Segmentation::Concat: {
    int64_t sum = 0;
    for (int64_t segment : segments)
      sum = std::min(sum + segment, kMostPositions);
    if (sum != length)
      return but("concatenated segments to make up " + whole, sum);
    return std::nullopt;
  }
  case Segmentation::Prefix:
    if (length % chunks != 0)
      return but("chunks to divide " + whole, chunks);
    for (int64_t segment : segments)
      if (segment > length / chunks)
        return but("prefixes of at most " + std::to_string(length / chunks),
                   segment);
  }
  return std::nullopt;
}

std::optional<DilatedPair> Dilation::pairOf(int64_t pair,
                                            int64_t length) const {
  if (segments[pair] > length && shorter == ShortSequence::Skip)
    return std::nullopt;
  int64_t segment = std::min(segments[pair], length), rate = rates[pair];
  switch (segmentation) {
  case Segmentation::Tiled:
    return DilatedPair{0, segment, length / segment, rate, segment, false};
  case Segmentation::Concat: {
    int64_t begin =
        std::accumulate(segments.begin(), segments.begin() + pair, int64_t{0});
    return DilatedPair{begin, segment, 1, rate, segment, false};
  }
  case Segmentation::Prefix:
    return DilatedPair{0, length / chunks, chunks, rate, segment, true};
  }
  return std::nullopt;
}

/// 5 heads for 3 pairs: 2 2 1, or 1 2 2 where the last ones have the extra.
std::pair<int64_t, int64_t> Dilation::headsOf(int64_t pair,
                                              int64_t heads) const {
  if (mix != DilationMix::HeadPartition)
    return {0, heads};
  int64_t groups = segments.size(), size = heads / groups,
          larger = heads % groups;
  auto firstOf = [&](int64_t group) {
    return group * size + (extra == ExtraHeads::First
                               ? std::min(group, larger)
                               : std::max<int64_t>(group - groups + larger, 0));
  };
  return {firstOf(pair), firstOf(pair + 1)};
}

std::vector<int64_t> Dilation::phasesOf(int64_t pair, int64_t head,
                                        int64_t heads, int64_t span) const {
  int64_t rate = rates[pair], kept = 0;
  switch (phase) {
  case DilationPhase::Group:
    kept = pair % rate;
    break;
  case DilationPhase::HeadMod:
    kept = head % rate;
    break;
  case DilationPhase::HeadBlock:
    kept = head / divideCeil(heads, rate);
    break;
  case DilationPhase::AllResidues: {
    std::vector<int64_t> phases(std::min(rate, span));
    std::iota(phases.begin(), phases.end(), 0);
    return phases;
  }
  case DilationPhase::Zero:
    break;
  }
  return kept < span ? std::vector<int64_t>{kept} : std::vector<int64_t>{};
}

std::vector<DilatedRows> Dilation::rowsOf(int64_t head, int64_t heads,
                                          int64_t length) const {
  std::vector<DilatedRows> sets;
  for (int64_t i = 0; i < segments.size(); ++i) {
    std::optional<DilatedPair> pair = pairOf(i, length);
    auto [begin, end] = headsOf(i, heads);
    if (!pair || head < begin || head >= end)
      continue;
    int64_t alone = pair->joined ? 1 : pair->count;
    std::vector<int64_t> phases = phasesOf(i, head, heads, pair->span);
    for (int64_t at = 0; at < alone; ++at)
      for (int64_t residue : phases)
        sets.push_back({i, pair->begin + at * pair->span + residue,
                        pair->rowsOf(residue), pair->rate, pair->count / alone,
                        pair->joined ? pair->span : 0});
  }
  return sets;
}

int64_t Dilation::largestSet(int64_t length) const {
  int64_t largest = 1;
  for (int64_t i = 0; i < segments.size(); ++i)
    if (std::optional<DilatedPair> pair = pairOf(i, length))
      largest = std::max(largest, pair->rowsOf(0));
  return largest;
}

int64_t Dilation::divisor() const {
  return norm == DilationNorm::Groups || averages() ? segments.size() : 1;
}

int64_t Dilation::countPairs(int64_t heads, int64_t length,
                             std::optional<int64_t> keyLimit) const {
  int64_t pairs = 0;
  for (int64_t i = 0; i < segments.size(); ++i) {
    std::optional<DilatedPair> pair = pairOf(i, length);
    if (!pair)
      continue;
    auto [begin, end] = headsOf(i, heads);
    for (int64_t head = begin; head < end; ++head)
      for (int64_t residue : phasesOf(i, head, heads, pair->span))
        pairs += countOfPair(*pair, residue, keyLimit.value_or(length), causal);
  }
  return pairs;
}

} // namespace ring::positions
