// SPDX-License-Identifier: Apache-2.0
// The numbered constraints of the ring dialect's attributes.

#include "PositionForms.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {

using EmitError = function_ref<InFlightDiagnostic()>;

/// The tile is the unit of device memory; chunks of rows are whole tiles.
static constexpr int64_t kTile = 32;

/// Fails where the arithmetic of positions finds a misfit.
static LogicalResult expectFit(EmitError emitError,
                               const std::optional<std::string> &misfit) {
  return misfit ? emitError() << *misfit : success();
}

static LogicalResult verifyMesh(EmitError emitError, ArrayRef<int64_t> mesh) {
  int64_t devices = 1;
  for (int64_t size : mesh)
    devices = devices > 0 && size > 0 && size <= kMostDevices / devices
                  ? devices * size
                  : 0;
  if (mesh.empty() || devices == 0)
    return emitError() << "expects a mesh of positive axes with at most "
                       << kMostDevices << " devices, but got [" << mesh << "]";
  return success();
}

LogicalResult ParallelAttr::verify(EmitError emitError, int64_t sequence,
                                   std::optional<int64_t> outer,
                                   std::optional<int64_t> heads, JointPlacement,
                                   std::optional<int64_t> cacheBlock) {
  for (std::optional<int64_t> axis : {std::optional(sequence), outer, heads})
    if (axis && *axis < 0)
      return emitError() << "expects mesh axes not to be negative, but got "
                         << *axis;
  if (heads && *heads == sequence)
    return emitError() << "expects sequence and heads on different mesh axes, "
                          "but got "
                       << sequence << " for both";
  if (outer && (*outer == sequence || outer == heads))
    return emitError() << "expects outer on another mesh axis than sequence "
                          "and heads, but got "
                       << *outer;
  if (cacheBlock && *cacheBlock < 1)
    return emitError() << "expects a cache block of at least one row, but got "
                       << *cacheBlock;
  return success();
}

LogicalResult AxisAttr::verify(EmitError emitError, int64_t index,
                               ArrayRef<int64_t> mesh,
                               std::optional<int64_t> size,
                               std::optional<int64_t> stride) {
  if (failed(verifyMesh(emitError, mesh)))
    return failure();
  if (stride && !size)
    return emitError() << "expects a size with stride = " << *stride;
  bool exists = index >= 0 && index < static_cast<int64_t>(mesh.size());
  return expectFit(emitError,
                   shared::MeshAxis::misfitOf(
                       mesh, index, size.value_or(exists ? mesh[index] : 1),
                       stride.value_or(1)));
}

LogicalResult LayoutAttr::verify(EmitError emitError, LayoutKind kind,
                                 int64_t length, int64_t ranks, int64_t offset,
                                 int64_t block) {
  return expectFit(emitError,
                   layoutOf(kind, length, ranks, offset, block).misfit());
}

LogicalResult PlacesAttr::verify(EmitError emitError, ArrayRef<int64_t> counts,
                                 ArrayRef<int64_t> ranges) {
  size_t total = 0;
  for (int64_t count : counts) {
    if (count < 1 || count > static_cast<int64_t>(ranges.size()))
      return emitError() << "expects 1 to " << ranges.size() / 3
                         << " ranges on every device, but got " << count;
    total += count;
  }
  if (counts.empty() || ranges.size() != 3 * total)
    return emitError() << "expects a device and three numbers for each of its "
                          "ranges, but got "
                       << total << " ranges and " << ranges.size()
                       << " numbers";
  for (size_t i = 0; i < ranges.size(); i += 3) {
    PositionRange range{ranges[i], ranges[i + 1], ranges[i + 2]};
    if (!range.isInSequence())
      return emitError() << "expects positions from 0 to " << kMostPositions
                         << ", but got " << range.size << " from "
                         << range.begin << " by " << range.stride;
  }
  int64_t rows = -1, next = 1;
  for (int64_t count : counts) {
    int64_t own = 0;
    for (int64_t i = 0; i < count; ++i, next += 3)
      own += ranges[next];
    if (rows >= 0 && own != rows)
      return emitError() << "expects as many rows on every device, but got "
                         << rows << " and " << own;
    rows = own;
  }
  return success();
}

LogicalResult LegAttr::verify(EmitError emitError, int64_t source,
                              int64_t offset, int64_t size, int64_t stride,
                              int64_t at, int64_t step) {
  if (offset < 0 || at < 0 || size <= 0 || stride <= 0 || step <= 0)
    return emitError() << "expects offset and at that are not negative, and a "
                          "positive size, stride and step, but got "
                       << offset << ", " << at << ", " << size << ", " << stride
                       << " and " << step;
  return success();
}

/// The rings of a ring of rings: on two axes of a mesh, or two digits of one.
static LogicalResult verifyOuterRing(EmitError emitError, AxisAttr axis,
                                     AxisAttr outer) {
  if (axis.getMesh() != outer.getMesh())
    return emitError() << "expects outer in the mesh of " << axis
                       << ", but got " << outer;
  bool sameAxis = axis.getIndex() == outer.getIndex();
  if (sameAxis && (axis.getStride().value_or(1) != 1 ||
                   outer.getStride().value_or(1) != axis.getRanks()))
    return emitError() << "expects outer on another axis than " << axis
                       << ", or a part of it with stride = " << axis.getRanks()
                       << ", but got " << outer;
  if (!sameAxis && (axis.getSize() || outer.getSize()))
    return emitError() << "expects whole axes where there are two, but got "
                       << axis << " and " << outer;
  return success();
}

LogicalResult BlockAttr::verify(EmitError emitError, LayoutAttr queries,
                                LayoutAttr keys, PlacesAttr queryPlaces,
                                PlacesAttr keyPlaces, int64_t source,
                                int64_t firstKey, AxisAttr axis,
                                int64_t outerSource, AxisAttr outer) {
  if (queryPlaces || keyPlaces || !keys) {
    if (!queryPlaces || !keyPlaces || queries || keys || source != 0 ||
        firstKey != 0 || outer || outerSource != 0)
      return emitError()
             << "expects a layout of the keys, or places of queries "
                "and keys without layouts, sources, outer and first_key";
    for (PlacesAttr places : {queryPlaces, keyPlaces})
      if (static_cast<int64_t>(places.getCounts().size()) !=
          axis.getNumDevices())
        return emitError() << "expects places on each of "
                           << axis.getNumDevices() << " devices, but got "
                           << places.getCounts().size();
    return success();
  }
  if (outer && failed(verifyOuterRing(emitError, axis, outer)))
    return failure();
  if (!outer && outerSource != 0)
    return emitError() << "expects an outer axis with outer_source = "
                       << outerSource;
  int64_t ranks = axis.getRanks() * (outer ? outer.getRanks() : 1);
  StringRef where = outer ? "axes" : "axis";
  if (queries && queries.getRanks() != ranks)
    return emitError() << "expects a layout of the queries over the " << ranks
                       << " ranks of the " << where << ", but got "
                       << queries.getRanks();
  if (keys.getRanks() != ranks && keys.getRanks() != 1)
    return emitError() << "expects a layout of the keys over the " << ranks
                       << " ranks of the " << where << " or over 1, but got "
                       << keys.getRanks();
  if (firstKey < 0 || firstKey >= keys.getShardLength())
    return emitError() << "expects first_key to be one of "
                       << keys.getShardLength() << " rows, but got "
                       << firstKey;
  return success();
}

LogicalResult ShardingAttr::verify(EmitError emitError, ArrayRef<int64_t> axes,
                                   ArrayRef<int64_t> mesh,
                                   std::optional<int64_t> sequence,
                                   LayoutAttr layout,
                                   std::optional<int64_t> outer) {
  if (failed(verifyMesh(emitError, mesh)))
    return failure();
  llvm::SmallSet<int64_t, 4> used;
  SmallVector<int64_t> all(axes);
  if (outer)
    all.push_back(*outer);
  for (int64_t axis : all) {
    if (axis == kReplicated)
      continue;
    if (axis < 0 || axis >= static_cast<int64_t>(mesh.size()))
      return emitError() << "expects an axis of a " << mesh.size()
                         << "-D mesh, but got " << axis;
    if (!used.insert(axis).second)
      return emitError() << "expects every mesh axis to split one dimension, "
                            "but got axis "
                         << axis << " twice";
  }
  if (sequence.has_value() != static_cast<bool>(layout))
    return emitError() << "expects the sequence and its layout together";
  if (outer && !sequence)
    return emitError() << "expects a sequence with outer = " << *outer;
  if (!sequence)
    return success();
  if (*sequence < 0 || *sequence >= static_cast<int64_t>(axes.size()) ||
      axes[*sequence] == kReplicated)
    return emitError() << "expects the sequence to be a split dimension, but "
                          "got "
                       << *sequence;
  int64_t ranks = mesh[axes[*sequence]] * (outer ? mesh[*outer] : 1);
  if (layout.getRanks() != ranks) {
    auto error = emitError() << "expects a layout over the " << ranks
                             << " devices of axis " << axes[*sequence];
    if (outer)
      error << " and axis " << *outer;
    return error << ", but got " << layout.getRanks();
  }
  return success();
}

LogicalResult PartAttr::verify(EmitError emitError, int64_t source,
                               int64_t offset, int64_t size, int64_t stride) {
  if (offset < 0 || size <= 0 || stride <= 0)
    return emitError() << "expects an offset that is not negative, a positive "
                          "size and a positive stride, but got "
                       << offset << ", " << size << " and " << stride;
  return success();
}

LogicalResult WindowAttr::verify(EmitError emitError, int64_t before,
                                 int64_t after) {
  if (before > kMostPositions || after > kMostPositions ||
      before < -kMostPositions || after < -kMostPositions || before + after < 0)
    return emitError() << "expects a window of at least one key and at most "
                       << kMostPositions << " to a side, but got " << before
                       << " before and " << after << " after";
  return success();
}

LogicalResult
DilatedAttr::verify(EmitError emitError, ArrayRef<int64_t> segments,
                    ArrayRef<int64_t> rates, Segmentation segmentation,
                    int64_t chunks, DilationPhase phase, DilationMix mix,
                    ExtraHeads extra, DilationNorm norm, ShortSequence shorter,
                    KeyOrder, bool causal) {
  return expectFit(emitError,
                   dilationOf(segments, rates, segmentation, chunks, phase, mix,
                              extra, norm, shorter, causal)
                       .misfit());
}

LogicalResult DocumentsAttr::verify(EmitError emitError, ArrayRef<int64_t> ends,
                                    bool causal) {
  return expectFit(emitError, shared::Documents{ends, causal}.misfit());
}

LogicalResult ComputeAttr::verify(EmitError emitError,
                                  std::optional<int64_t> qChunk,
                                  std::optional<int64_t> kChunk, bool,
                                  MathFidelity, bool, ArrayRef<int64_t> grid,
                                  ArrayRef<int64_t> cclOffset) {
  for (std::optional<int64_t> chunk : {qChunk, kChunk})
    if (chunk && (*chunk <= 0 || *chunk % kTile != 0))
      return emitError() << "expects chunks to be positive multiples of "
                         << kTile << ", but got " << *chunk;
  for (ArrayRef<int64_t> cores : {grid, cclOffset})
    if (!cores.empty() && cores.size() != 2)
      return emitError() << "expects columns x rows of cores, but got ["
                         << cores << "]";
  return success();
}

LogicalResult PlanAttr::verify(EmitError emitError, Strategy strategy,
                               AxisAttr axis, std::optional<int64_t> headsAxis,
                               LayoutKind layout, Directions, Form, Topology,
                               std::optional<int64_t> headRanks,
                               std::optional<int64_t> inner,
                               std::optional<int64_t> outer, int64_t numLinks,
                               ComputeAttr, bool,
                               std::optional<PartMerge> merge) {
  int64_t meshRank = axis.getMesh().size();
  if (headsAxis && (*headsAxis < 0 || *headsAxis >= meshRank ||
                    *headsAxis == axis.getIndex() || headsAxis == outer))
    return emitError() << "expects heads on another axis of the " << meshRank
                       << "-D mesh than the sequence's, but got " << *headsAxis;
  if (headRanks && strategy != Strategy::Usp)
    return emitError() << "expects head ranks only with strategy = usp, but "
                          "got strategy = "
                       << stringifyStrategy(strategy);
  if (headRanks && (*headRanks <= 0 || axis.getRanks() % *headRanks != 0))
    return emitError() << "expects the head ranks to divide " << axis.getRanks()
                       << ", but got " << *headRanks;
  if (numLinks < 1)
    return emitError() << "expects at least one link, but got " << numLinks;
  if (layout == LayoutKind::Mirrored)
    return emitError() << "expects a layout of the whole sequence, but got "
                          "mirrored, which is half of a zigzag";
  if (layout == LayoutKind::BlockCyclic)
    return emitError() << "expects contiguous, zigzag or striped queries, but "
                          "got block_cyclic, which is a layout of caches";
  bool twoLevels = strategy == Strategy::DoubleRing;
  int given = inner.has_value() + outer.has_value();
  if (given != (twoLevels ? 1 : 0))
    return emitError() << "expects "
                       << (twoLevels ? "either inner or outer"
                                     : "neither inner nor outer")
                       << " with strategy = " << stringifyStrategy(strategy)
                       << ", but got "
                       << (given == 2 ? "both"
                           : given    ? "one"
                                      : "none");
  if (inner && (*inner <= 0 || axis.getRanks() % *inner != 0))
    return emitError() << "expects the ranks of the inner ring to divide "
                       << axis.getRanks() << ", but got " << *inner;
  if (outer && (*outer < 0 || *outer >= meshRank || *outer == axis.getIndex()))
    return emitError() << "expects the outer ring on another axis of the "
                       << meshRank << "-D mesh than the sequence's, but got "
                       << *outer;
  if (merge && strategy != Strategy::SplitKV)
    return emitError() << "expects a merge only with strategy = split_kv, but "
                          "got strategy = "
                       << stringifyStrategy(strategy);
  if (merge == PartMerge::Tree && !llvm::isPowerOf2_64(axis.getRanks()))
    return emitError() << "expects ranks that are a power of two for merge = "
                          "tree, but got "
                       << axis.getRanks();
  return success();
}

} // namespace mlir::ring
