// SPDX-License-Identifier: Apache-2.0
// convert-ring-to-ttmetal: functions of launches as commands of a host.

#include "LaunchProgram.h"
#include "MetalKernels.h"
#include "MetalMemory.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "ring/Conversion/Launch/Passes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTKernel/IR/TTKernel.h"
#include "ttmlir/Dialect/TTMetal/IR/TTMetal.h"
#include "ttmlir/Dialect/TTMetal/IR/TTMetalOps.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <numeric>

namespace mlir::ring {

#define GEN_PASS_DEF_CONVERTRINGTOTTMETAL
#include "ring/Conversion/Launch/Passes.h.inc"

namespace {

namespace ttcore = mlir::tt::ttcore;
namespace ttmetal = mlir::tt::ttmetal;

constexpr int64_t kTile = 32, kTileNumbers = 1024;
constexpr int64_t kRows = 2, kColumns = 3;
constexpr int64_t kSemaphoreBytes = 16;

/// `memref<1x4x8x2048xbf16>` for `tensor<1x4x256x64xbf16>`: rows of tiles. A
/// single column is the first one of a tile.
MemRefType inTiles(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape[kRows] /= kTile;
  shape[kColumns] = llvm::divideCeil(shape[kColumns], kTile) * kTileNumbers;
  return MemRefType::get(shape, type.getElementType());
}

LogicalResult expectWholeTiles(Operation *op, RankedTensorType type) {
  if (type.getRank() == 4 && type.getDimSize(kRows) % kTile == 0 &&
      (type.getDimSize(kColumns) % kTile == 0 ||
       type.getDimSize(kColumns) == 1))
    return success();
  return op->emitOpError("expects rows and columns of whole tiles for ttmetal, "
                         "but got ")
         << type;
}

const char *nameOf(rt::TileFormat format) {
  return format == rt::TileFormat::F32 ? "f32" : "bf16";
}

/// Converts one function.
class FunctionConverter {
public:
  FunctionConverter(func::FuncOp function, SymbolTable &symbols)
      : function(function), symbols(symbols), builder(function.getContext()) {}

  LogicalResult convert();

private:
  MLIRContext *context() { return function.getContext(); }
  Type parse(const std::string &text) { return parseType(text, context()); }

  LogicalResult convertShard(ShardOp shard);
  LogicalResult convertLaunch(LaunchOp launch);
  LogicalResult convertUnshard(UnshardOp unshard);
  LogicalResult expectPlain(Operation *op, ShardingAttr sharding,
                            RankedTensorType whole, RankedTensorType part);

  /// A device's part of a host's tensor, still at the host.
  Type hostShard(MemRefType part);
  /// Between the host's tensor and its parts; `axes` has the axis of the mesh
  /// that splits each dimension.
  Value meshShard(Location loc, Value input, Type result,
                  ArrayRef<int64_t> axes, ArrayRef<int64_t> mesh,
                  ttcore::MeshShardDirection direction);
  /// Rows of `tiles` tiles in DRAM, which go round the banks.
  FailureOr<Value> dramBuffer(Operation *op, int64_t rows, int64_t tiles,
                              rt::TileFormat format);
  FailureOr<Value> tensorBuffer(Operation *op, RankedTensorType type);
  /// A buffer for each of the program's.
  FailureOr<SmallVector<Value>> programBuffers(LaunchOp launch,
                                               const LaunchProgram &program);
  SmallVector<Value> semaphores(LaunchOp launch, const LaunchProgram &program,
                                int64_t address);
  /// Puts the words of all devices and cores into L1.
  LogicalResult writeWords(LaunchOp launch, const LaunchProgram &program,
                           ArrayRef<Value> bufferOf, MetalAddresses &addresses);
  FailureOr<SmallVector<Value>> circularBuffers(LaunchOp launch,
                                                const LaunchProgram &program,
                                                SmallVector<int64_t> &ports);
  Value bufferAt(Location loc, Type type, int64_t address) {
    return ttmetal::CreateBufferOp::create(builder, loc, type,
                                           builder.getI64IntegerAttr(address),
                                           AffineMapAttr(), AffineMapAttr());
  }

  func::FuncOp function;
  SymbolTable &symbols;
  OpBuilder builder;
  MetalMemory memory;
  IRMapping converted;                ///< tensors of the host
  DenseMap<Value, Value> buffers;     ///< shards, by their buffer
  DenseMap<Value, int64_t> addressOf; ///< of buffers
};

LogicalResult FunctionConverter::expectPlain(Operation *op,
                                             ShardingAttr sharding,
                                             RankedTensorType whole,
                                             RankedTensorType part) {
  if (failed(expectWholeTiles(op, whole)) || failed(expectWholeTiles(op, part)))
    return failure();
  LayoutAttr layout =
      sharding.getSequence() ? sharding.getLayout() : LayoutAttr();
  if (sharding.getOuter() || op->hasAttr("replicated") ||
      (layout &&
       (layout.getKind() != LayoutKind::Contiguous ||
        layout.getLength() != whole.getDimSize(*sharding.getSequence()))))
    return op->emitOpError("expects contiguous shards of the host's tensor for "
                           "ttmetal, which neither pads nor orders, but got ")
           << sharding;
  return success();
}

Type FunctionConverter::hostShard(MemRefType part) {
  std::string shape, strides;
  int64_t stride = 1;
  for (int64_t size : llvm::reverse(part.getShape())) {
    strides = std::to_string(stride) + (strides.empty() ? "" : "x") + strides;
    shape = std::to_string(size) + (shape.empty() ? "" : "x") + shape;
    stride *= size;
  }
  std::string element;
  llvm::raw_string_ostream(element) << part.getElementType();
  return parse(llvm::formatv("memref<{0}x{1}, #ttcore.host_layout<"
                             "logical_shape = {0}, host_strides = {2}, "
                             "host_volume = {3}, <\"mesh\">>>",
                             shape, element, strides, stride)
                   .str());
}

Value FunctionConverter::meshShard(Location loc, Value input, Type result,
                                   ArrayRef<int64_t> axes,
                                   ArrayRef<int64_t> mesh,
                                   ttcore::MeshShardDirection direction) {
  SmallVector<int64_t> pieces, dims(mesh.size(), -1);
  for (auto [dim, axis] : llvm::enumerate(axes)) {
    bool split = axis != ShardingAttr::kReplicated;
    pieces.push_back(split ? mesh[axis] : 1);
    if (split)
      dims[axis] = dim;
  }
  bool splits = llvm::any_of(dims, [](int64_t dim) { return dim >= 0; });
  return ttmetal::MeshShardOp::create(builder, loc, result, input,
                                      splits ? ttcore::MeshShardType::Devices
                                             : ttcore::MeshShardType::Replicate,
                                      direction, pieces, dims);
}

FailureOr<Value> FunctionConverter::dramBuffer(Operation *op, int64_t rows,
                                               int64_t tiles,
                                               rt::TileFormat format) {
  int64_t bytes = rt::tileBytes(format);
  FailureOr<int64_t> address = memory.inDram(op, rows, tiles * bytes);
  if (failed(address))
    return failure();
  Value buffer = bufferAt(
      op->getLoc(),
      parse(llvm::formatv("memref<{0}x1x1x{1}x!ttcore.tile<32x32, {2}>, "
                          "#ttcore.shard<{3}x{4}, 1>, "
                          "#ttcore.memory_space<dram>>",
                          rows, tiles, nameOf(format), tiles * bytes, bytes)
                .str()),
      *address);
  addressOf[buffer] = *address;
  return buffer;
}

FailureOr<Value> FunctionConverter::tensorBuffer(Operation *op,
                                                 RankedTensorType type) {
  MemRefType tiles = inTiles(type);
  int64_t row = tiles.getDimSize(kColumns);
  return dramBuffer(op, tiles.getNumElements() / row, row / kTileNumbers,
                    type.getElementType().isF32() ? rt::TileFormat::F32
                                                  : rt::TileFormat::BF16);
}

LogicalResult FunctionConverter::convertShard(ShardOp shard) {
  auto whole = shard.getInput().getType();
  if (failed(expectPlain(shard, shard.getSharding(), whole, shard.getType())))
    return failure();
  Value host = converted.lookupOrNull(shard.getInput());
  if (!host)
    return shard.emitOpError("expects an argument of the function for ttmetal, "
                             "but got what is made in it");
  Value part =
      meshShard(shard.getLoc(), host, hostShard(inTiles(shard.getType())),
                shard.getSharding().getAxes(), shard.getSharding().getMesh(),
                ttcore::MeshShardDirection::FullToShard);
  FailureOr<Value> buffer = tensorBuffer(shard, shard.getType());
  if (failed(buffer))
    return failure();
  ttmetal::EnqueueWriteBufferOp::create(builder, shard.getLoc(), part, *buffer);
  buffers[shard.getResult()] = *buffer;
  return success();
}

LogicalResult FunctionConverter::convertUnshard(UnshardOp unshard) {
  auto part = cast<RankedTensorType>(unshard.getInput().getType());
  if (failed(
          expectPlain(unshard, unshard.getSharding(), unshard.getType(), part)))
    return failure();
  Value buffer = buffers.lookup(unshard.getInput());
  if (!buffer)
    return unshard.emitOpError("expects the result of a launch for ttmetal");
  Location loc = unshard.getLoc();
  auto type = cast<MemRefType>(hostShard(inTiles(part)));
  Value host = memref::AllocOp::create(builder, loc, type);
  ttmetal::EnqueueReadBufferOp::create(builder, loc, buffer, host);
  ttmetal::FinishOp::create(builder, loc);
  converted.map(unshard.getResult(),
                meshShard(loc, host, inTiles(unshard.getType()),
                          unshard.getSharding().getAxes(),
                          unshard.getSharding().getMesh(),
                          ttcore::MeshShardDirection::ShardToFull));
  return success();
}

FailureOr<SmallVector<Value>>
FunctionConverter::circularBuffers(LaunchOp launch,
                                   const LaunchProgram &program,
                                   SmallVector<int64_t> &ports) {
  // Every core has all of them, and every device as many pages: the mover's
  // page lies in one of the compute cores' buffers.
  std::map<uint32_t, rt::CircularBuffer> most;
  for (const rt::OneDevice &device : program.devices.devices)
    for (const rt::CircularBuffer &buffer : device.circularBuffers) {
      rt::CircularBuffer &known =
          most.emplace(buffer.index, buffer).first->second;
      known.pages = std::max(known.pages, buffer.pages);
    }
  SmallVector<Value> made;
  for (const auto &[port, buffer] : most) {
    int64_t bytes = rt::tileBytes(buffer.format);
    FailureOr<int64_t> address = memory.inL1(launch, buffer.pages * bytes);
    if (failed(address))
      return failure();
    ports.push_back(port);
    made.push_back(bufferAt(
        launch.getLoc(),
        parse(llvm::formatv("memref<1x1x1x{0}x!ttcore.tile<32x32, {1}>, "
                            "#ttcore.shard<{2}x{3}, 1>, "
                            "#ttcore.memory_space<l1>>",
                            buffer.pages, nameOf(buffer.format),
                            buffer.pages * bytes, bytes)
                  .str()),
        *address));
  }
  return made;
}

LogicalResult FunctionConverter::writeWords(LaunchOp launch,
                                            const LaunchProgram &program,
                                            ArrayRef<Value> bufferOf,
                                            MetalAddresses &addresses) {
  using Kind = rt::DeviceArgument::Kind;
  const std::vector<rt::OneDevice> &ranks = program.attention.program.devices;
  const int64_t locals = ranks[0].semaphores.size();
  auto word = [&](const rt::DeviceArgument &one) -> uint32_t {
    switch (one.kind) {
    case Kind::BufferAddress:
      return addressOf.lookup(bufferOf[one.value]);
    case Kind::GlobalSemaphore:
      return addresses.semaphores + kSemaphoreBytes * (locals + one.value);
    default:
      return one.value;
    }
  };
  // By rank and core: how many common words there are, these, the core's own.
  struct CoreWords {
    rt::DeviceCore core;
    std::vector<uint32_t> words;
  };
  std::vector<std::vector<CoreWords>> all;
  int64_t columns = 0, rows = 0, length = 0;
  for (const rt::OneDevice &rank : ranks) {
    all.emplace_back();
    for (const rt::DeviceKernel &kernel : rank.kernels)
      for (const rt::KernelOnCore &share : kernel.cores) {
        CoreWords own{share.core,
                      {static_cast<uint32_t>(kernel.common.size())}};
        for (const auto *list : {&kernel.common, &share.arguments})
          for (const rt::DeviceArgument &one : *list)
            own.words.push_back(word(one));
        columns = std::max<int64_t>(columns, share.core.x + 1);
        rows = std::max<int64_t>(rows, share.core.y + 1);
        length = std::max<int64_t>(length, own.words.size());
        all.back().push_back(std::move(own));
      }
  }
  length = llvm::alignTo(length, kSemaphoreBytes / 4);
  std::vector<uint32_t> numbers(all.size() * rows * columns * length);
  for (auto [rank, cores] : llvm::enumerate(all))
    for (const CoreWords &own : cores)
      llvm::copy(own.words,
                 numbers.begin() +
                     ((rank * rows + own.core.y) * columns + own.core.x) *
                         length);

  const int64_t shape[4] = {static_cast<int64_t>(all.size()), rows, columns,
                            length};
  Type ui32 = builder.getIntegerType(32, /*isSigned=*/false);
  auto whole = MemRefType::get(shape, ui32);
  Location loc = launch.getLoc();
  OpBuilder detached(context());
  auto global = memref::GlobalOp::create(
      detached, loc, "ring_words", builder.getStringAttr("private"), whole,
      DenseElementsAttr::get(RankedTensorType::get(shape, ui32),
                             ArrayRef<uint32_t>(numbers)),
      /*constant=*/true, /*alignment=*/IntegerAttr());
  symbols.insert(global);
  Value words =
      memref::GetGlobalOp::create(builder, loc, whole, global.getSymName());
  SmallVector<int64_t> axes(4, ShardingAttr::kReplicated);
  if (program.axis)
    axes[0] = *program.axis;
  const int64_t own[4] = {1, rows, columns, length};
  Value part =
      meshShard(loc, words, hostShard(MemRefType::get(own, ui32)), axes,
                program.mesh, ttcore::MeshShardDirection::FullToShard);
  FailureOr<int64_t> address = memory.inL1(launch, length * 4);
  if (failed(address))
    return failure();
  addresses.words = *address;
  Value buffer = bufferAt(
      loc,
      parse(llvm::formatv("memref<{0}x{1}x1x{2}xui32, #ttcore.shard<{3}x4, 1>, "
                          "#ttcore.memory_space<l1>>",
                          rows, columns, length, length * 4)
                .str()),
      *address);
  ttmetal::EnqueueWriteBufferOp::create(builder, loc, part, buffer);
  return success();
}

FailureOr<SmallVector<Value>>
FunctionConverter::programBuffers(LaunchOp launch,
                                  const LaunchProgram &program) {
  const rt::AttentionProgram &attention = program.attention;
  const rt::LaunchDescription &description = program.description;
  SmallVector<Value> made(program.devices.buffers.size());
  auto given = [&](int32_t number) {
    return buffers.lookup(launch.getInputs()[number]);
  };
  made[attention.queries] = given(description.queries);
  for (auto [store, values] : llvm::enumerate(description.stores))
    if (values.keys != rt::kAbsent) {
      made[attention.keys[store]] = given(values.keys);
      made[attention.values[store]] = given(values.values);
    }
  const uint32_t written[2] = {attention.outputs, attention.logSums};
  for (auto [number, result] : llvm::zip_equal(written, launch.getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    if (failed(expectWholeTiles(launch, type)))
      return failure();
    FailureOr<Value> buffer = tensorBuffer(launch, type);
    if (failed(buffer))
      return failure();
    buffers[result] = made[number] = *buffer;
  }
  // What transfers land in lies as the shards do: one accessor serves all.
  const rt::AttentionSizes &sizes = description.sizes;
  auto land = [&](uint32_t number, int64_t columns) {
    if (made[number])
      return success();
    int64_t tiles = llvm::divideCeil(columns, kTile);
    FailureOr<Value> landing =
        dramBuffer(launch, program.devices.buffers[number].pages / tiles, tiles,
                   rt::TileFormat::BF16);
    if (succeeded(landing))
      made[number] = *landing;
    return LogicalResult(landing);
  };
  for (size_t store = 0; store < attention.keys.size(); ++store)
    if (failed(land(attention.keys[store], sizes.headDim)) ||
        failed(land(attention.values[store], sizes.valueDim)))
      return failure();
  // States, where they do not stay in L1.
  for (auto [number, buffer] : llvm::enumerate(program.devices.buffers)) {
    if (made[number])
      continue;
    FailureOr<Value> states =
        dramBuffer(launch, buffer.pages, 1, rt::TileFormat::F32);
    if (failed(states))
      return failure();
    made[number] = *states;
  }
  return made;
}

SmallVector<Value> FunctionConverter::semaphores(LaunchOp launch,
                                                 const LaunchProgram &program,
                                                 int64_t address) {
  SmallVector<Value> made;
  size_t count = program.attention.program.devices[0].semaphores.size() +
                 program.devices.globalSemaphores.size();
  Type ui32 = builder.getIntegerType(32, /*isSigned=*/false);
  for (size_t i = 0; i < count; ++i)
    made.push_back(ttmetal::CreateGlobalSemaphoreOp::create(
        builder, launch.getLoc(), ttmetal::GlobalSemaphoreType::get(context()),
        builder.getI64IntegerAttr(address + kSemaphoreBytes * i),
        builder.getIntegerAttr(ui32, 0),
        ttmetal::CoreRangeAttr::get(context(), {0, 0}, {8, 8})));
  return made;
}

LogicalResult FunctionConverter::convertLaunch(LaunchOp launch) {
  for (Value input : launch.getInputs())
    if (!buffers.count(input))
      return launch.emitOpError("expects shards and results of launches for "
                                "ttmetal, but got another operand");
  // Pages of one tile: the first tile of a row may not be where a packet of
  // several would start.
  FailureOr<LaunchProgram> program = programOf(launch, /*mostPageTiles=*/1);
  if (failed(program) || failed(verifyRoutes(launch, *program)))
    return failure();
  if (program->description.options.sink)
    return launch.emitOpError("expects no sink for ttmetal, whose tiles nobody "
                              "makes there");
  FailureOr<SmallVector<Value>> bufferOf = programBuffers(launch, *program);
  if (failed(bufferOf))
    return failure();
  MetalAddresses addresses;
  FailureOr<int64_t> counters = memory.inL1(
      launch, kSemaphoreBytes *
                  (program->devices.globalSemaphores.size() +
                   program->attention.program.devices[0].semaphores.size()));
  if (failed(counters))
    return failure();
  addresses.semaphores = *counters;
  if (failed(writeWords(launch, *program, *bufferOf, addresses)))
    return failure();
  SmallVector<int64_t> ports;
  FailureOr<SmallVector<Value>> circular =
      circularBuffers(launch, *program, ports);
  if (failed(circular))
    return failure();
  SmallVector<unsigned> operandOf(bufferOf->size());
  std::iota(operandOf.begin(), operandOf.end(), 0u);
  FailureOr<ArrayAttr> kernels =
      metalKernels(launch, *program, operandOf, addresses, symbols);
  if (failed(kernels))
    return failure();

  SmallVector<Value> operands(*bufferOf);
  operands.append(semaphores(launch, *program, addresses.semaphores));
  ArrayAttr fabric;
  if (program->moves())
    fabric = builder.getArrayAttr({parseAttribute(
        llvm::formatv("#ttcore.fabric_connection_config<noc_index = noc0, "
                      "topology = {0}, cluster_axis = {1}, routing_mode = "
                      "bidir_line_mesh, num_links = 1>",
                      program->topology(), *program->axis)
            .str(),
        context())});
  ttmetal::EnqueueProgramOp::create(builder, launch.getLoc(), operands,
                                    *circular, ports, *kernels, fabric);
  return success();
}

LogicalResult FunctionConverter::convert() {
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    ops.push_back(&op);
  auto whole = [](Type type) -> Type {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 4 ? inTiles(tensor) : Type();
  };
  Block *body = new Block;
  function.getBody().push_back(body);
  builder.setInsertionPointToStart(body);
  SmallVector<Type> results;
  for (BlockArgument argument : function.getArguments()) {
    Type type = whole(argument.getType());
    if (!type)
      return function.emitOpError("expects arguments of batch, heads, rows and "
                                  "columns for ttmetal, but got ")
             << argument.getType();
    converted.map(argument, body->addArgument(type, argument.getLoc()));
  }
  for (Operation *op : ops) {
    LogicalResult done = success();
    if (auto shard = dyn_cast<ShardOp>(op)) {
      done = convertShard(shard);
    } else if (auto launch = dyn_cast<LaunchOp>(op)) {
      done = convertLaunch(launch);
    } else if (auto unshard = dyn_cast<UnshardOp>(op)) {
      done = convertUnshard(unshard);
    } else if (auto end = dyn_cast<func::ReturnOp>(op)) {
      SmallVector<Value> values;
      for (Value value : end.getOperands()) {
        values.push_back(converted.lookupOrNull(value));
        if (!values.back())
          return end.emitOpError("expects whole tensors for ttmetal, but got "
                                 "shards");
        results.push_back(values.back().getType());
      }
      func::ReturnOp::create(builder, end.getLoc(), values);
    } else {
      done = op->emitOpError("has no place in a ttmetal program, which is made "
                             "of ring.shard, ring.launch and ring.unshard");
    }
    if (failed(done))
      return failure();
  }
  function.setFunctionType(
      builder.getFunctionType(body->getArgumentTypes(), results));
  function->setAttr("tt.function_type",
                    builder.getStringAttr("forward_device"));
  Block &old = function.getBody().front();
  old.dropAllDefinedValueUses();
  old.erase();
  return success();
}

class ConvertRingToTTMetalPass
    : public impl::ConvertRingToTTMetalBase<ConvertRingToTTMetalPass> {
public:
  using ConvertRingToTTMetalBase::ConvertRingToTTMetalBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      if (failed(FunctionConverter(function, symbols).convert()))
        return signalPassFailure();
      for (NamedAttribute attribute :
           llvm::to_vector(function->getDiscardableAttrs()))
        if (attribute.getName().getValue().starts_with("ring."))
          function->removeDiscardableAttr(attribute.getName());
    }
  }
};

} // namespace
} // namespace mlir::ring
