// SPDX-License-Identifier: Apache-2.0
// From the options of ring-plan and ring-explain to a search.

#include "ring/Planner/AttentionPlanner.h"
#include "ChipLimits.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Dialect/Ring/IR/RingDialect.h"
#include "ring/Machine/Bytes.h"
#include "ring/Machine/MachineFile.h"
#include "ring/Support/NearestName.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {

InFlightDiagnostic emitAttentionError(WholeAttentionOpInterface op,
                                      const Twine &message) {
  return emitError(op.getLoc())
         << (AttentionTraits::of(op).backward ? "gradients of an attention "
                                              : "attention ")
         << message;
}

void remarkIfUnraised(ModuleOp module, StringRef pass) {
  bool any = false;
  WalkResult rings = module.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    any |= op->hasAttr(kParallelAttrName) ||
           (name.starts_with("ttir.") &&
            name.contains("scaled_dot_product_attention"));
    return isa_and_nonnull<RingDialect>(op->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (any && !rings.wasInterrupted())
    emitRemark(module.getLoc())
        << pass
        << ": nothing to plan: expects ring.attention, which ring-raise makes "
           "of attentions whose sequence names a mesh axis, but got none";
}

bool hasSurroundings(WholeAttentionOpInterface op) {
  auto attend = cast<AttendOpInterface>(op.getOperation());
  for (Value operand : {attend.getQuery(), attend.getKey(), attend.getValue()})
    if (!isa<BlockArgument>(operand))
      return true;
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return !user->hasTrait<OpTrait::IsTerminator>();
  });
}

namespace {

/// Sizes written as 8x4; empty when they are none. `least` is the smallest.
SmallVector<int64_t> parseSizes(StringRef text, int64_t least) {
  SmallVector<int64_t> sizes;
  for (StringRef piece : llvm::split(text, 'x')) {
    int64_t size = 0;
    if (piece.getAsInteger(10, size) || size < least)
      return {};
    sizes.push_back(size);
  }
  return sizes;
}

std::string describeWrongMesh(StringRef text) {
  return ("expects mesh-shape to be like 8x4, but got '" + text + "'").str();
}

/// Reads options and remembers the first that makes no sense.
class OptionReader {
public:
  /// An option that names an enumerant, or leaves it open. `more` are names
  /// that the option knows besides.
  template <typename Enum>
  void read(std::optional<Enum> &value, StringRef option, StringRef text,
            std::optional<Enum> (*symbolize)(StringRef), unsigned last,
            ArrayRef<StringRef> more = {}) {
    if (text == "auto")
      return;
    value = symbolize(text);
    if (value)
      return;
    std::vector<std::string> known = {"auto"};
    for (unsigned number = 0; number <= last; ++number)
      known.push_back(stringifyEnum(static_cast<Enum>(number)).str());
    known.insert(known.end(), more.begin(), more.end());
    fail("expects " + option + " to be " + llvm::join(known, ", ") +
         ", but got '" + text + "'" + ::ring::didYouMean(text.str(), known));
  }

  /// An option that is two numbers.
  void readPair(SmallVector<int64_t, 2> &value, StringRef option,
                StringRef text, int64_t least) {
    if (text.empty())
      return;
    SmallVector<int64_t> sizes = parseSizes(text, least);
    if (sizes.size() != 2)
      fail("expects " + option + " to be like 8x7, but got '" + text + "'");
    else
      value.assign(sizes.begin(), sizes.end());
  }

  void fail(const Twine &message) {
    if (problem.empty())
      problem = message.str();
  }

  /// Empty if all is well.
  std::string problem;
};

/// Larger tensors than this are a typing error, and the bound keeps counts of
/// elements and bytes within an int64_t.
constexpr int64_t kMostElements = int64_t{1} << 48;

LogicalResult checkSizes(WholeAttentionOpInterface op) {
  for (Type type : op->getOperandTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    int64_t left = kMostElements;
    for (int64_t size : tensor.getShape())
      left /= std::max<int64_t>(size, 1);
    if (left == 0)
      return emitAttentionError(
                 op, "cannot be planned: expects tensors of at most ")
             << kMostElements << " elements, but got " << tensor;
  }
  return success();
}

/// All that a plan depends on, besides the options.
std::string keyOf(const AttentionTraits &traits, const PlanPlace &place) {
  std::string key;
  llvm::raw_string_ostream out(key);
  auto optional = [&](std::optional<int64_t> value) {
    value ? (void)(out << *value << ' ') : (void)(out << "- ");
  };
  for (int64_t value :
       {traits.batch, traits.heads, traits.kvHeads, traits.queries, traits.keys,
        traits.dim, traits.valueDim, traits.joint, traits.realJoint,
        traits.pageRows, traits.pageBlocks, traits.cacheBlock,
        traits.lateDocuments, traits.maskBatch, traits.maskHeads,
        traits.maskRows, traits.wholeResults})
    out << value << ' ';
  for (bool value :
       {traits.jointSharded, traits.mask, traits.maskEverywhere, traits.sink,
        traits.pages, traits.start, traits.startOfEach, traits.length,
        traits.lse, traits.perDevice, traits.backward, traits.valuesInKeys,
        traits.gradientsInKeys, place.headsFree, place.fromHost})
    out << value;
  out << ' ';
  optional(traits.band.before);
  optional(traits.band.after);
  optional(place.headsAxis);
  optional(place.outer);
  optional(traits.chunkStart);
  optional(traits.realKeys);
  for (Type type : {traits.elementType, traits.otherElementType,
                    traits.sinkElementType, traits.tableElementType})
    out << type << ' ';
  out << place.axis << ' ' << traits.dilation << ' ' << traits.documents;
  return key;
}

} // namespace

FailureOr<PlanPlace> AttentionPlanner::findPlace(WholeAttentionOpInterface op) {
  ParallelAttr parallel = op.getParallelAttr();
  if (!parallel)
    return emitAttentionError(op,
                              "expects a parallel annotation to be planned");
  SmallVector<int64_t> mesh = findMeshShape(op);
  if (!texts.meshShape.empty()) {
    SmallVector<int64_t> asked = parseSizes(texts.meshShape, /*least=*/1);
    if (asked.empty())
      return emitAttentionError(op) << describeWrongMesh(texts.meshShape);
    if (!mesh.empty() && mesh != asked)
      return emitAttentionError(op, "expects mesh-shape to be the file's own "
                                    "mesh, ")
             << machine::shapeText({mesh.begin(), mesh.end()}) << ", but got "
             << texts.meshShape
             << "; ring-run --mesh takes the place of the file's";
    mesh = asked;
  }
  if (mesh.empty())
    return emitAttentionError(op,
                              "expects a mesh: ttcore.meshes on the module, a "
                              "ttcore.device, or the option mesh-shape");
  for (auto [what, axis] :
       {std::pair("sequence", std::optional(parallel.getSequence())),
        std::pair("outer ring", parallel.getOuter()),
        std::pair("heads", parallel.getHeads())})
    if (axis && *axis >= static_cast<int64_t>(mesh.size()))
      return emitAttentionError(op, "expects the axis of the ")
             << what << " to be one of the " << mesh.size()
             << "-D mesh, but got " << *axis;
  PlanPlace place;
  // Neither the IR's meshes nor the option know our bound of their sizes.
  place.axis = AxisAttr::getChecked([&] { return emitAttentionError(op); },
                                    op.getContext(), parallel.getSequence(),
                                    ArrayRef<int64_t>(mesh));
  if (!place.axis)
    return failure();
  place.outer = parallel.getOuter();
  // An attention in a device's own function has that device's heads already.
  if (!op.getPerDevice()) {
    place.headsAxis = parallel.getHeads();
    place.headsFree = !place.headsAxis;
    place.fromHost = !hasSurroundings(op);
  }
  return place;
}

/// Holds what was asked for to a target whose schedules have no device ops.
static void readExplicitForm(PlanRequest &request, const PlanOptionTexts &texts,
                             OptionReader &reader) {
  if (request.form != Form::Fused) {
    request.form = Form::Explicit;
    return;
  }
  std::string asked = "form=fused", other = "form=explicit";
  if (request.deviceOp) {
    asked = "strategy=" + texts.strategy;
    other = "strategy=" + stringifyStrategy(*request.strategy).str();
  }
  reader.fail("expects " + other +
              ", or target=ttir or ttnn with kernels of ttnn, but got " +
              asked + ", which only these have");
}

/// What the options ask for, or what is wrong with them.
static PlanRequest readRequest(const PlanOptionTexts &texts,
                               std::string &problem) {
  PlanRequest request;
  OptionReader reader;
  reader.read<Form>(request.form, "form", texts.form, symbolizeForm,
                    getMaxEnumValForForm());
  // The device ops are known by name; each is one strategy in fused form.
  for (DeviceOp op :
       {DeviceOp::RingJoint, DeviceOp::RingMla, DeviceOp::RingDistributed})
    if (texts.strategy == nameOf(op))
      request.deviceOp = op;
  if (request.deviceOp) {
    request.strategy = *request.deviceOp == DeviceOp::RingDistributed
                           ? Strategy::AllGather
                           : Strategy::Ring;
    request.form = Form::Fused;
  } else {
    reader.read<Strategy>(request.strategy, "strategy", texts.strategy,
                          symbolizeStrategy, getMaxEnumValForStrategy(),
                          {nameOf(DeviceOp::RingJoint),
                           nameOf(DeviceOp::RingMla),
                           nameOf(DeviceOp::RingDistributed)});
    // A strategy is asked for by its explicit name.
    if (request.strategy && !request.form)
      request.form = Form::Explicit;
  }
  // Queries that are dealt anew start from shards in order.
  bool balanced = texts.layout == "balanced";
  reader.read<LayoutKind>(
      request.layout, "layout", balanced ? "contiguous" : texts.layout,
      symbolizeLayoutKind, getMaxEnumValForLayoutKind(), {"balanced"});
  if (request.layout)
    request.balanced = balanced;
  reader.read<Directions>(request.directions, "directions", texts.directions,
                          symbolizeDirections, getMaxEnumValForDirections());
  reader.read<PartMerge>(request.merge, "merge", texts.merge,
                         symbolizePartMerge, getMaxEnumValForPartMerge());
  reader.read<Topology>(request.topology, "topology", texts.topology,
                        symbolizeTopology, getMaxEnumValForTopology());
  std::optional<MathFidelity> fidelity;
  reader.read<MathFidelity>(fidelity, "fidelity", texts.fidelity,
                            symbolizeMathFidelity,
                            getMaxEnumValForMathFidelity());
  reader.readPair(request.kernel.grid, "grid", texts.grid, /*least=*/1);
  reader.readPair(request.kernel.cclOffset, "ccl-offset", texts.cclOffset,
                  /*least=*/0);
  if (!texts.deviceMemory.empty()) {
    request.deviceMemory = machine::parseBytes(texts.deviceMemory).value_or(0);
    if (request.deviceMemory == 0)
      reader.fail("expects device-memory to be like 12GiB, but got '" +
                  texts.deviceMemory + "'");
  }
  if (texts.target == "ttir")
    request.program.ops = ProgramOps::TTIR;
  else if (texts.target == "ttnn")
    request.program.ops = ProgramOps::TTNN;
  else if (texts.target == "ring")
    readExplicitForm(request, texts, reader);
  else if (texts.target != "auto")
    reader.fail("expects target to be auto, ring, ttir or ttnn, but got '" +
                texts.target + "'");
  if (texts.sdpaFwMask != "ones" && texts.sdpaFwMask != "none")
    reader.fail("expects sdpa-fw-mask to be ones or none, but got '" +
                texts.sdpaFwMask + "'");
  request.program.blocks.onesMask = texts.sdpaFwMask != "none";
  problem = reader.problem;
  request.kernel.queryChunk = texts.qChunk;
  request.kernel.keyChunk = texts.kChunk;
  request.expApprox = texts.expApprox;
  request.fidelity = fidelity.value_or(MathFidelity::HiFi2);
  request.fp32Accumulation = texts.fp32Accumulation;
  request.settingsAsked =
      texts.qChunk != 0 || texts.kChunk != 0 || texts.expApprox || fidelity ||
      texts.fp32Accumulation || !texts.grid.empty() || !texts.cclOffset.empty();
  if (texts.numLinks != -1)
    request.links = texts.numLinks;
  if (texts.headRanks != 0)
    request.headRanks = texts.headRanks;
  if (texts.innerRanks != 0)
    request.innerRanks = texts.innerRanks;
  return request;
}

std::string problemOf(const PlanOptionTexts &texts) {
  std::string problem;
  readRequest(texts, problem);
  if (problem.empty() && !texts.meshShape.empty() &&
      parseSizes(texts.meshShape, /*least=*/1).empty())
    problem = describeWrongMesh(texts.meshShape);
  if (problem.empty() && !texts.machineName.empty())
    problem = machine::loadMachine(texts.machineName).error;
  return problem;
}

/// What was asked for is verified once, by the attributes themselves.
static LogicalResult verify(WholeAttentionOpInterface op,
                            const PlanPlace &place,
                            const PlanRequest &request) {
  MLIRContext *context = op.getContext();
  auto emitError = [&] {
    return emitAttentionError(op, "cannot be planned: ");
  };
  auto positive = [](int64_t value) {
    return value != 0 ? std::optional(value) : std::nullopt;
  };
  ComputeAttr compute;
  if (request.settingsAsked) {
    compute = ComputeAttr::getChecked(
        emitError, context, positive(request.kernel.queryChunk),
        positive(request.kernel.keyChunk), request.expApprox, request.fidelity,
        request.fp32Accumulation, ArrayRef<int64_t>(request.kernel.grid),
        ArrayRef<int64_t>(request.kernel.cclOffset));
    if (!compute)
      return failure();
  }
  bool usp = request.strategy == Strategy::Usp;
  bool twoLevels = request.strategy == Strategy::DoubleRing;
  // Asked for beside another strategy they would be ignored.
  for (auto [what, ranks, owner] :
       {std::tuple("head ranks", request.headRanks, Strategy::Usp),
        std::tuple("ranks of the inner ring", request.innerRanks,
                   Strategy::DoubleRing)}) {
    if (!ranks)
      continue;
    if (request.strategy && request.strategy != owner)
      return emitError() << "expects strategy " << stringifyStrategy(owner)
                         << " or auto with " << what << ", but got "
                         << stringifyStrategy(*request.strategy);
    if (*ranks <= 0 || place.axis.getRanks() % *ranks != 0)
      return emitError() << "expects the " << what << " to divide "
                         << place.axis.getRanks() << ", but got " << *ranks;
  }
  if (request.merge && request.strategy &&
      request.strategy != Strategy::SplitKV)
    return emitError() << "expects strategy split_kv or auto with merge "
                       << stringifyPartMerge(*request.merge) << ", but got "
                       << stringifyStrategy(*request.strategy);
  if (request.innerRanks && place.outer)
    return emitError() << "expects no inner ranks where the sequence is on two "
                          "mesh axes, but got "
                       << *request.innerRanks;
  // On one axis any split will do to verify the rest.
  std::optional<int64_t> innerRanks;
  if (twoLevels && !place.outer)
    innerRanks = request.innerRanks.value_or(1);
  Strategy strategy = request.strategy.value_or(
      request.merge ? Strategy::SplitKV : Strategy::Ring);
  PlanAttr asked = PlanAttr::getChecked(
      emitError, context, strategy, place.axis, place.headsAxis,
      request.layout.value_or(LayoutKind::Contiguous), Directions::Forward,
      Form::Explicit, Topology::Ring, usp ? request.headRanks : std::nullopt,
      innerRanks, twoLevels ? place.outer : std::nullopt,
      request.links.value_or(1), compute, request.balanced.value_or(false),
      request.merge);
  return success(static_cast<bool>(asked));
}

FailureOr<const PlannedAttention *>
AttentionPlanner::plan(WholeAttentionOpInterface op) {
  FailureOr<PlanPlace> place = findPlace(op);
  if (failed(place))
    return failure();
  if (failed(checkSizes(op)))
    return failure();
  AttentionTraits traits = AttentionTraits::of(op);
  std::string key = keyOf(traits, *place);
  if (auto found = known.find(key); found != known.end()) {
    ++planned[found->second].count;
    return &planned[found->second];
  }

  std::string problem;
  PlanRequest asked = request ? *request : readRequest(texts, problem);
  if (!problem.empty())
    return emitAttentionError(op, "cannot be planned: ") << problem;
  if (failed(verify(op, *place, asked)))
    return failure();
  PlannerMachine machine =
      findPlannerMachine(texts.machineName, place->axis.getMesh());
  if (!machine.error.empty())
    return emitAttentionError(op, "cannot be planned: ") << machine.error;
  const machine::Chip &chip = machine.spec.chip;
  ArrayRef<int64_t> grid = asked.kernel.grid;
  if (!grid.empty() && !machine.isProcessor() &&
      (grid[0] > chip.gridColumns || grid[1] > chip.gridRows))
    return emitAttentionError(op, "cannot be planned: expects a grid within ")
           << chip.gridColumns << "x" << chip.gridRows << ", but got "
           << grid[0] << "x" << grid[1];
  ArrayRef<int64_t> offset = asked.kernel.cclOffset;
  if (!offset.empty() && !machine.isProcessor() &&
      (offset[0] >= chip.gridColumns || offset[1] >= chip.gridRows))
    return emitAttentionError(op,
                              "cannot be planned: expects a ccl-offset within ")
           << chip.gridColumns << "x" << chip.gridRows << ", but got "
           << offset[0] << "x" << offset[1];
  const machine::Axis &wires = machine.axes[place->axis.getIndex()];
  // Links of chips that no machine has are a guess.
  if (asked.links && !machine.isMadeUp && !machine.isProcessor() &&
      place->axis.getRanks() > 1 && *asked.links > wires.inside.count)
    return emitAttentionError(
               op, "cannot be planned: expects num-links of at most ")
           << wires.inside.count << ", which " << machine.spec.name
           << " has to a neighbour, but got " << *asked.links;
  PlanSearchResult result = searchPlans(traits, *place, asked, machine);
  known[key] = planned.size();
  planned.push_back({traits, *place, asked, machine, std::move(result), 1});
  return &planned.back();
}

PlannedAttention *AttentionPlanner::find(WholeAttentionOpInterface op) {
  FailureOr<PlanPlace> place = findPlace(op);
  if (failed(place))
    return nullptr;
  auto found = known.find(keyOf(AttentionTraits::of(op), *place));
  return found == known.end() ? nullptr : &planned[found->second];
}

std::vector<PlanCandidate>
AttentionPlanner::candidatesIn(WholeAttentionOpInterface op,
                               LayoutKind layout) {
  const PlannedAttention *one = find(op);
  if (!one || one->request.layout)
    return {};
  auto [entry, isNew] = more.try_emplace({one - planned.data(), layout});
  if (isNew) {
    PlanRequest request = one->request;
    request.layout = layout;
    request.balanced = false;
    entry->second =
        searchPlans(one->traits, one->place, request, one->machine).ranked;
  }
  return entry->second;
}

std::vector<PlanCandidate>
AttentionPlanner::candidatesOfAll(WholeAttentionOpInterface op) {
  const PlannedAttention *one = find(op);
  if (!one)
    return {};
  PlanRequest request = one->request;
  request.strategy = std::nullopt;
  request.layout = std::nullopt;
  request.balanced = std::nullopt;
  request.headRanks = request.innerRanks = std::nullopt;
  request.merge = std::nullopt;
  if (request.deviceOp)
    request.form = std::nullopt;
  request.deviceOp = std::nullopt;
  return searchPlans(one->traits, one->place, request, one->machine).ranked;
}

void AttentionPlanner::choose(WholeAttentionOpInterface op,
                              const PlanCandidate &candidate) {
  if (PlannedAttention *one = find(op))
    one->result.putFirst(candidate);
}

LogicalResult AttentionPlanner::verifyPlan(WholeAttentionOpInterface op) {
  PlanAttr plan = op.getPlanAttr();
  // An explicit plan is held to its rules where it is written out.
  if (plan.getForm() != Form::Fused)
    return success();
  PlannerMachine machine =
      findPlannerMachine(texts.machineName, plan.getAxis().getMesh());
  if (!machine.error.empty())
    return emitAttentionError(op, "cannot be planned: ") << machine.error;
  if (auto refusal = refuseFusedPlan(AttentionTraits::of(op), plan, machine))
    return emitAttentionError(op, "cannot use strategy ")
           << stringifyStrategy(plan.getStrategy()) << " (fused): " << *refusal;
  return success();
}

} // namespace mlir::ring
