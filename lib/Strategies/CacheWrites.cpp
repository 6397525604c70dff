// SPDX-License-Identifier: Apache-2.0
// Rows that a program writes into a cache before it attends to it. Where the
// cache is dealt out, every device writes what it owns, and nobody the rest.

#include "ShardedAttention.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Dialect/Ring/IR/InPlace.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {

static constexpr int64_t kNone = ShardingAttr::kReplicated;
static constexpr int64_t kHeads = 1, kRows = 2;

static RankedTensorType typeOf(Value value) {
  return TTIRBuilder::typeOf(value);
}

namespace {

enum class CacheWrite { None, Fill, Update, PagedFill, PagedUpdate };

CacheWrite kindOf(Operation *op) {
  return llvm::StringSwitch<CacheWrite>(op->getName().getStringRef())
      .Case("ttir.fill_cache", CacheWrite::Fill)
      .Case("ttir.update_cache", CacheWrite::Update)
      .Case("ttir.paged_fill_cache", CacheWrite::PagedFill)
      .Case("ttir.paged_update_cache", CacheWrite::PagedUpdate)
      .Default(CacheWrite::None);
}

/// A cache as it was, and what is written into it before `reader`, in order.
struct WrittenCache {
  Value before;
  SmallVector<Operation *> writes;

  WrittenCache(Value cache, Operation *reader) : before(cache) {
    Operation *op = cache.getDefiningOp();
    for (; op && kindOf(op) != CacheWrite::None && op->getNumResults() == 1;
         op = before.getDefiningOp()) {
      writes.insert(writes.begin(), op);
      before = op->getOperand(0);
    }
    if (!writes.empty())
      return;
    // Ops without a result write into what they are given.
    for (Operation *user : cache.getUsers())
      if (kindOf(user) != CacheWrite::None && user->getNumResults() == 0 &&
          user->getOperand(0) == cache &&
          user->getBlock() == reader->getBlock() &&
          user->isBeforeInBlock(reader))
        writes.push_back(user);
    llvm::sort(writes, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
  }
};

} // namespace

/// Whether a device can do its part of a write.
static bool isDealtEvenly(Operation *write, const AttentionTraits &traits) {
  auto offset = write->getAttrOfType<IntegerAttr>("batch_offset");
  RankedTensorType cache = typeOf(write->getOperand(0)),
                   rows = typeOf(write->getOperand(1));
  switch (kindOf(write)) {
  case CacheWrite::Fill:
    return !traits.pages && offset;
  case CacheWrite::Update:
    return !traits.pages && offset && offset.getInt() == 0 &&
           rows.getDimSize(kRows) == cache.getDimSize(0);
  case CacheWrite::PagedFill:
    return traits.pages && rows.getDimSize(kRows) % traits.pageRows == 0;
  case CacheWrite::PagedUpdate:
    return static_cast<bool>(traits.pages) == (write->getNumOperands() == 4);
  case CacheWrite::None:
    break;
  }
  return false;
}

/// Of a latent cache, the op that cuts the values out of it for the attention;
/// nothing where values are a cache of their own.
static Operation *valuesCutOutOf(Value cache, AttentionOp reader,
                                 const AttentionTraits &traits) {
  Operation *cut = reader.getValue().getDefiningOp();
  return traits.valuesInKeys && cut && reader.getKey() == cache ? cut : nullptr;
}

/// Whether the attention alone reads the cache, or whoever the function returns
/// it to.
static bool isReadHereAlone(const WrittenCache &written, Value cache,
                            Operation *reader, Operation *valuesCut) {
  if (valuesCut && !llvm::all_of(valuesCut->getUsers(), [&](Operation *user) {
        return user == reader;
      }))
    return false;
  return llvm::all_of(cache.getUsers(), [&](Operation *user) {
    return user == reader || user == valuesCut || isa<func::ReturnOp>(user) ||
           llvm::is_contained(written.writes, user);
  });
}

int64_t ShardedAttention::cacheHeadsAxis() {
  return headsAxisOf(op.getKey().getType());
}

Value ShardedAttention::dealtCache(Value cache) {
  auto shardCache = [&](Value whole) {
    int64_t sequence = axis().getIndex(), heads = cacheHeadsAxis();
    if (traits().pages)
      return shard(whole, {sequence, heads, kNone, kNone}, std::nullopt, {});
    if (heads == headsAxis())
      return shardSequence(whole, keyLayout);
    return shard(whole, {kNone, heads, sequence, kNone}, kRows, keyLayout);
  };
  WrittenCache written(cache, op);
  Operation *valuesCut = valuesCutOutOf(cache, op, traits());
  bool apart = !written.writes.empty() && !traits().perDevice &&
               isReadHereAlone(written, cache, op, valuesCut) &&
               llvm::all_of(written.writes, [&](Operation *write) {
                 return isDealtEvenly(write, traits());
               });
  if (!apart)
    return withOwnHeads(shardCache(cache), cache);
  Value local = shardCache(written.before);
  for (Operation *write : written.writes)
    local = writeOwnRows(write, local);
  returnCache(cache, local);
  cache.replaceUsesWithIf(written.before, [&](OpOperand &use) {
    return use.getOwner() == op || use.getOwner() == valuesCut;
  });
  for (Operation *write : llvm::reverse(written.writes))
    write->erase();
  return withOwnHeads(local, written.before);
}

/// Who returns the cache gets it from the devices.
void ShardedAttention::returnCache(Value cache, Value local) {
  auto returned = [](OpOperand &use) {
    return isa<func::ReturnOp>(use.getOwner());
  };
  if (llvm::none_of(cache.getUses(), returned))
    return;
  int64_t sequence = axis().getIndex(), heads = cacheHeadsAxis();
  ArrayRef<int64_t> mesh = axis().getMesh();
  auto sharding =
      traits().pages
          ? ShardingAttr::get(op.getContext(), {sequence, heads, kNone, kNone},
                              mesh, std::nullopt, LayoutAttr())
          : ShardingAttr::get(op.getContext(), {kNone, heads, sequence, kNone},
                              mesh, kRows, keyLayout);
  Value whole = UnshardOp::create(builder, op.getLoc(), typeOf(cache), local,
                                  sharding, /*replicated=*/false);
  cache.replaceUsesWithIf(whole, returned);
}

/// Where a device keeps the rows at these positions, `[users]`; -1 for rows
/// that are another one's. With blocks of 2 on 3 devices position 9 is row 3 of
/// the second.
Value ShardedAttention::ownRowsAt(Value positions) {
  ArrayRef<int64_t> shape = typeOf(positions).getShape();
  Type type = typeOf(positions).getElementType(), f32 = builder.getF32Type();
  auto number = [&](int64_t value) {
    return tensors().full(shape, f32, static_cast<float>(value));
  };
  auto whole = [&](Value quotient) {
    return tensors().typecast(
        tensors().typecast(quotient, builder.getI32Type()), f32);
  };
  auto ranksInOrder = llvm::to_vector(llvm::seq<int64_t>(0, ranks()));
  Value rank = tensors().broadcast(
      tensors().reshape(numberOfRank(ranksInOrder), {1}), shape);
  int64_t block = traits().cacheBlock;
  Value at = tensors().typecast(positions, f32);
  Value chunk = whole(tensors().div(at, number(block)));
  Value round = whole(tensors().div(chunk, number(ranks())));
  Value owner =
      tensors().subtract(chunk, tensors().multiply(round, number(ranks())));
  Value before = tensors().multiply(round, number(block));
  Value row = tensors().add(
      before, tensors().subtract(at, tensors().multiply(chunk, number(block))));
  Value isOwner = tensors().equal(owner, rank);
  Value own =
      tensors().multiply(isOwner, tensors().greaterEqual(at, number(0)));
  return tensors().typecast(tensors().where(own, row, number(-1)), type);
}

/// Of rows from position 0 on, `[inputs, heads, rows, dim]`, a device's own, as
/// its blocks hold them.
Value ShardedAttention::ownRowsOf(Value rows) {
  int64_t block = traits().cacheBlock;
  auto layout = LayoutAttr::get(
      op.getContext(), LayoutKind::BlockCyclic,
      llvm::alignTo(typeOf(rows).getDimSize(kRows), ranks() * block), ranks(),
      /*offset=*/0, block);
  return shard(rows, {kNone, cacheHeadsAxis(), axis().getIndex(), kNone}, kRows,
               layout);
}

/// A written cache is a value of its own here, so that nothing is read or sent
/// too early. Writes that were in place become so again at the end.
Value ShardedAttention::writeOwnRows(Operation *write, Value local) {
  Value rows = write->getOperand(1);
  auto everywhere = [&](unsigned i) {
    Value whole = write->getOperand(i);
    return shard(whole, SmallVector<int64_t>(typeOf(whole).getRank(), kNone),
                 std::nullopt, {});
  };
  OperationState state(write->getLoc(), write->getName().getStringRef());
  state.propertiesAttr = write->getPropertiesAsAttribute();
  state.addAttributes(write->getDiscardableAttrDictionary().getValue());
  state.addOperands(local);
  switch (kindOf(write)) {
  case CacheWrite::PagedFill: {
    Value own = ownRowsOf(rows);
    int64_t pages = typeOf(rows).getDimSize(kRows) / traits().pageRows;
    state.addOperands(
        {own,
         shardTable(tensors().slice(write->getOperand(2), 1, 0, pages),
                    typeOf(own).getDimSize(kRows) * ranks() / traits().pageRows,
                    /*unused=*/-1.0f)});
    if (write->getNumOperands() > 3)
      state.addOperands(everywhere(3));
    break;
  }
  case CacheWrite::PagedUpdate:
    state.addOperands(
        {shard(rows, {kNone, kNone, cacheHeadsAxis(), kNone}, std::nullopt, {}),
         ownRowsAt(everywhere(2))});
    if (traits().pages)
      state.addOperands(shardTable(write->getOperand(3),
                                   keyLayout.getLength() / traits().pageRows,
                                   /*unused=*/-1.0f));
    break;
  case CacheWrite::Update: {
    // Users are rows here, and one index is for all of them.
    int64_t users = typeOf(rows).getDimSize(kRows);
    state.name = OperationName("ttir.paged_update_cache", op.getContext());
    state.propertiesAttr = builder.getDictionaryAttr(
        builder.getNamedAttr("share_cache", builder.getBoolAttr(false)));
    state.addOperands(
        {tensors().permute(shard(rows, {kNone, cacheHeadsAxis(), kNone, kNone},
                                 std::nullopt, {}),
                           {0, 2, 1, 3}),
         ownRowsAt(tensors().broadcast(tensors().reshape(everywhere(2), {1}),
                                       {users}))});
    break;
  }
  case CacheWrite::Fill:
    state.addOperands(ownRowsOverOld(write, local));
    break;
  case CacheWrite::None:
    llvm_unreachable("only writes are collected");
  }
  if (write->getNumResults() == 0)
    state.addAttribute(kInPlaceAttrName, builder.getUnitAttr());
  state.addTypes(local.getType());
  return builder.create(state)->getResult(0);
}

/// Rows that only fill up the last blocks stay what they were.
Value ShardedAttention::ownRowsOverOld(Operation *fill, Value local) {
  Value rows = fill->getOperand(1), own = ownRowsOf(rows);
  int64_t count = typeOf(rows).getDimSize(kRows);
  SmallVector<int64_t> shape(typeOf(own).getShape());
  if (shape[kRows] * ranks() == count)
    return own;
  int64_t user = fill->getAttrOfType<IntegerAttr>("batch_offset").getInt();
  Value old = tensors().slice(tensors().slice(local, 0, user, user + shape[0]),
                              kRows, 0, shape[kRows]);
  SmallVector<int64_t> like(4, 1);
  like[kRows] = count;
  int64_t heads =
      cacheHeadsAxis() == kNone ? 1 : axis().getMesh()[cacheHeadsAxis()];
  like[kHeads] = heads;
  Value given = ownRowsOf(tensors().full(like, builder.getF32Type(), 1.0f));
  return tensors().where(tensors().typecast(tensors().broadcast(given, shape),
                                            typeOf(own).getElementType()),
                         own, old);
}

} // namespace mlir::ring
