// SPDX-License-Identifier: Apache-2.0
// Reads a program of TTIR or TTNN op by op, by the names that both share:
// attention by the flash loop, products by their tiles, transfers over the
// links, and the rest by its bytes, as the simulator times the same ops.

#include "TargetTimeline.h"
#include "BlockCalls.h"
#include "LiveBytes.h"
#include "ring/Dialect/Ring/IR/TensorSize.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ring {
namespace {

namespace ttcore = mlir::tt::ttcore;
using machine::MeshTransfer;

double real(int64_t value) { return static_cast<double>(value); }

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

class TargetReader {
public:
  TargetReader(const PlannerMachine &machine, machine::Timeline &timeline)
      : machine(machine), timeline(timeline), calls(timeline) {}

  void read(Operation *op) {
    using Reading = void (TargetReader::*)(Operation *);
    static const llvm::StringMap<Reading> readings = {
        {"scaled_dot_product_attention", &TargetReader::attend},
        {"sdpa_fw", &TargetReader::attend},
        {"sdpa_bw", &TargetReader::attend},
        {"matmul", &TargetReader::multiply},
        {"all_gather", &TargetReader::gather},
        {"all_to_all", &TargetReader::trade},
        {"collective_permute", &TargetReader::permute},
        {"point_to_point", &TargetReader::send},
        // A host's tensors come and go apart from the time of the program.
        {"mesh_shard", &TargetReader::ignore},
        {"distribute_tensor", &TargetReader::ignore},
        {"aggregate_tensor", &TargetReader::ignore},
        {"to_device", &TargetReader::ignore},
        {"from_device", &TargetReader::ignore}};
    auto found = readings.find(op->getName().stripDialect());
    (this->*(found == readings.end() ? &TargetReader::move : found->second))(
        op);
  }

private:
  void ignore(Operation *) {}

  //===--------------------------------------------------------------------===//
  // Compute
  //===--------------------------------------------------------------------===//

  static bool isCausal(Operation *op) {
    if (auto kind =
            op->getAttrOfType<ttcore::AttentionMaskTypeAttr>("mask_type"))
      return kind.getValue() == ttcore::AttentionMaskType::Causal;
    auto causal = op->getAttrOfType<BoolAttr>("is_causal");
    return !causal || causal.getValue();
  }

  void attend(Operation *op) {
    bool backward = op->getName().stripDialect() == "sdpa_bw";
    // Behind the gradient of the output and the output.
    unsigned first = backward ? 2 : 0;
    RankedTensorType query = typeOf(op->getOperand(first));
    RankedTensorType key = typeOf(op->getOperand(first + 1));
    machine::TimelineBlock block;
    machine::AttentionCall &call = block.call;
    call.batch = query.getDimSize(0);
    call.heads = query.getDimSize(1);
    call.keyHeads = key.getDimSize(1);
    call.queries = query.getDimSize(2);
    call.keys = key.getDimSize(2);
    call.keyDim = query.getDimSize(3);
    call.valueDim = typeOf(op->getOperand(first + 2)).getDimSize(3);
    call.mask = !backward && op->getNumOperands() > 3;
    setFormat(call, key.getElementType());
    // Five products of gradients for two of the forward pass.
    if (backward)
      block.passes = real(3 * call.keyDim + 2 * call.valueDim) /
                     real(call.keyDim + call.valueDim);
    Band band = isCausal(op) ? Band::causal() : Band{};
    int32_t number = calls.number(block, PositionRange{0, call.queries},
                                  PositionRange{0, call.keys}, band,
                                  /*limit=*/std::nullopt);
    timeline.compute(std::vector<int32_t>{number});
  }

  void multiply(Operation *op) {
    RankedTensorType lhs = typeOf(op->getOperand(0)),
                     result = typeOf(op->getResult(0));
    auto transposed = op->getAttrOfType<BoolAttr>("transpose_a");
    int64_t fromLast = transposed && transposed.getValue() ? 2 : 1;
    int64_t rows = result.getDimSize(result.getRank() - 2);
    int64_t columns = result.getDimSize(result.getRank() - 1);
    auto fidelity = lhs.getElementType().isF32() ? machine::Fidelity::HiFi4
                                                 : machine::Fidelity::HiFi2;
    timeline.compute(
        machine::productTime(machine.spec,
                             result.getNumElements() / (rows * columns), rows,
                             lhs.getDimSize(lhs.getRank() - fromLast), columns,
                             bytesTouched(op), fidelity)
            .seconds);
  }

  static double bytesTouched(Operation *op) {
    double bytes = 0;
    for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
      bytes += bytesOf(value);
    return bytes;
  }

  /// A constant is there when the program starts.
  void move(Operation *op) {
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    if (llvm::any_of(op->getOperandTypes(), isTensor) &&
        llvm::any_of(op->getResultTypes(), isTensor))
      timeline.compute(
          machine::moveTime(machine.spec, bytesTouched(op)).seconds);
  }

  //===--------------------------------------------------------------------===//
  // Transfers
  //===--------------------------------------------------------------------===//

  /// A transfer along all of an axis.
  MeshTransfer along(size_t axis, Operation *op) const {
    Value payload = op->getOperand(0);
    MeshTransfer transfer;
    transfer.axis = axis;
    transfer.ranks = machine.mesh[axis];
    transfer.options.packet =
        machine::packetBytes(tileBytesOf(typeOf(payload).getElementType()));
    transfer.parts = {{1, bytesOf(payload)}};
    return transfer;
  }

  /// Nothing goes on before it is there.
  void exchange(MeshTransfer transfer) {
    timeline.wait(timeline.start(std::move(transfer)));
  }

  void gather(Operation *op) {
    auto axis = op->getAttrOfType<IntegerAttr>("cluster_axis");
    MeshTransfer transfer = along(axis.getValue().getZExtValue(), op);
    transfer.carriage = machine::Carriage::AllGather;
    exchange(std::move(transfer));
  }

  void trade(Operation *op) {
    Attribute groups = op->getAttr("replica_groups");
    SmallVector<int64_t> devices = numbersOf(groups);
    int64_t size =
        cast<DenseIntElementsAttr>(groups).getType().getShape().back();
    if (size == 1)
      return;
    Hop hop = hopBetween(devices[0], devices[1]);
    MeshTransfer transfer = along(hop.axis, op);
    transfer.carriage = machine::Carriage::AllToAll;
    transfer.ranks = size;
    transfer.stride = hop.by;
    transfer.parts.front().bytes /= real(size);
    exchange(std::move(transfer));
  }

  void permute(Operation *op) {
    SmallVector<int64_t> numbers =
        numbersOf(op->getAttr("source_target_pairs"));
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (size_t i = 0; i < numbers.size(); i += 2)
      pairs.push_back({numbers[i], numbers[i + 1]});
    sendAlong(op, pairs);
  }

  void send(Operation *op) {
    auto device = [&](StringRef name) {
      int64_t number = 0;
      for (auto [axis, place] : llvm::enumerate(
               op->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef()))
        number += place * strideOf(axis);
      return number;
    };
    sendAlong(op, {{device("sender_coord"), device("receiver_coord")}});
  }

  /// What goes from one device to another is the same on all rows of the mesh
  /// along the axis: the first one tells. On a ring of 4 a shift by 1 brings
  /// the ranks 0 to 3 what 3, 0, 1 and 2 have.
  void sendAlong(Operation *op, ArrayRef<std::pair<int64_t, int64_t>> pairs) {
    std::optional<size_t> axis;
    for (auto [source, target] : pairs)
      if (source != target && !axis)
        axis = hopBetween(source, target).axis;
    if (!axis)
      return;
    MeshTransfer transfer = along(*axis, op);
    int64_t stride = strideOf(*axis), ranks = transfer.ranks;
    double bytes = transfer.parts.front().bytes;
    std::vector<std::vector<MeshTransfer::Part>> byMember(ranks);
    bool any = false;
    for (auto [source, target] : pairs) {
      bool inFirstRow = target % stride == 0 && target / stride < ranks;
      if (!inFirstRow || source == target)
        continue;
      int64_t by = (source - target) / stride;
      byMember[target / stride] = {{(by + ranks) % ranks, bytes}};
      any = true;
    }
    if (!any)
      return;
    bool alike = llvm::all_of(byMember, [&](const auto &parts) {
      return !parts.empty() && !byMember.front().empty() &&
             parts.front().source == byMember.front().front().source;
    });
    if (alike) {
      transfer.parts = byMember.front();
    } else {
      int64_t devices = strideOf(0) * machine.mesh.front();
      for (int64_t device = 0; device < devices; ++device)
        transfer.byDevice.push_back(byMember[device / stride % ranks]);
    }
    exchange(std::move(transfer));
  }

  static SmallVector<int64_t> numbersOf(Attribute attribute) {
    SmallVector<int64_t> numbers;
    for (const APInt &number :
         cast<DenseIntElementsAttr>(attribute).getValues<APInt>())
      numbers.push_back(number.getSExtValue());
    return numbers;
  }

  /// The distance of two devices' numbers along an axis of the mesh.
  int64_t strideOf(size_t axis) const {
    int64_t stride = 1;
    for (size_t i = axis + 1; i < machine.mesh.size(); ++i)
      stride *= machine.mesh[i];
    return stride;
  }

  /// The axis along which two devices lie, and how far they are apart.
  struct Hop {
    size_t axis = 0;
    int64_t by = 0;
  };
  Hop hopBetween(int64_t from, int64_t to) const {
    for (size_t axis = 0; axis < machine.mesh.size(); ++axis) {
      int64_t stride = strideOf(axis);
      int64_t by = to / stride - from / stride;
      if (by != 0)
        return {axis, std::abs(by)};
    }
    return {};
  }

  const PlannerMachine &machine;
  machine::Timeline &timeline;
  BlockCalls calls;
};

} // namespace

void addTargetProgram(Block &program, const PlannerMachine &machine,
                      machine::Timeline &timeline) {
  TargetReader reader(machine, timeline);
  for (Operation &op : program)
    reader.read(&op);
}

} // namespace mlir::ring
