// SPDX-License-Identifier: Apache-2.0
// Sizes and features of an attention.

#include "ring/Analysis/AttentionTraits.h"
#include "mlir/IR/TypeUtilities.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

std::optional<int64_t> constantInteger(Value value) {
  if (auto full = value.getDefiningOp<ttir::FullOp>()) {
    if (auto number = dyn_cast<IntegerAttr>(full.getFillValue()))
      return number.getValue().getSExtValue();
    return std::nullopt;
  }
  auto constant = value.getDefiningOp<ttir::ConstantOp>();
  if (!constant)
    return std::nullopt;
  auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  if (!elements || elements.empty() ||
      !llvm::all_equal(elements.getValues<APInt>()))
    return std::nullopt;
  // Only the type knows that a negative number is none.
  APInt number = *elements.value_begin<APInt>();
  return elements.getElementType().isUnsignedInteger()
             ? static_cast<int64_t>(number.getZExtValue())
             : number.getSExtValue();
}

bool isFirstOf(Value part, Value whole, int64_t dim) {
  auto slice = part.getDefiningOp<ttir::SliceStaticOp>();
  if (!slice || slice.getInput() != whole)
    return false;
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  for (auto [index, from, to] : llvm::enumerate(shapeOf(whole), shapeOf(part)))
    if (static_cast<int64_t>(index) != dim && from != to)
      return false;
  auto areAll = [](ArrayAttr numbers, int64_t expected) {
    return llvm::all_of(numbers, [&](Attribute number) {
      return cast<IntegerAttr>(number).getInt() == expected;
    });
  };
  return areAll(slice.getBegins(), 0) && areAll(slice.getStep(), 1);
}

bool areColumnsOf(Value value, Value key) {
  constexpr int64_t kColumns = 3;
  return isFirstOf(value, key, kColumns);
}

bool areReadInKeys(Value value) {
  auto slice = value.getDefiningOp<ttir::SliceStaticOp>();
  return slice && areColumnsOf(value, slice.getInput()) &&
         getElementTypeOrSelf(value).isIntOrFloat() &&
         llvm::all_of(value.getUses(), [&](OpOperand &use) {
           // Gradients are computed from values in a place of their own.
           if (!isa<PartialOp, AccumulateOp>(use.getOwner()))
             return false;
           auto attend = cast<AttendOpInterface>(use.getOwner());
           return attend.getValue() == value &&
                  attend.getKey() == slice.getInput() &&
                  llvm::count(use.getOwner()->getOperands(), value) == 1;
         });
}

/// The one user of a value, if it is of this kind.
template <typename Op>
static Op soleUser(Value value) {
  return value.hasOneUse() ? dyn_cast<Op>(*value.user_begin()) : Op();
}

Value gradientInKeys(AttentionBackwardOp op) {
  Value wide = op.getGradValue();
  if (auto pad = soleUser<ttir::PadOp>(wide)) {
    ArrayRef<int32_t> padding = pad.getPadding();
    if (pad.getValue().isZero() &&
        llvm::all_of(padding.drop_back(), [](int32_t n) { return n == 0; }))
      wide = pad.getResult();
  }
  auto sum = soleUser<ttir::AddOp>(wide);
  bool isSum = sum && sum == soleUser<ttir::AddOp>(op.getGradKey()) &&
               sum.getResult().getType() == op.getGradKey().getType() &&
               wide.getType() == op.getGradKey().getType();
  return isSum ? Value(sum.getResult()) : Value();
}

/// The dimension of the rows of q, k, v and their results.
static constexpr int64_t kRows = 2;

bool isGatheredFromRows(Value whole, int64_t axis) {
  auto gather = whole.getDefiningOp<ttir::AllGatherOp>();
  return gather && gather.getAllGatherDim() == kRows &&
         static_cast<int64_t>(gather.getClusterAxis()) == axis;
}

bool takesOwnRows(Operation *user, int64_t axis) {
  auto partition = dyn_cast<ttir::MeshPartitionOp>(user);
  return partition && partition.getDim() == kRows &&
         static_cast<int64_t>(partition.getClusterAxis().value_or(0)) == axis;
}

/// What stands around an attention of a device's own function.
static void readSurroundings(WholeAttentionOpInterface op,
                             AttentionTraits &traits) {
  if (!traits.perDevice || !op.getParallelAttr())
    return;
  int64_t axis = op.getParallelAttr().getSequence();
  traits.maskEverywhere =
      traits.mask && !isGatheredFromRows(op.getMask(), axis);
  SmallVector<Value> results(op->getResults());
  if (traits.gradientsInKeys)
    results = {results.front(),
               gradientInKeys(cast<AttentionBackwardOp>(op.getOperation()))};
  for (auto [number, result] : llvm::enumerate(results))
    if (llvm::any_of(result.getUsers(), [&](Operation *user) {
          return !takesOwnRows(user, axis);
        }))
      traits.wholeResults |= int64_t{1} << number;
}

AttentionTraits AttentionTraits::of(WholeAttentionOpInterface op) {
  auto attend = cast<AttendOpInterface>(op.getOperation());
  RankedTensorType query = attend.getQuery().getType(),
                   key = attend.getKey().getType();
  AttentionTraits traits = {};
  traits.batch = query.getDimSize(0);
  traits.heads = query.getDimSize(1);
  traits.kvHeads = key.getDimSize(1);
  traits.queries = query.getDimSize(2);
  traits.keys = key.getDimSize(2);
  traits.dim = query.getDimSize(3);
  traits.valueDim = attend.getValue().getType().getDimSize(3);
  if (PatternAttrInterface pattern = op.getPatternAttr()) {
    traits.dilation = dyn_cast<DilatedAttr>(pattern);
    traits.documents = dyn_cast<DocumentsAttr>(pattern);
    traits.band = pattern.getBand().value_or(Band{});
  }
  if (op.getMask()) {
    traits.mask = true;
    traits.maskBatch = op.getMask().getType().getDimSize(0);
    traits.maskHeads = op.getMask().getType().getDimSize(1);
    traits.maskRows = op.getMask().getType().getDimSize(2);
  }
  if (op.getLengthAttr())
    traits.realKeys = op.getLengthAttr().getInt();
  if (op.getDocuments())
    traits.lateDocuments = op.getDocuments().getType().getNumElements();
  traits.perDevice = op.getPerDevice();
  traits.elementType = query.getElementType();
  auto compareType = [&](Value operand) {
    Type type = getElementTypeOrSelf(operand);
    if (!traits.otherElementType && type != traits.elementType)
      traits.otherElementType = type;
  };
  compareType(attend.getKey());
  compareType(attend.getValue());
  traits.valuesInKeys =
      !traits.dilation && areColumnsOf(attend.getValue(), attend.getKey());
  auto forward = dyn_cast<AttentionOp>(op.getOperation());
  traits.backward = !forward;
  if (!forward) {
    traits.gradientsInKeys =
        traits.valuesInKeys &&
        gradientInKeys(cast<AttentionBackwardOp>(op.getOperation()));
    readSurroundings(op, traits);
    return traits;
  }
  if (forward.getJointQuery()) {
    traits.joint = forward.getJointQuery().getType().getDimSize(2);
    for (Value operand : {forward.getJointQuery(), forward.getJointKey(),
                          forward.getJointValue()})
      compareType(operand);
  }
  traits.realJoint = forward.getJointLength().value_or(traits.joint);
  traits.jointSharded =
      traits.joint != 0 && forward.getParallelAttr() &&
      forward.getParallelAttr().getJoint() == JointPlacement::Sharded;
  if (forward.getPageTable()) {
    traits.pageRows = traits.keys;
    traits.pageBlocks = key.getDimSize(0);
    int64_t pages = forward.getPageTable().getType().getDimSize(1);
    if (llvm::MulOverflow(traits.pageRows, pages, traits.keys))
      traits.keys = std::numeric_limits<int64_t>::max() / 2;
    traits.tableElementType = forward.getPageTable().getType().getElementType();
  }
  if (forward.getStart()) {
    traits.start = true;
    traits.startOfEach = forward.getStart().getType().getNumElements() > 1;
    traits.chunkStart = constantInteger(forward.getStart());
    if (ParallelAttr parallel = forward.getParallelAttr())
      traits.cacheBlock = parallel.getCacheBlock().value_or(0);
  }
  if (forward.getSink())
    traits.sinkElementType = forward.getSink().getType().getElementType();
  traits.sink = static_cast<bool>(forward.getSink());
  traits.pages = static_cast<bool>(forward.getPageTable());
  traits.length = static_cast<bool>(forward.getLengthAttr());
  traits.lse = static_cast<bool>(forward.getLse());
  readSurroundings(op, traits);
  return traits;
}

bool opensRing(const AttentionTraits &traits, PlanAttr plan) {
  bool causal = traits.dilation    ? traits.dilation.getCausal()
                : traits.documents ? traits.documents.getCausal()
                                   : traits.isCausal();
  return causal && !plan.getBalanced() &&
         plan.getLayout() == LayoutKind::Contiguous && !traits.start &&
         !traits.lateDocuments && !traits.backward;
}

int64_t paddedLength(int64_t rows, LayoutKind layout, int64_t ranks,
                     bool perDevice) {
  int64_t chunks = layout == LayoutKind::Zigzag ? 2 * ranks : ranks;
  if (perDevice && rows % chunks == 0)
    return rows;
  return llvm::alignTo(rows, chunks * kTileRows);
}

int64_t dilatedLength(int64_t rows, int64_t ranks) {
  return llvm::alignTo(rows, ranks);
}

} // namespace mlir::ring
