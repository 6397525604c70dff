// SPDX-License-Identifier: Apache-2.0
// ring-outline-launches: launches become composites whose decomposition is one
// ttnn.generic, so that tt-mlir carries our kernels within a model.

#include "CoreRanges.h"
#include "GenericProgram.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "ring/Conversion/Launch/Passes.h"
#include "ring/Support/EmptyRows.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "ttmlir/Dialect/TTNN/IR/TTNN.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"
#include "llvm/ADT/DenseSet.h"

#include <cmath>

namespace mlir::ring {

#define GEN_PASS_DEF_RINGOUTLINELAUNCHES
#include "ring/Conversion/Launch/Passes.h.inc"

namespace {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;
namespace ttnn = mlir::tt::ttnn;

constexpr int64_t kTile = 32;
constexpr int64_t kRows = 2, kColumns = 3;

int64_t wholeTiles(int64_t size) { return llvm::alignTo(size, kTile); }

using TakenTypes = llvm::SmallDenseSet<Type>;

/// What is taken in a module by things that tt-mlir merges if they look alike.
struct TakenNames {
  /// Empty tensors that are read after a launch.
  TakenTypes results;
  unsigned semaphores = 0;
};

/// The body of one decomposition.
class Decomposition {
public:
  Decomposition(LaunchOp launch, const LaunchProgram &program,
                func::FuncOp function, TakenNames &names)
      : launch(launch), program(program), function(function),
        builder(OpBuilder::atBlockBegin(function.addEntryBlock())),
        tensors(builder, launch.getLoc()), names(names) {}

  LogicalResult write(int64_t numLinks);

private:
  const rt::AttentionSizes &sizes() const { return program.description.sizes; }
  Value argument(int32_t number) { return function.getArgument(number); }

  /// Filled up to whole tiles with zeros: what lies in the rest of a tile is
  /// not said anywhere, and must not be read.
  Value inTiles(Value tensor) {
    for (int64_t dim : {kRows, kColumns})
      tensor = tensors.padTo(
          tensor, dim, wholeTiles(TTIRBuilder::typeOf(tensor).getDimSize(dim)));
    return tensor;
  }
  Value empty(ArrayRef<int64_t> shape, Type element) {
    return ttir::EmptyOp::create(builder, launch.getLoc(),
                                 RankedTensorType::get(shape, element));
  }

  /// Tiles that only the kernels use, in two dimensions and so never of a
  /// result's type. Launches may share them: kernels end with nothing in them.
  Value scratch(int64_t rows, int64_t columns, Type element);
  /// A result, which nothing else may share.
  Value resultBuffer(RankedTensorType type);
  /// What a launch gives of the buffer of a result.
  Value contentOf(Value buffer, RankedTensorType type);
  Value sinkTiles();
  Value logSumsOf(Value buffer, RankedTensorType type);
  Value device();
  /// The launch's own semaphores. Making one waits until it is set on every
  /// device, behind all that ran there before. So no device is still in an op
  /// whose memory a neighbour's transfers land in now, if nothing runs between
  /// this and the launch.
  SmallVector<Value> semaphores(Value device);
  Value givenRows(uint32_t store, bool values);
  Value landingRows(uint32_t store, bool values);

  LaunchOp launch;
  const LaunchProgram &program;
  func::FuncOp function;
  OpBuilder builder;
  TTIRBuilder tensors;
  TakenNames &names;
  TakenTypes scratches;
};

Value Decomposition::scratch(int64_t rows, int64_t columns, Type element) {
  while (
      !scratches.insert(RankedTensorType::get({rows, columns}, element)).second)
    rows += kTile;
  return empty({rows, columns}, element);
}

Value Decomposition::resultBuffer(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape[kRows] = wholeTiles(shape[kRows]);
  if (shape[kColumns] != 1)
    shape[kColumns] = wholeTiles(shape[kColumns]);
  auto own = RankedTensorType::get(shape, type.getElementType());
  if (!names.results.insert(own).second) {
    int64_t rows = shape[0] * shape[1] * shape[kRows];
    do {
      rows += kTile;
      own = RankedTensorType::get({1, 1, rows, shape[kColumns]},
                                  type.getElementType());
    } while (!names.results.insert(own).second);
  }
  return empty(own.getShape(), own.getElementType());
}

Value Decomposition::contentOf(Value buffer, RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape[kRows] = wholeTiles(shape[kRows]);
  RankedTensorType from = TTIRBuilder::typeOf(buffer);
  shape[kColumns] = from.getDimSize(kColumns);
  if (from.getShape() != ArrayRef<int64_t>(shape)) {
    buffer =
        tensors.slice(buffer, kRows, 0, shape[0] * shape[1] * shape[kRows]);
    buffer = tensors.reshape(buffer, shape);
  }
  for (int64_t dim : {kRows, kColumns})
    buffer = tensors.slice(buffer, dim, 0, type.getDimSize(dim));
  return buffer;
}

/// Two tiles for each head, of which the first column counts: a reference that
/// the device holds exactly, and the weight of the sink relative to it.
Value Decomposition::sinkTiles() {
  Value sink = tensors.typecast(argument(program.description.sink),
                                builder.getF32Type());
  ArrayRef<int64_t> shape = TTIRBuilder::typeOf(sink).getShape();
  float scale = program.description.options.scale;
  auto number = [&](float value) {
    return tensors.full(shape, builder.getF32Type(), value);
  };
  Value reference = tensors.typecast(
      tensors.typecast(tensors.multiply(sink, number(1 / scale)),
                       builder.getBF16Type()),
      builder.getF32Type());
  Value weight = tensors.exp(
      tensors.subtract(sink, tensors.multiply(reference, number(scale))));
  SmallVector<int64_t> tile(shape);
  tile[0] = sizes().batch;
  tile[kRows] = kTile;
  return tensors.concat(
      {tensors.broadcast(reference, tile), tensors.broadcast(weight, tile)},
      kRows);
}

/// The kernels leave -2^66 times the scale for rows without keys.
Value Decomposition::logSumsOf(Value buffer, RankedTensorType type) {
  Value sums = contentOf(buffer, type);
  if (launch.getResult(1).use_empty())
    return sums;
  float lowest = -0x1p65f * std::fabs(program.description.options.scale);
  Type f32 = builder.getF32Type();
  Value isEmpty =
      tensors.lessThan(sums, tensors.full(type.getShape(), f32, lowest));
  Value emptyLse = tensors.full(type.getShape(), f32, kEmptyLse);
  return tensors.where(isEmpty, emptyLse, sums);
}

/// The cores of the semaphore with this number of a module: the mover's, and
/// those of the grid that the bits of the number name. tt-mlir merges
/// semaphores of the same cores.
static std::vector<rt::DeviceCore> semaphoreCores(rt::DeviceCore mover,
                                                  unsigned number) {
  std::vector<rt::DeviceCore> cores = {mover};
  rt::DeviceCore next;
  for (; number; number >>= 1) {
    if (next == mover)
      ++next.x;
    if (number & 1)
      cores.push_back(next);
    ++next.x;
    // Every chip has as many columns.
    next = {next.x % 8, next.y + next.x / 8};
  }
  return cores;
}

Value Decomposition::device() {
  MLIRContext *context = launch.getContext();
  return ttnn::GetDeviceOp::create(
      builder, launch.getLoc(), ttnn::DeviceType::get(context),
      ttnn::MeshShapeAttr::get(context, program.mesh[0], program.mesh[1]),
      ttnn::MeshOffsetAttr::get(context, 0, 0));
}

SmallVector<Value> Decomposition::semaphores(Value device) {
  MLIRContext *context = launch.getContext();
  SmallVector<Value> made;
  rt::DeviceCore mover;
  for (const rt::DeviceKernel &kernel : program.devices.devices[0].kernels)
    for (const rt::KernelOnCore &share : kernel.cores)
      if (!share.connections.empty())
        mover = share.core;
  auto coordinate = [&](rt::DeviceCore core) {
    return ttnn::CoreCoordAttr::get(context, core.x, core.y);
  };
  for (size_t i = 0; i < program.devices.globalSemaphores.size(); ++i) {
    SmallVector<ttnn::CoreRangeAttr> ranges;
    for (const CoreRectangle &range :
         rectanglesOf(semaphoreCores(mover, names.semaphores++)))
      ranges.push_back(ttnn::CoreRangeAttr::get(
          context, coordinate(range.first), coordinate(range.last)));
    Type ui32 = builder.getIntegerType(32, /*isSigned=*/false);
    made.push_back(ttnn::CreateGlobalSemaphoreOp::create(
        builder, launch.getLoc(), ttnn::GlobalSemaphoreType::get(context),
        device, builder.getIntegerAttr(ui32, 0),
        ttnn::CoreRangeSetAttr::get(context, ranges)));
  }
  return made;
}

Value Decomposition::givenRows(uint32_t store, bool values) {
  const rt::StoreValues &given = program.description.stores[store];
  if (given.keys == rt::kAbsent)
    return Value();
  return inTiles(argument(values ? given.values : given.keys));
}

Value Decomposition::landingRows(uint32_t store, bool values) {
  int64_t rows = int64_t{sizes().batch} * sizes().keyHeads *
                 program.description.schedule.storeRows[store] * kTile;
  return scratch(rows, wholeTiles(values ? sizes().valueDim : sizes().headDim),
                 builder.getBF16Type());
}

LogicalResult Decomposition::write(int64_t numLinks) {
  const rt::AttentionProgram &attention = program.attention;
  const std::vector<rt::DeviceBuffer> &buffers = program.devices.buffers;
  RankedTensorType types[2];
  for (unsigned i : {0u, 1u})
    types[i] = cast<RankedTensorType>(launch->getResultTypes()[i]);

  // First of all: tt-mlir lowers empty tensors to ops that take the first
  // device of the function.
  Value mesh = program.moves() ? device() : Value();
  SmallVector<Value> made(buffers.size());
  made[attention.queries] = inTiles(argument(program.description.queries));
  for (uint32_t store = 0; store < attention.keys.size(); ++store) {
    made[attention.keys[store]] = givenRows(store, /*values=*/false);
    made[attention.values[store]] = givenRows(store, /*values=*/true);
  }
  if (program.description.options.sink)
    made[attention.sinks] = sinkTiles();

  SmallVector<Value> counters;
  if (program.moves())
    counters = semaphores(mesh);
  for (uint32_t store = 0; store < attention.keys.size(); ++store) {
    if (made[attention.keys[store]])
      continue;
    made[attention.keys[store]] = landingRows(store, /*values=*/false);
    made[attention.values[store]] = landingRows(store, /*values=*/true);
  }
  made[attention.outputs] = resultBuffer(types[0]);
  made[attention.logSums] = resultBuffer(types[1]);
  // States, where they do not stay in L1.
  for (auto [number, buffer] : llvm::enumerate(buffers))
    if (!made[number])
      made[number] = scratch(buffer.pages * kTile, kTile, builder.getF32Type());

  // The last operand is what tt-mlir's runtime takes for the result.
  SmallVector<Value> operands;
  SmallVector<unsigned> tensorOf(buffers.size());
  for (unsigned number = 0; number < buffers.size(); ++number)
    if (number != attention.outputs) {
      tensorOf[number] = operands.size();
      operands.push_back(made[number]);
    }
  tensorOf[attention.outputs] = operands.size();
  operands.push_back(made[attention.outputs]);

  FailureOr<Attribute> attribute =
      genericProgram(launch, program, tensorOf, numLinks);
  if (failed(attribute))
    return failure();
  ttnn::GenericOp::create(builder, launch.getLoc(), operands, counters,
                          *attribute);
  func::ReturnOp::create(
      builder, launch.getLoc(),
      ValueRange{contentOf(made[attention.outputs], types[0]),
                 logSumsOf(made[attention.logSums], types[1])});
  return success();
}

class RingOutlineLaunchesPass
    : public impl::RingOutlineLaunchesBase<RingOutlineLaunchesPass> {
public:
  using RingOutlineLaunchesBase::RingOutlineLaunchesBase;

  void runOnOperation() override {
    SmallVector<LaunchOp> launches;
    TakenNames names;
    getOperation().walk([&](Operation *op) {
      if (auto launch = dyn_cast<LaunchOp>(op))
        launches.push_back(launch);
      else if (auto empty = dyn_cast<ttir::EmptyOp>(op))
        names.results.insert(empty.getType());
    });
    for (LaunchOp launch : launches)
      if (failed(outline(launch, names)))
        return signalPassFailure();
  }

private:
  LogicalResult outline(LaunchOp launch, TakenNames &names) {
    if (launch->getNumResults() != 2)
      return launch.emitOpError("expects outputs and log-sum-exps, but got ")
             << launch->getNumResults() << " results";
    // TTNN's tensors have pages of one tile.
    FailureOr<LaunchProgram> program =
        programOf(launch, /*mostPageTiles=*/1, /*scarceSemaphores=*/true);
    if (failed(program))
      return failure();
    auto module = launch->getParentOfType<ModuleOp>();
    OpBuilder builder(launch);
    auto function =
        func::FuncOp::create(builder.getUnknownLoc(), kLaunchComposite,
                             builder.getFunctionType(launch->getOperandTypes(),
                                                     launch->getResultTypes()));
    function.setPrivate();
    SymbolTable(module).insert(function);
    if (failed(
            Decomposition(launch, *program, function, names).write(numLinks)))
      return failure();
    auto composite = ttcore::CompositeOp::create(
        builder, launch.getLoc(), launch->getResultTypes(), launch.getInputs(),
        kLaunchComposite, function.getSymName(), DictionaryAttr());
    launch->replaceAllUsesWith(composite);
    launch.erase();
    return success();
  }
};

} // namespace
} // namespace mlir::ring
