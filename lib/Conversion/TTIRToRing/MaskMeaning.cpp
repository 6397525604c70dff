// SPDX-License-Identifier: Apache-2.0
// What masks say that a pattern or a length says as well.

#include "MaskMeaning.h"
#include "KnownNumbers.h"
#include "ScoreMask.h"
#include "mlir/IR/BuiltinTypes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

constexpr int64_t kQueries = -2, kKeys = -1;

/// The keys that queries see, where each sees those from one to another.
struct Seen {
  /// Rows up to `end` see the keys from `first` to before `last`.
  struct Band {
    int64_t end, first, last;
  };
  std::vector<Band> bands;

  static std::optional<Seen> of(const MaskGrid &grid, int64_t rows,
                                int64_t keys);
  /// What two masks leave, if that says by its rows what each of them says.
  static std::optional<Seen> join(const Seen &one, const Seen &other);
};

/// Reads a row: 0 from one key to another, and numbers elsewhere that are so
/// low that scores do not count.
std::optional<Seen::Band> readRow(const MaskGrid::Band &band, int64_t keys,
                                  bool dependsOnKeys) {
  Seen::Band seen{band.end, 0, 0};
  int64_t begin = 0;
  bool dropsAll = true;
  for (const MaskGrid::Run &run : band.runs) {
    int64_t end = dependsOnKeys ? run.end : keys;
    if (run.number == 0) {
      if (seen.last)
        return std::nullopt;
      seen.first = begin;
      seen.last = end;
    } else if (!dropsScore(run.number)) {
      return std::nullopt;
    }
    dropsAll &= std::isinf(run.number);
    begin = end;
  }
  // Scores that are all low by a finite number still have a softmax.
  if (!seen.last && !dropsAll)
    return std::nullopt;
  return seen;
}

std::optional<Seen> Seen::of(const MaskGrid &grid, int64_t rows, int64_t keys) {
  std::optional<MaskGrid::Axis> outer = grid.outerAxis(),
                                inner = grid.innerAxis();
  bool byKey = inner && inner->dim == kKeys,
       byRow = outer && outer->dim == kQueries;
  Seen seen;
  // Numbers that change from query to query alone.
  if (inner && !outer && inner->dim == kQueries) {
    for (const MaskGrid::Run &run : grid.allBands()[0].runs) {
      MaskGrid::Band band{run.end, {{1, run.number}}};
      std::optional<Band> row = readRow(band, keys, false);
      if (!row)
        return std::nullopt;
      seen.bands.push_back(*row);
    }
    return seen;
  }
  if ((inner && !byKey) || (outer && !byRow))
    return std::nullopt;
  for (const MaskGrid::Band &band : grid.allBands()) {
    std::optional<Band> row = readRow(band, keys, byKey);
    if (!row)
      return std::nullopt;
    seen.bands.push_back(*row);
  }
  if (!byRow)
    seen.bands.back().end = rows;
  return seen;
}

std::optional<Seen> Seen::join(const Seen &one, const Seen &other) {
  Seen both;
  for (size_t a = 0, b = 0; a < one.bands.size() && b < other.bands.size();) {
    const Band &first = one.bands[a], &second = other.bands[b];
    Band band{std::min(first.end, second.end),
              std::max(first.first, second.first),
              std::min(first.last, second.last)};
    // A row that neither drops alone has a sum of low numbers, maybe finite.
    bool dropped = first.first == first.last || second.first == second.last;
    if (band.first >= band.last) {
      if (!dropped)
        return std::nullopt;
      band.first = band.last = 0;
    }
    both.bands.push_back(band);
    a += first.end == band.end;
    b += second.end == band.end;
  }
  return both;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Says the same as a length, a causal pattern or documents; nothing if none of
/// them does.
class PatternReader {
public:
  PatternReader(const Seen &seen, int64_t rows, int64_t keys)
      : bands(seen.bands), rows(rows), keys(keys) {
    for (const Seen::Band &band : bands)
      length = std::max(length, band.last);
  }

  bool read(MaskMeaning &meaning) const {
    if (length == 0)
      return false;
    if (isAll()) {
      if (length < keys)
        meaning.length = length;
      return true;
    }
    if (isTriangle()) {
      meaning.causal = true;
      // Below a triangle of fewer rows than keys all others are hidden anyway.
      if (length < keys && length < rows)
        meaning.length = length;
      return true;
    }
    return rows == keys && readDocuments(meaning);
  }

private:
  bool isAll() const {
    return llvm::all_of(bands, [&](const Seen::Band &band) {
      return band.first == 0 && band.last == length;
    });
  }
  bool isTriangle() const {
    int64_t begin = 0;
    for (const Seen::Band &band : bands) {
      if (band.first != 0 || !endsAsTriangle(band, begin))
        return false;
      begin = band.end;
    }
    return rows > 1;
  }
  /// Whether each row of a band sees up to itself, or to the last key.
  bool endsAsTriangle(const Seen::Band &band, int64_t begin) const {
    return band.last == std::min(begin + 1, length) &&
           band.last == std::min(band.end, length);
  }
  bool readDocuments(MaskMeaning &meaning) const;

  const std::vector<Seen::Band> &bands;
  int64_t rows, keys, length = 0;
};

/// A document is the rows that see keys from its first row on. Rows that see
/// nothing, which nobody sees either, may stand behind all documents.
///
/// With 3 documents that end at 2, 5 and 6 of 7 rows, the rows see
///
///   full    [0,2) [0,2) [2,5) [2,5) [2,5) [5,6) -
///   causal  [0,1) [0,2) [2,3) [2,4) [2,5) [5,6) -
bool PatternReader::readDocuments(MaskMeaning &meaning) const {
  SmallVector<int64_t> ends;
  bool full = true, causal = true;
  for (size_t at = 0; at < bands.size();) {
    int64_t begin = at ? bands[at - 1].end : 0;
    if (bands[at].last == 0) {
      // Equal rows are one band, so that this is the last one.
      if (bands[at].end != rows || length > begin)
        return false;
      break;
    }
    if (bands[at].first != begin)
      return false;
    size_t behind = at;
    while (behind < bands.size() && bands[behind].last &&
           bands[behind].first == begin)
      ++behind;
    int64_t end = bands[behind - 1].end;
    for (int64_t row = begin; at < behind; row = bands[at++].end) {
      full &= bands[at].last == std::min(end, length);
      causal &= endsAsTriangle(bands[at], row);
    }
    ends.push_back(end);
  }
  if (!full && !causal)
    return false;
  meaning.causal = !full;
  if (length < ends.back())
    meaning.length = length;
  meaning.documentEnds = std::move(ends);
  return true;
}

//===----------------------------------------------------------------------===//
// Sums of masks
//===----------------------------------------------------------------------===//

class MaskReader {
public:
  explicit MaskReader(Value mask) {
    auto type = cast<RankedTensorType>(mask.getType());
    rows = type.getDimSize(2);
    keys = type.getDimSize(3);
  }

  /// What was read of a mask, and what of it was not.
  struct Part {
    std::optional<Seen> seen;
    Value rest;
  };

  Part readSum(Value mask) {
    if (std::optional<Seen> seen = readWhole(mask))
      return {seen, {}};
    auto add = mask.getDefiningOp<ttir::AddOp>();
    if (!add)
      return {{}, mask};
    for (auto [one, other] : {std::pair(add.getLhs(), add.getRhs()),
                              {add.getRhs(), add.getLhs()}}) {
      std::optional<Seen> seen = readWhole(one);
      if (!seen)
        continue;
      Part part = readSum(other);
      if (!part.seen)
        return {seen, part.rest};
      // Documents leave nothing else beside them.
      std::optional<Seen> both = Seen::join(*seen, *part.seen);
      if (both && meaningOf(*both, part.rest))
        return {both, part.rest};
      return {seen, other};
    }
    return {{}, mask};
  }

  std::optional<MaskMeaning> meaningOf(const Seen &seen, Value rest) const {
    MaskMeaning meaning;
    if (!PatternReader(seen, rows, keys).read(meaning) ||
        (rest && !meaning.documentEnds.empty()))
      return std::nullopt;
    meaning.rest = rest;
    return meaning;
  }

  ArrayRef<Operation *> ops() const { return numbers.ops(); }

private:
  std::optional<Seen> readWhole(Value mask) {
    std::optional<MaskGrid> grid = numbers.of(mask);
    std::optional<Seen> seen =
        grid ? Seen::of(*grid, rows, keys) : std::nullopt;
    MaskMeaning meaning;
    if (!seen || !PatternReader(*seen, rows, keys).read(meaning))
      return std::nullopt;
    return seen;
  }

  KnownNumbers numbers;
  int64_t rows, keys;
};

} // namespace

MaskMeaning readMask(Value mask) {
  auto type = cast<RankedTensorType>(mask.getType());
  MaskMeaning nothing;
  nothing.rest = mask;
  if (type.getRank() != 4 || !type.hasStaticShape())
    return nothing;
  MaskReader reader(mask);
  MaskReader::Part part = reader.readSum(mask);
  auto meaning =
      part.seen ? reader.meaningOf(*part.seen, part.rest) : std::nullopt;
  if (!meaning)
    return nothing;
  meaning->ops.assign(reader.ops().begin(), reader.ops().end());
  return *meaning;
}

PatternAttrInterface patternOf(MLIRContext *context,
                               const MaskMeaning &meaning) {
  if (meaning.documentEnds.empty())
    return CausalAttr::get(context);
  return DocumentsAttr::get(context, meaning.documentEnds, meaning.causal);
}

std::optional<std::string> misfitOfDocuments(const MaskMeaning &meaning) {
  return ::ring::positions::Documents{meaning.documentEnds, meaning.causal}
      .misfit();
}

bool comparesIdsOfProgram(Value mask) {
  auto origin = [](Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (!isa<ttir::ReshapeOp, ttir::SqueezeOp, ttir::UnsqueezeOp,
               ttir::BroadcastOp, ttir::TypecastOp, ttir::PermuteOp,
               ttir::TransposeOp>(op))
        break;
      value = op->getOperand(0);
    }
    return value;
  };
  // From the mask to what its conditions compare.
  llvm::SmallSetVector<Value, 8> todo;
  todo.insert(mask);
  for (size_t at = 0; at < todo.size(); ++at) {
    Operation *op = todo[at].getDefiningOp();
    if (!op || op->getNumResults() != 1)
      continue;
    if (isa<ttir::EqualOp>(op)) {
      Value left = op->getOperand(0), right = op->getOperand(1);
      if (left != right && origin(left) == origin(right))
        return true;
      continue;
    }
    bool isOfConditions =
        isa<ttir::WhereOp, ttir::AddOp, ttir::MultiplyOp, ttir::SubtractOp,
            ttir::LogicalNotOp, ttir::TypecastOp, ttir::BroadcastOp,
            ttir::ReshapeOp, ttir::UnsqueezeOp, ttir::SqueezeOp>(op) ||
        op->getName().getStringRef() == "ttir.logical_and" ||
        op->getName().getStringRef() == "ttir.logical_or";
    if (isOfConditions)
      todo.insert_range(op->getOperands());
  }
  return false;
}

} // namespace mlir::ring
