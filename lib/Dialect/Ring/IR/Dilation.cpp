// SPDX-License-Identifier: Apache-2.0
// Segments, heads and residues of dilated attention.

#include "ring/Dialect/Ring/IR/Dilation.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace mlir::ring {

int64_t DilatedPair::rowsOf(int64_t phase) const {
  if (phase >= span)
    return 0;
  return std::min<int64_t>(most, llvm::divideCeil(span - phase, rate));
}

std::optional<std::string> misfitOf(DilatedAttr dilated, int64_t length) {
  ArrayRef<int64_t> segments = dilated.getSegments();
  auto but = [](const Twine &expected, int64_t found) {
    return (expected + ", but got " + Twine(found)).str();
  };
  switch (dilated.getSegmentation()) {
  case Segmentation::Tiled:
    for (int64_t segment : segments) {
      bool shorter =
          length < segment && dilated.getShorter() != ShortSequence::Error;
      if (length % segment != 0 && !shorter)
        return but("segments to divide " + Twine(length), segment);
    }
    return std::nullopt;
  case Segmentation::Concat:
    if (int64_t sum =
            std::accumulate(segments.begin(), segments.end(), int64_t{0});
        sum != length)
      return but("concatenated segments to make up " + Twine(length), sum);
    return std::nullopt;
  case Segmentation::Prefix: {
    int64_t chunks = dilated.getChunks();
    if (length % chunks != 0)
      return but("chunks to divide " + Twine(length), chunks);
    for (int64_t segment : segments)
      if (segment > length / chunks)
        return but("prefixes of at most " + Twine(length / chunks), segment);
    return std::nullopt;
  }
  }
  llvm_unreachable("unknown segmentation");
}

std::optional<DilatedPair> pairOf(DilatedAttr dilated, int64_t pair,
                                  int64_t length) {
  ArrayRef<int64_t> segments = dilated.getSegments();
  int64_t segment = segments[pair], rate = dilated.getRates()[pair];
  if (segment > length && dilated.getShorter() == ShortSequence::Skip)
    return std::nullopt;
  segment = std::min(segment, length);
  switch (dilated.getSegmentation()) {
  case Segmentation::Tiled:
    return DilatedPair{0, segment, length / segment, rate, segment, false};
  case Segmentation::Concat: {
    int64_t begin =
        std::accumulate(segments.begin(), segments.begin() + pair, int64_t{0});
    return DilatedPair{begin, segment, 1, rate, segment, false};
  }
  case Segmentation::Prefix:
    return DilatedPair{
        0,   length / dilated.getChunks(), dilated.getChunks(), rate, segment,
        true};
  }
  llvm_unreachable("unknown segmentation");
}

/// 5 heads for 3 pairs: 2 2 1, or 1 2 2 where the last ones have the extra.
std::pair<int64_t, int64_t> headsOf(DilatedAttr dilated, int64_t pair,
                                    int64_t heads) {
  if (dilated.getMix() != DilationMix::HeadPartition)
    return {0, heads};
  int64_t groups = dilated.getSegments().size();
  int64_t size = heads / groups, extra = heads % groups;
  auto firstOf = [&](int64_t pair) {
    int64_t larger = dilated.getExtra() == ExtraHeads::First
                         ? std::min(pair, extra)
                         : std::max<int64_t>(pair - (groups - extra), 0);
    return pair * size + larger;
  };
  return {firstOf(pair), firstOf(pair + 1)};
}

static SmallVector<int64_t> allPhasesOf(DilatedAttr dilated, int64_t pair,
                                        int64_t head, int64_t heads,
                                        int64_t span) {
  int64_t rate = dilated.getRates()[pair];
  switch (dilated.getPhase()) {
  case DilationPhase::Group:
    return {pair % rate};
  case DilationPhase::HeadMod:
    return {head % rate};
  case DilationPhase::HeadBlock:
    return {head / static_cast<int64_t>(llvm::divideCeil(heads, rate))};
  case DilationPhase::AllResidues: {
    SmallVector<int64_t> phases(std::min(rate, span));
    std::iota(phases.begin(), phases.end(), 0);
    return phases;
  }
  case DilationPhase::Zero:
    return {0};
  }
  llvm_unreachable("unknown phase");
}

SmallVector<int64_t> phasesOf(DilatedAttr dilated, int64_t pair, int64_t head,
                              int64_t heads, int64_t span) {
  SmallVector<int64_t> phases = allPhasesOf(dilated, pair, head, heads, span);
  llvm::erase_if(phases, [&](int64_t phase) { return phase >= span; });
  return phases;
}

int64_t divisorOf(DilatedAttr dilated) {
  bool divides = dilated.getNorm() == DilationNorm::Groups ||
                 dilated.getMix() == DilationMix::Mean;
  return divides ? dilated.getSegments().size() : 1;
}

/// Pairs of `rows` queries and the first `keys` of the same rows.
///
///   3 rows: 9 pairs, 6 when causal; only 2 of them keys: 6, and 1 + 2 + 2
static int64_t countOfSet(int64_t rows, int64_t keys, bool causal) {
  return causal ? keys * (keys + 1) / 2 + (rows - keys) * keys : rows * keys;
}

/// How many of the rows of the span from `begin` on are before `limit`.
static int64_t keysBefore(const DilatedPair &pair, int64_t begin, int64_t phase,
                          int64_t limit) {
  int64_t first = begin + phase, rows = pair.rowsOf(phase);
  if (limit <= first)
    return 0;
  return std::min<int64_t>(rows, llvm::divideCeil(limit - first, pair.rate));
}

static int64_t countOfPair(const DilatedPair &pair, int64_t phase,
                           std::optional<int64_t> keyLimit, bool causal) {
  int64_t rows = pair.rowsOf(phase);
  if (!keyLimit) {
    if (pair.joined)
      return countOfSet(pair.count * rows, pair.count * rows, causal);
    return pair.count * countOfSet(rows, rows, causal);
  }
  int64_t pairs = 0, keys = 0;
  for (int64_t i = 0; i < pair.count; ++i) {
    int64_t real =
        keysBefore(pair, pair.begin + i * pair.span, phase, *keyLimit);
    keys += real;
    if (!pair.joined)
      pairs += countOfSet(rows, real, causal);
  }
  return pair.joined ? countOfSet(pair.count * rows, keys, causal) : pairs;
}

int64_t countPairs(DilatedAttr dilated, int64_t heads, int64_t length,
                   std::optional<int64_t> keyLimit) {
  int64_t pairs = 0;
  for (int64_t i = 0, e = dilated.getSegments().size(); i < e; ++i) {
    std::optional<DilatedPair> pair = pairOf(dilated, i, length);
    if (!pair)
      continue;
    auto [begin, end] = headsOf(dilated, i, heads);
    for (int64_t head = begin; head < end; ++head)
      for (int64_t phase : phasesOf(dilated, i, head, heads, pair->span))
        pairs += countOfPair(*pair, phase, keyLimit, dilated.getCausal());
  }
  return pairs;
}

} // namespace mlir::ring
